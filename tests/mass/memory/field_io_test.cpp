#include <mass/memory/field_io.hpp>

#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace {

using mass::detail::DeviceConfig;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;
using Shape = std::vector<std::int64_t>;

const std::int32_t zero = 0;
const std::int8_t tiny = 0;
const std::vector<Shape> shapes = {{11}, {11, 3}, {11, 2, 3}};

PlaceFields fieldsOf(const DeviceConfig& devices, const Shape& shape) {
  return PlaceFields(devices, domainOf(shape, {}, 1),
                     {componentOf(zero, zero), componentOf(tiny, tiny)});
}

TEST(FieldIo, RowsComeBackAsTheyWereWrittenWhicheverBandsTheyLieIn) {
  for (const Shape& shape : shapes) {
    for (const int devices : {1, 2, 3, 11}) {
      const auto config = DeviceConfig::cpu(devices, 1);
      auto fields = fieldsOf(config, shape);
      mass::testing::setNumbers(fields);
      const std::int64_t row = mass::testing::placesOf(fields.domain()) / shape[0];
      for (std::int64_t first = 0; first < 11; ++first) {
        for (std::int64_t count = 0; first + count <= 11; ++count) {
          std::vector<std::int32_t> got(static_cast<std::size_t>(count * row + 1), -1);
          std::vector<std::int32_t> expected(got.size(), -1);
          std::iota(expected.begin(), expected.end() - 1, static_cast<std::int32_t>(first * row));
          mass::detail::readRows(fields, 0, first, count, got.data());
          ASSERT_EQ(got, expected) << devices << " devices, rows from " << first << ", " << count;
        }
      }
      // Overwrites the middle rows in one call and compares again.
      std::vector<std::int32_t> expected = mass::testing::stateOf(fields);
      std::vector<std::int32_t> piece(static_cast<std::size_t>(5 * row));
      std::iota(piece.begin(), piece.end(), 1000);
      std::copy(piece.begin(), piece.end(), expected.begin() + 3 * row);
      mass::detail::writeRows(fields, 0, 3, 5, piece.data());
      ASSERT_EQ(mass::testing::stateOf(fields), expected);
    }
  }
}

TEST(FieldIo, TheHashDoesNotDependOnDevicesAndThreads) {
  for (const Shape& shape : shapes) {
    std::set<std::uint64_t> hashes;
    for (const int devices : {1, 2, 3, 4, 11}) {
      for (const int threads : {1, 4}) {
        const auto config = DeviceConfig::cpu(devices, threads);
        auto fields = fieldsOf(config, shape);
        mass::testing::setNumbers(fields);
        hashes.insert(mass::detail::hashOf(fields));
      }
    }
    EXPECT_EQ(hashes.size(), 1U);
  }
}

TEST(FieldIo, TheHashChangesWithAnyOneValueItsPlaceAndTheStep) {
  for (const Shape& shape : shapes) {
    const auto config = DeviceConfig::cpu(3, 2);
    auto fields = fieldsOf(config, shape);
    const auto places = static_cast<std::size_t>(mass::testing::placesOf(fields.domain()));
    std::set<std::uint64_t> hashes = {mass::detail::hashOf(fields)};
    for (std::size_t i = 0; i < places; ++i) {
      std::vector<std::int32_t> values(places);
      values[i] = 1;
      mass::detail::writeRows(fields, 0, 0, shape[0], values.data());
      hashes.insert(mass::detail::hashOf(fields));
    }
    const std::vector<std::int32_t> none(places);
    mass::detail::writeRows(fields, 0, 0, shape[0], none.data());
    for (std::size_t i = 0; i < places; ++i) {
      std::vector<std::int8_t> values(places);
      values[i] = 1;
      mass::detail::writeRows(fields, 1, 0, shape[0], values.data());
      hashes.insert(mass::detail::hashOf(fields));
    }
    fields.step = 1;
    hashes.insert(mass::detail::hashOf(fields));
    EXPECT_EQ(hashes.size(), 2 * places + 2) << shape.size() << "-D";
  }
}

// Padding and ghost rows are not part of the state.
TEST(FieldIo, TheHashExcludesGhostsAndPadding) {
  const auto config = DeviceConfig::cpu(2, 2);
  auto fields = fieldsOf(config, {6, 5});
  const std::uint64_t hash = mass::detail::hashOf(fields);
  auto* const data = static_cast<std::int32_t*>(fields.frontBuffer(0, 0));
  data[fields.layout(0).at(-1, 0, 2)] = 9;
  data[fields.layout(0).at(3, 0, 2)] = 9;
  data[fields.layout(0).at(1, 0, -1)] = 9;
  data[fields.layout(0).at(1, 0, 5)] = 9;
  EXPECT_EQ(mass::detail::hashOf(fields), hash);
  data[fields.layout(0).at(1, 0, 4)] = 9;
  EXPECT_NE(mass::detail::hashOf(fields), hash);
}

}  // namespace
