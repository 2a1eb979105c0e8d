#include <mass/dispatch/gpu_executor.hpp>

#include "../../support/temporary_folder.hpp"

#include <mass/backend/gpus.hpp>
#include <mass/exchange/cuda/halo_transports.hpp>
#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using mass::Mass;
using mass::steps;
using mass::testing::TemporaryFolder;

Mass makeMass(const std::string& backend, int devices, const std::string& exchange = "auto") {
  mass::Settings settings;
  settings.set("backend=" + backend);
  settings.set(fmt::format("devices={}", devices));
  settings.set("exchange=" + exchange);
  if (backend == "cpu") settings.set("threads=0");
  return Mass(settings);
}

class Cell : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  std::uint8_t value = 0;
  float warmth = 0;
  using Attributes = mass::Attributes<&Cell::value, &Cell::warmth>;

  MASS_FN void mix(const mass::Neighborhood<Cell>& near) {
    unsigned sum = near.random()() & 3U;
    for (const auto& offset : mass::moore<2>) sum = sum * 5 + near(offset).value;
    value = static_cast<std::uint8_t>(sum);
    warmth = 0.25F * (near({-1, 0}).warmth + near({1, 0}).warmth) + static_cast<float>(sum % 9);
  }
  /// Rule with a mistake that ends the kernel, on the GPU that owns the last row.
  MASS_FN void breakDown(const mass::Neighborhood<Cell>& near, std::int64_t row,
                         std::uint64_t step) {
    value = static_cast<std::uint8_t>(near({-1, 0}).value + near({1, 0}).value);
#ifdef __CUDA_ARCH__
    if (near.coordinates()[0] == row && near.step() == step) __trap();
#else
    (void)row;
    (void)step;
#endif
  }
};

/// Agents with the same kind of mistake.
class Walker : public mass::Agent<Cell> {
 public:
  std::uint32_t met = 0;
  using Attributes = mass::Attributes<&Walker::met>;

  MASS_FN void walk(const mass::Neighborhood<Cell>& near, mass::Intent<Walker>& intent,
                    std::int64_t row, std::uint64_t step) {
    met += near({1, 0}).value;
    intent.move({1, 0});
#ifdef __CUDA_ARCH__
    if (near.coordinates()[0] == row && near.step() == step) __trap();
#else
    (void)row;
    (void)step;
#endif
  }
};

/// Places of one byte, of which a GPU holds more than 10^9.
class Small : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  std::uint8_t value = 0;
  using Attributes = mass::Attributes<&Small::value>;

  MASS_FN void mix(const mass::Neighborhood<Small>& near) {
    value = static_cast<std::uint8_t>(near({-1, 0}).value * 3 + near({1, 1}).value + value + 1);
  }
};

/// Class without writable attributes.
class Rock : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  float height = 1;
  using Attributes = mass::Attributes<mass::constant<&Rock::height>>;

  MASS_FN void look(const mass::Neighborhood<Rock>& near) { (void)near(1, 1).height; }
  MASS_FN float slope(const mass::Neighborhood<Rock>& near) const {
    return near(1, 0).height - height;
  }
};

/// Class without attributes.
class Bare : public mass::Place<2> {
 public:
  static constexpr int reach = 1;
  using Attributes = mass::Attributes<>;

  MASS_FN void look(const mass::Neighborhood<Bare>& near) { (void)near(1, 1); }
  MASS_FN std::int64_t number(const mass::Here<2>& here) const { return here.index(); }
};

class GpuRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() == 0) GTEST_SKIP() << mass::detail::noGpuReason();
  }
};

std::vector<int> deviceCounts() {
  std::vector<int> counts;
  for (const int count : {1, 2, 3, 4, 8}) {
    if (count <= mass::detail::usableGpus()) counts.push_back(count);
  }
  return counts;
}

mass::Places<Cell> makeCells(Mass& mass) {
  return mass.createPlaces<Cell>({101, 67});
}

TEST_F(GpuRuns, CheckpointsGoOnOnOtherDevices) {
  TemporaryFolder folder;
  Mass whole = makeMass("cpu", 1);
  auto wholeCells = makeCells(whole);
  wholeCells.callAll<&Cell::mix>(steps(70));
  const std::uint64_t expected = whole.hash();

  std::vector<std::pair<std::string, int>> machines{{"cpu", 1}, {"cpu", 3}};
  for (const int count : deviceCounts()) machines.emplace_back("cuda", count);
  for (const auto& [backend, devices] : machines) {
    const auto file = folder / fmt::format("{}{}.h5", backend, devices);
    Mass before = makeMass(backend, devices);
    auto cells = makeCells(before);
    cells.callAll<&Cell::mix>(steps(33));
    before.saveCheckpoint(file, "cells", {});
    for (const auto& [otherBackend, otherDevices] : machines) {
      Mass after = makeMass(otherBackend, otherDevices);
      auto restored = makeCells(after);
      (void)after.restoreCheckpoint(file, "cells");
      restored.callAll<&Cell::mix>(steps(37));
      EXPECT_EQ(after.hash(), expected)
          << backend << devices << " -> " << otherBackend << otherDevices;
    }
  }
}

