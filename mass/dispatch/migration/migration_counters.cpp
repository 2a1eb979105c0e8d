#include <mass/dispatch/migration/migration_counters.hpp>

#include <cstring>
#include <span>

namespace mass::detail::migration {
namespace {

// Packed parts need no padding between them.
static_assert(sizeof(MigrationTotals) % alignof(std::uint64_t) == 0);
static_assert(alignof(Column) == alignof(std::uint64_t));

/// Calls f(part) with a span for each part of the counters, in their order in packed counters.
/// @tparam Counters MigrationCounters or const MigrationCounters
template <class C, class F>
void forEachPart(C& counters, F&& f) {
  f(std::span(&counters.totals, 1));
  f(std::span(counters.moves));
  f(std::span(counters.children));
  f(std::span(counters.edges));
}

}  // namespace

MigrationCounters MigrationCounters::zero(int devices, std::size_t edgeBins) {
  const auto count = static_cast<std::size_t>(devices);
  MigrationCounters counters;
  counters.moves.resize(count);
  counters.children.resize(count);
  counters.edges.resize(edgeBins);
  return counters;
}

void CounterAddresses::bind(MigrationView& m) const {
  m.counts = totals->of;
  m.alive = &totals->alive;
  m.localChildren = &totals->localChildren;
  m.seekers = &totals->seekers;
  m.freePlaces = &totals->freePlaces;
  m.crowdedBins = &totals->crowdedBins;
  m.sentMoves = moves;
  m.sentChildren = children;
  m.edges = edges;
  m.columns = columns;
}

CounterAddresses addressesOf(MigrationCounters& counters, const std::vector<Column>& columns) {
  return {&counters.totals, counters.moves.data(), counters.children.data(), counters.edges.data(),
          columns.data()};
}

std::size_t packedBytes(const MigrationCounters& counters) {
  std::size_t bytes = 0;
  forEachPart(counters, [&](auto part) { bytes += part.size_bytes(); });
  return bytes;
}

void pack(const MigrationCounters& counters, std::byte* packed) {
  forEachPart(counters, [&](auto part) {
    if (!part.empty()) std::memcpy(packed, part.data(), part.size_bytes());
    packed += part.size_bytes();
  });
}

void unpack(const std::byte* packed, MigrationCounters& counters) {
  forEachPart(counters, [&](auto part) {
    if (!part.empty()) std::memcpy(part.data(), packed, part.size_bytes());
    packed += part.size_bytes();
  });
}

CounterAddresses addressesIn(std::byte* packed, const MigrationCounters& counters) {
  CounterAddresses at;
  at.totals = reinterpret_cast<MigrationTotals*>(packed);
  at.moves = reinterpret_cast<std::uint64_t*>(packed + sizeof(MigrationTotals));
  at.children = at.moves + counters.moves.size();
  at.edges = at.children + counters.children.size();
  at.columns = reinterpret_cast<const Column*>(at.edges + counters.edges.size());
  return at;
}

}  // namespace mass::detail::migration
