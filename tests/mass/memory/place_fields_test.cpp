#include <mass/memory/place_fields.hpp>

#include <mass/support/error.hpp>

#include "../../support/little_memory.hpp"
#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::detail::DeviceConfig;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;

const std::int32_t seven = 7, eight = 8, outside = -1;

PlaceFields sevens(const DeviceConfig& devices, const mass::detail::Domain& domain) {
  return PlaceFields(devices, domain, {componentOf(seven, outside)});
}

TEST(PlaceFields, EveryPlaceStartsWithTheInitialValue) {
  for (const int devices : {1, 2, 5}) {
    const auto config = DeviceConfig::cpu(devices, 3);
    const auto fields = sevens(config, domainOf({5, 4, 3}, {}, 2));
    EXPECT_EQ(mass::testing::stateOf(fields), std::vector<std::int32_t>(60, 7));
  }
}

TEST(PlaceFields, BehindFixedBordersLiesTheOutsideValueInBothBuffers) {
  const auto config = DeviceConfig::cpu(2, 2);
  auto fields = sevens(config, domainOf({4, 3}, {Border::fixed, Border::fixed}, 2));
  fields.allocateBackBuffer(0);
  for (int buffer = 0; buffer < 2; ++buffer) {
    fields.setFront(0, buffer);
    for (const std::int64_t column : {-2, -1, 3, 4}) {
      EXPECT_EQ(mass::testing::elementAt(fields, 0, 0, 0, 0, column), outside);
      EXPECT_EQ(mass::testing::elementAt(fields, 0, 1, 3, 0, column), outside);
    }
    for (const std::int64_t column : {-2, 0, 4}) {
      EXPECT_EQ(mass::testing::elementAt(fields, 0, 0, -1, 0, column), outside);
      EXPECT_EQ(mass::testing::elementAt(fields, 0, 1, 5, 0, column), outside);
    }
    EXPECT_EQ(mass::testing::stateOf(fields), std::vector<std::int32_t>(12, 7));
  }
}

TEST(PlaceFields, AllocateTheBackBufferOnFirstUse) {
  const auto config = DeviceConfig::cpu(2, 2);
  PlaceFields fields(config, domainOf({40, 30}, {}, 1),
                     {componentOf(seven, outside), componentOf(eight, outside)});
  const std::size_t once = fields.bytes();
  mass::testing::setNumbers(fields, 1);
  fields.allocateBackBuffer(1);
  EXPECT_EQ(fields.bytes(), once + once / 2);
  const void* const back = fields.buffer(1, 0, 1);
  fields.allocateBackBuffer(1);
  EXPECT_EQ(fields.buffer(1, 0, 1), back);
  const auto state = mass::testing::stateOf(fields, 1);
  fields.setFront(1, 1);
  EXPECT_EQ(mass::testing::stateOf(fields, 1), state) << "it begins as a copy of the state";
}

TEST(PlaceFields, TwoBuffersTakeTwoPercentMoreThanPlacesAndGhostsAtTheMost) {
  const auto config = DeviceConfig::cpu(2, 2);
  auto fields = sevens(config, domainOf({1024, 1024}, {}, 1));
  fields.allocateBackBuffer(0);
  const double needed = 2.0 * sizeof(std::int32_t) * (1024 + 4) * (1024 + 2);
  EXPECT_LE(static_cast<double>(fields.bytes()), 1.02 * needed);
}

/// Returns places of one bool as bits, all true.
PlaceFields bitsOf(const DeviceConfig& devices) {
  std::vector<mass::detail::Component> components{componentOf(true, false)};
  mass::detail::storeAsBits(components.front());
  return PlaceFields(devices, domainOf({5, 70}, {Border::periodic, Border::fixed}, 1), components);
}

/// Returns the states of places of one bool.
std::vector<unsigned char> boolsOf(const PlaceFields& fields) {
  std::vector<unsigned char> values(350);
  readRows(fields, 0, 0, 5, values.data());
  return values;
}