TEST_F(GpuRuns, ARuleWithNothingToWriteChangesNothing) {
  for (const int count : deviceCounts()) {
    Mass mass = makeMass("cuda", count);
    auto rocks = mass.createPlaces<Rock>({16, 16});
    rocks.initialise<&Rock::height>([](const auto& at) { return static_cast<float>(at[0]); });
    const std::uint64_t before = mass.hash();
    rocks.callAll<&Rock::look>(steps(5));
    EXPECT_EQ(mass.hash(), before);
    EXPECT_EQ(rocks.reduce<&Rock::slope>(mass::maximum), 1) << "ghosts are up to date";
    auto bare = mass.createPlaces<Bare>({16, 16});
    bare.callAll<&Bare::look>();
    EXPECT_EQ(bare.reduce<&Bare::number>(mass::maximum), 255);
  }
}

/// Runs a model on all GPUs, of which the last one fails. Exits with 3 and a message if the failure
/// is reported, after all objects were destroyed.
template <class F>
void runIntoFailure(const std::string& exchange, F&& model) {
  try {
    Mass mass = makeMass("cuda", mass::detail::usableGpus(), exchange);
    auto cells = makeCells(mass);
    model(mass, cells);
  } catch (const mass::DeviceError& error) {
    fmt::print(stderr, "reported: {}\n", error.what());
    std::fflush(stderr);
    std::exit(3);
  }
}

/// Expects a report of the failure within 30 seconds.
template <class F>
void expectReport(const std::string& exchange, F&& model) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EXIT(runIntoFailure(exchange, model), ::testing::ExitedWithCode(3), "reported: .*")
      << exchange;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_LT(time.count(), 30) << exchange;
}

TEST_F(GpuRuns, AGpuThatFailsIsReportedAndNobodyWaitsForIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<std::string> exchanges{"store", "copy", "host", "auto"};
  if (mass::detail::ncclUnavailableReason().empty()) exchanges.emplace_back("nccl");
  for (const std::string& exchange : exchanges) {
    for (const std::uint64_t step : {0, 57}) {
      expectReport(exchange, [step](Mass&, mass::Places<Cell>& cells) {
        // More steps than the driver queues without blocking.
        cells.callAll<&Cell::breakDown>(steps(5000), std::int64_t{100}, step);
        cells.callAll<&Cell::mix>();
      });
    }
  }
}

TEST_F(GpuRuns, AGpuThatFailsInARuleOfAgentsIsReportedAndNobodyWaitsForIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const std::uint64_t step : {0, 6}) {  // a rule, manageAll
    expectReport("auto", [step](Mass& mass, mass::Places<Cell>& cells) {
      auto walkers = mass.createAgents<Walker>(cells, [](const auto&) { return 1; });
      for (int i = 0; i < 10; ++i) {
        walkers.callAll<&Walker::walk>(std::int64_t{100}, step);
        walkers.manageAll();
      }
      (void)walkers.size();
    });
  }
}

TEST_F(GpuRuns, RowsThatAreTooLongAreRefused) {
  Mass mass = makeMass("cuda", 1);
  EXPECT_THROW(mass.createPlaces<Small>({1, std::int64_t{1} << 30}), mass::UsageError);
}

/// Slow on few cores, and needs 11 GB: enabled by MASS_LARGE_TESTS=1.
TEST_F(GpuRuns, ADeviceMayHoldMoreThan2To31Places) {
  if (std::getenv("MASS_LARGE_TESTS") == nullptr) GTEST_SKIP() << "MASS_LARGE_TESTS is not set";
  const auto hashOf = [](const std::string& backend, const mass::Shape<2>& shape) {
    Mass mass = makeMass(backend, 1);
    auto places = mass.createPlaces<Small>(shape);
    places.initialise<&Small::value>([](const auto& at) {
      return static_cast<std::uint8_t>((at[0] * 7919 + at[1] * 104729) >> 5);
    });
    places.callAll<&Small::mix>(steps(3));
    return mass.hash();
  };
  // Many rows, and rows so long that the offsets in a block of threads exceed 32 bits.
  for (const auto& shape : {mass::Shape<2>{40009, 65537}, mass::Shape<2>{67, 40000003}}) {
    EXPECT_EQ(hashOf("cuda", shape), hashOf("cpu", shape)) << shape[1] << " columns";
  }
}

}  // namespace
