#include <mass/dispatch/migration/migration_counters.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using namespace mass::detail::migration;  // NOLINT(google-build-using-namespace)

/// Counters of 3 devices and 2 edge bins, all of which differ.
MigrationCounters distinctCounters() {
  MigrationCounters counters = MigrationCounters::zero(3, 2);
  std::uint64_t next = 100;
  for (std::uint64_t& count : counters.totals.of) count = next++;
  MigrationTotals& totals = counters.totals;
  for (std::uint64_t* const total : {&totals.own, &totals.alive, &totals.localChildren,
                                     &totals.seekers, &totals.freePlaces, &totals.crowdedBins}) {
    *total = next++;
  }
  for (auto* const vector : {&counters.moves, &counters.children, &counters.edges}) {
    for (std::uint64_t& value : *vector) value = next++;
  }
  return counters;
}

/// Expects that both have equal values.
void expectEqual(const MigrationCounters& a, const MigrationCounters& b) {
  EXPECT_EQ(std::memcmp(&a.totals, &b.totals, sizeof a.totals), 0);
  EXPECT_EQ(a.moves, b.moves);
  EXPECT_EQ(a.children, b.children);
  EXPECT_EQ(a.edges, b.edges);
}

/// Expects that the pointers of a view lead to the values of `counters`.
void expectBound(const MigrationView& m, const MigrationCounters& counters) {
  for (int k = 0; k < counts; ++k) EXPECT_EQ(m.counts[k], counters.totals.of[k]) << k;
  EXPECT_EQ(*m.alive, counters.totals.alive);
  EXPECT_EQ(*m.localChildren, counters.totals.localChildren);
  EXPECT_EQ(*m.seekers, counters.totals.seekers);
  EXPECT_EQ(*m.freePlaces, counters.totals.freePlaces);
  EXPECT_EQ(*m.crowdedBins, counters.totals.crowdedBins);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(m.sentMoves[d], counters.moves[d]) << d;
    EXPECT_EQ(m.sentChildren[d], counters.children[d]) << d;
  }
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(m.edges[i], counters.edges[i]) << i;
}

TEST(MigrationCounters, StartAtZero) {
  const MigrationCounters counters = MigrationCounters::zero(3, 2);
  EXPECT_EQ(counters.moves, std::vector<std::uint64_t>(3));
  EXPECT_EQ(counters.children, std::vector<std::uint64_t>(3));
  EXPECT_EQ(counters.edges, std::vector<std::uint64_t>(2));
  EXPECT_EQ(counters.totals.of[moved] + counters.totals.own + counters.totals.alive, 0U);
}

TEST(MigrationCounters, ArePackedAndUnpacked) {
  const MigrationCounters counters = distinctCounters();
  std::vector<std::byte> packed(packedBytes(counters));
  EXPECT_EQ(packed.size(), (counts + 6 + 3 + 3 + 2) * sizeof(std::uint64_t));
  pack(counters, packed.data());
  MigrationCounters copy = MigrationCounters::zero(3, 2);
  unpack(packed.data(), copy);
  expectEqual(copy, counters);
}

TEST(MigrationCounters, OfASingleDeviceHaveNoEdges) {
  MigrationCounters counters = MigrationCounters::zero(1, 0);
  counters.children[0] = 5;
  std::vector<std::byte> packed(packedBytes(counters));
  pack(counters, packed.data());
  MigrationCounters copy = MigrationCounters::zero(1, 0);
  unpack(packed.data(), copy);
  expectEqual(copy, counters);
}

TEST(MigrationCounters, AreBoundInPlace) {
  MigrationCounters counters = distinctCounters();
  const std::vector<Column> columns(2);
  MigrationView m;
  addressesOf(counters, columns).bind(m);
  expectBound(m, counters);
  EXPECT_EQ(m.columns, columns.data());
  ++*m.alive;
  ++m.sentChildren[2];
  EXPECT_EQ(counters.totals.alive, *m.alive);
  EXPECT_EQ(counters.children[2], m.sentChildren[2]);
}

TEST(MigrationCounters, AreBoundInAPackedCopyBeforeTheColumns) {
  const MigrationCounters counters = distinctCounters();
  std::vector<std::uint64_t> words(packedBytes(counters) / sizeof(std::uint64_t));
  auto* const packed = reinterpret_cast<std::byte*>(words.data());
  pack(counters, packed);
  MigrationView m;
  addressesIn(packed, counters).bind(m);
  expectBound(m, counters);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(m.columns), packed + packedBytes(counters));
}

}  // namespace