TEST(PlaceFields, OfBitsCanBeChangedAsBytes) {
  const auto config = DeviceConfig::cpu(2, 2);
  auto fields = bitsOf(config);
  EXPECT_EQ(boolsOf(fields), std::vector<unsigned char>(350, 1));
  const std::size_t bits = fields.bytes();
  EXPECT_EQ(bits, 8 * 2 * (5U + 2 * 2)) << "two words a row, two ghost rows of each device";
  PlaceFields& bytes = fields.asBytes(true);
  EXPECT_EQ(boolsOf(bytes), std::vector<unsigned char>(350, 1));
  EXPECT_GT(fields.bytes(), bits);
  std::vector<unsigned char> values(350);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * i % 3 == 1 ? 1 : 0;
  writeRows(bytes, 0, 0, 5, values.data());
  EXPECT_EQ(boolsOf(fields), values);
  EXPECT_EQ(boolsOf(fields.asBytes(false)), values);
  fields.toBits();
  EXPECT_EQ(fields.bytes(), bits);
  EXPECT_EQ(boolsOf(fields), values);
  fields.storeAsBytes();
  EXPECT_FALSE(fields.areBits());
  EXPECT_EQ(boolsOf(fields), values);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(PlaceFields, AllDevicesOrNoneHaveABackBuffer) {
  const auto config = DeviceConfig::cpu(2, 2, {1, 15});
  auto fields = sevens(config, domainOf({16, 1 << 20}, {}, 1));
  const std::size_t once = fields.bytes();
  {
    const mass::testing::LittleMemory most(std::size_t{32} << 20);  // the devices need 12 and 68 MB
    EXPECT_THROW(fields.allocateBackBuffer(0), mass::DeviceError);
  }
  EXPECT_FALSE(fields.hasBuffer(0, 1));
  EXPECT_EQ(fields.bytes(), once);
  fields.allocateBackBuffer(0);
  EXPECT_EQ(fields.bytes(), 2 * once);
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(PlaceFields, DevicesOfCpusShareTheMemoryThatThereIs) {
  const auto config = DeviceConfig::cpu(8, 1);
  const auto messageOf = [](auto&& work) -> std::string {
    const mass::testing::LittleMemory most(std::size_t{48} << 20);
    try {
      work();
    } catch (const mass::DeviceError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const auto says = [](const std::string& message, const std::string& what) {
    return message.find(what) != std::string::npos;
  };
  // Each of 8 devices needs two buffers of 8 MiB.
  auto domain = domainOf({16, 1 << 20}, {}, 0);
  const std::string whole = messageOf([&] { (void)sevens(config, domain); });
  EXPECT_TRUE(says(whole, "a world of 16 x 1048576 places needs")) << whole;
  // A component that streams in place has one buffer until it needs a back buffer.
  auto moving = componentOf(seven, outside);
  moving.storage = mass::detail::Storage::aaInPlace;
  PlaceFields fields(config, domain, {moving});
  const std::string back = messageOf([&] { fields.allocateBackBuffer(0); });
  EXPECT_TRUE(says(back, "needs a second buffer of")) << back;
  const std::string split = messageOf([&] {
    fields.repartition(
        mass::RowPartition::ofBands(std::vector<std::int64_t>{1, 3, 2, 2, 2, 2, 2, 2}));
  });
  EXPECT_TRUE(says(split, "needs a second buffer of")) << split;
}
#endif

// Buffers of several MB whose size is no multiple of a huge page.
TEST(PlaceFields, LargeBuffersOfOddSizes) {
  const auto config = DeviceConfig::cpu(1, 2);
  const auto fields = sevens(config, domainOf({1031, 1033}, {}, 1));
  EXPECT_EQ(mass::testing::stateOf(fields).back(), 7);
}

/// Returns the message of the exception that the creation of a world throws.
template <class Error>
std::string messageOf(const mass::detail::Domain& domain, int devices) {
  const auto config = DeviceConfig::cpu(devices, 1);
  try {
    (void)sevens(config, domain);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(PlaceFields, AWorldBeyondMemoryIsAnErrorThatNamesNeededAndAvailableBytes) {
  constexpr std::int64_t padding = std::int64_t{1} << 26;
  const std::string message = messageOf<mass::DeviceError>(domainOf({padding, padding}, {}, 1), 2);
  EXPECT_NE(message.find("a world of 67108864 x 67108864 places"), std::string::npos) << message;
  EXPECT_NE(message.find(" needs 3602"), std::string::npos)
      << message;  // 8 * 2^52 bytes and ghost rows
  EXPECT_NE(message.find(" bytes are available"), std::string::npos) << message;
  const auto available = message.substr(message.find("bytes, ") + 7);
  EXPECT_GT(std::stoull(available), 1000000U) << message;
  EXPECT_LT(std::stoull(available), std::uint64_t{1} << 50) << message;
}

TEST(PlaceFields, AConstantAttributeIsCountedOnce) {
  const auto config = DeviceConfig::cpu(1, 1);
  auto constant = componentOf(seven, outside);
  constant.storage = mass::detail::Storage::single;
  constexpr std::int64_t padding = std::int64_t{1} << 26;
  try {
    const PlaceFields fields(config, domainOf({padding, padding}, {}, 1), {constant});
    FAIL() << "nothing was thrown";
  } catch (const mass::DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find(" needs 1801"), std::string::npos) << error.what();
  }
}

TEST(PlaceFields, AccessRestoresTheLayoutAfterAnOddNumberOfAaSteps) {
  const auto config = DeviceConfig::cpu(1, 1);
  auto streamed = componentOf(seven, outside);
  streamed.storage = mass::detail::Storage::aaInPlace;
  PlaceFields fields(config, domainOf({4, 4}, {}, 1), {streamed});
  int restored = 0;
  const auto restore = [&](const PlaceFields& swapped) { restored += swapped.isSwapped() ? 1 : 0; };
  fields.addAaSteps(1, {0}, restore);
  fields.addAaSteps(2, {0}, restore);
  EXPECT_EQ(mass::testing::stateOf(fields).back(), 7);
  (void)hashOf(fields);
  EXPECT_EQ(restored, 1);
  fields.addAaSteps(2, {0}, restore);
  fields.refreshPadding(0);
  EXPECT_EQ(restored, 1);
  fields.addAaSteps(3, {0}, restore);
  fields.allocateBackBuffer(0);
  EXPECT_EQ(restored, 2);
}

TEST(PlaceFields, AWorldThatCannotBeCountedIsAUsageError) {
  constexpr std::int64_t padding = std::int64_t{1} << 40;
  EXPECT_NE(messageOf<mass::UsageError>(domainOf({padding, padding}, {}, 1), 1).find("too large"),
            std::string::npos);
}

TEST(PlaceFields, MoreDevicesThanRowsIsAUsageError) {
  EXPECT_NE(messageOf<mass::UsageError>(domainOf({3, 9}, {}, 1), 4).find("3 rows"),
            std::string::npos);
}

}  // namespace
