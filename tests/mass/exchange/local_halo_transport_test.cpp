#include <mass/exchange/local_halo_transport.hpp>

#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::detail::DeviceConfig;
using mass::detail::Domain;
using mass::detail::GhostField;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;
using mass::testing::elementAt;

const std::int32_t zero = 0, outside = -5;
constexpr Border all[] = {Border::periodic, Border::fixed, Border::mirrored};

void refresh(const PlaceFields& fields, const std::vector<GhostField>& ghosts) {
  mass::detail::LocalHaloTransport transport;
  transport.prepare({{}, mass::detail::haloMessages(fields, ghosts)});
  fields.devices().run([&](const mass::detail::Worker& worker) {
    for (std::size_t round = 0; round < 2; ++round) {
      transport.send(worker, round, nullptr);
      transport.receive(worker, round, nullptr);
    }
  });
}

/// Compares every element of every band, with ghost rows, padding and corners, with its source
/// place.
void expectWhole(const PlaceFields& fields, int component = 0) {
  const Domain& domain = fields.domain();
  const bool hasLines = domain.dimensions == 3;
  for (int device = 0; device < fields.devices().size(); ++device) {
    const mass::detail::Layout& layout = fields.layout(device);
    const mass::RowRange band = fields.partition().range(device);
    const std::int64_t lineSide = hasLines ? layout.padding : 0;
    for (std::int64_t row = band.begin - layout.depth; row < band.end + layout.depth; ++row) {
      for (std::int64_t line = -lineSide; line < layout.lines + lineSide; ++line) {
        for (std::int64_t x = -layout.padding; x < layout.columns + layout.padding; ++x) {
          const std::int64_t r = sourceOf(row, domain.shape[0], domain.borders[0]);
          const std::int64_t l = hasLines ? sourceOf(line, layout.lines, domain.borders[1]) : 0;
          const Border across = domain.borders[static_cast<std::size_t>(domain.dimensions - 1)];
          const std::int64_t c = domain.dimensions == 1 ? 0 : sourceOf(x, layout.columns, across);
          const bool beyond = r < 0 || l < 0 || c < 0;
          ASSERT_EQ(elementAt(fields, component, device, row, line, x),
                    beyond ? outside : (r * layout.lines + l) * layout.columns + c)
              << "device " << device << " at " << row << ' ' << line << ' ' << x;
        }
      }
    }
  }
}

void expectRefreshed(const Domain& domain) {
  for (const int devices : {1, 2, 3, 5}) {
    const auto config = DeviceConfig::cpu(devices, devices == 3 ? 7 : devices);
    PlaceFields fields(config, domain, {componentOf(zero, outside)});
    mass::testing::setNumbers(fields);
    refresh(fields, {{0, 0}});
    SCOPED_TRACE(std::to_string(devices) + " devices, reach " + std::to_string(domain.reach));
    expectWhole(fields);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(LocalHaloTransport, GhostsPaddingAndCornersFollowTheBorders) {
  for (const Border rows : all) {
    for (const Border columns : all) {
      for (int reach = 1; reach <= 3; ++reach) {
        expectRefreshed(domainOf({5}, {rows}, reach));
        expectRefreshed(domainOf({5, 4}, {rows, columns}, reach));
        expectRefreshed(domainOf({5, 1}, {rows, columns}, reach));
        for (const Border lines : all) {
          expectRefreshed(domainOf({5, 2, 3}, {rows, lines, columns}, reach));
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(LocalHaloTransport, CopiesOnlyTheGivenComponents) {
  const auto config = DeviceConfig::cpu(2, 2);
  PlaceFields fields(config, domainOf({6, 3}, {}, 1),
                     {componentOf(zero, outside), componentOf(zero, outside)});
  mass::testing::setNumbers(fields, 0);
  mass::testing::setNumbers(fields, 1);
  fields.allocateBackBuffer(1);
  const std::vector<GhostField> ghosts = {{1, 1}};
  std::size_t bytes = 0;
  for (const auto& message : mass::detail::haloMessages(fields, ghosts)) bytes += message.bytes();
  // Two ghost rows for each of two devices, with their padding.
  EXPECT_EQ(bytes, 4U * 5 * sizeof(std::int32_t));
  refresh(fields, ghosts);
  EXPECT_EQ(elementAt(fields, 0, 0, 3, 0, 0), outside) << "another component";
  EXPECT_EQ(elementAt(fields, 1, 0, 3, 0, 0), outside) << "the other buffer";
  fields.setFront(1, 1);
  EXPECT_EQ(elementAt(fields, 1, 0, 3, 0, 0), 9);
}

TEST(LocalHaloTransport, CopiesTheLinesOfSomeInterleavedComponents) {
  for (const auto& shape : {std::vector<std::int64_t>{7, 5}, {5, 2, 3}}) {
    const auto config = DeviceConfig::cpu(3, 4);
    Domain domain = domainOf(shape, std::vector<Border>(shape.size(), Border::periodic), 1);
    domain.interleave = 3;
    PlaceFields fields(config, domain, mass::testing::interleavedComponents(3, zero, outside));
    for (const int component : {0, 1, 2}) mass::testing::setNumbers(fields, component);
    refresh(fields, {{0, 0}, {2, 0}});
    expectWhole(fields, 0);
    expectWhole(fields, 2);
    const std::int64_t last = fields.partition().range(0).end;
    EXPECT_EQ(elementAt(fields, 1, 0, last, 0, 0), outside) << "a ghost of what has not moved";
  }
}

TEST(LocalHaloTransport, CopiesNothingIfNoComponentIsGiven) {
  const auto config = DeviceConfig::cpu(2, 2);
  PlaceFields fields(config, domainOf({6, 3}, {}, 1), {componentOf(zero, outside)});
  EXPECT_TRUE(mass::detail::haloMessages(fields, {}).empty());
  refresh(fields, {});
  EXPECT_EQ(elementAt(fields, 0, 0, 3, 0, 0), outside);
}

}  // namespace
