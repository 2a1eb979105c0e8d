#include <mass/memory/agent_fields.hpp>

#include "../../support/little_memory.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/test_fields.hpp"

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace mass {
namespace {

/// Device whose memory is exhausted after `left` allocations.
class ScarceDevice : public detail::CpuDevice {
 public:
  ScarceDevice() : detail::CpuDevice(0) {}
  void* allocate(std::size_t bytes) override {
    if (left-- <= 0) throw DeviceError("memory is exhausted");
    return detail::CpuDevice::allocate(bytes);
  }
  int left = 1000;
};

detail::AgentTraits traitsOfLambs() {
  detail::AgentTraits traits;
  traits.name = "Lamb";
  traits.components.push_back({.elementSize = 8});
  traits.components.push_back({.elementSize = 1});
  traits.offspring = 2;
  return traits;
}

detail::AgentBand bandOn(detail::Device& device) {
  return {device, traitsOfLambs(), detail::BinIndexing{.rows = 4, .columns = 5}, {20}};
}

TEST(AgentBand, GrowsByHalfOrToWhatIsNeeded) {
  detail::CpuDevice device(0);
  detail::AgentBand band = bandOn(device);
  EXPECT_EQ(band.capacity(), 0);
  band.reserve(100);
  EXPECT_EQ(band.capacity(), 100);
  const std::size_t before = band.bytes();
  band.reserve(100);
  EXPECT_EQ(band.bytes(), before);
  band.reserve(101);
  EXPECT_EQ(band.capacity(), 150);
  EXPECT_EQ(band.bytes() - before, 50U * (42 + 2 * 9 + 2 * (8 + 9)));
  band.reserve(1000);
  EXPECT_EQ(band.capacity(), 1000);
}

TEST(AgentBand, RefusesMoreAgentsThanItNumbers) {
  detail::CpuDevice device(0);
  detail::AgentBand band = bandOn(device);
  EXPECT_THROW(band.reserve(detail::AgentBand::maxAgents + 1), DeviceError);
  EXPECT_EQ(band.capacity(), 0);
}

/// Checks reserve() with a failure at each allocation, and a swap of the double buffers in between.
TEST(AgentBand, KeepsItsCapacityIfMemoryIsExhausted) {
  int failures = 0;
  for (bool failed = true; failed; ++failures) {
    ScarceDevice device;
    detail::AgentBand band = bandOn(device);
    band.reserve(100);
    band.own = 100;
    device.left = failures;
    try {
      band.reserve(200);
      failed = false;
    } catch (const DeviceError&) {
      EXPECT_EQ(band.capacity(), 100) << failures;
      std::swap(band.ids, band.nextIds);  // a manageAll() without new memory does this
      EXPECT_EQ(band.capacity(), 100) << failures;
      device.left = 1000;
      band.reserve(200);
    }
    EXPECT_EQ(band.capacity(), 200);
    for (const auto* ids : {&band.ids, &band.nextIds}) EXPECT_EQ(ids->capacity(), 200);
    for (const auto* bins : {&band.bin, &band.nextBin}) EXPECT_EQ(bins->capacity(), 200);
  }
  EXPECT_GT(failures, 10);
}

TEST(AgentFields, RefuseMoreAgentsThanDevicesNumberBeforeThereAreAny) {
  const auto devices = detail::DeviceConfig::cpu(2, 2);
  const detail::PlaceFields places(devices, testing::domainOf({4, 5}, {}, 0),
                                   {testing::componentOf(0, 0)});
  const detail::AgentFields lambs(places, traitsOfLambs());
  lambs.requireCapacity(1000);
  EXPECT_TRUE(testing::contains(
      testing::messageOf<DeviceError>(
          [&] { lambs.requireCapacity(2 * detail::AgentBand::maxAgents + 1); }),
      "4294967293 agents of class Lamb are more than the 4294967292 that 2 devices can number"));
}

// Sanitizers reserve terabytes of addresses.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(AgentFields, RefuseMoreAgentsThanMemoryHoldsBeforeThereAreAny) {
  const auto devices = detail::DeviceConfig::cpu(2, 2);
  const detail::PlaceFields places(devices, testing::domainOf({4, 5}, {}, 0),
                                   {testing::componentOf(0, 0)});
  const detail::AgentFields lambs(places, traitsOfLambs());
  const testing::LittleMemory little(std::size_t{64} << 20);
  EXPECT_TRUE(
      testing::contains(testing::messageOf<DeviceError>([&] { lambs.requireCapacity(1'000'000); }),
                        "1000000 agents of class Lamb need 94000000 bytes, "));
}
#endif

}  // namespace
}  // namespace mass
