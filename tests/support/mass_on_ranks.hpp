#pragma once

#include "make_mass.hpp"
#include "thread_ranks.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass::testing {

/// Devices of a model test, of testBackend().
struct RankSetup {
  std::vector<int> devices{1};      ///< number of devices of each rank
  int threads = 0;                  ///< host threads of each rank; 0: one for each device
  std::vector<double> weights{};    ///< share of each device of all ranks; empty: equal
  std::vector<std::string> more{};  ///< further settings, as "seed=3"
  ThreadRankOptions network{};      ///< network of the ranks

  /// Returns the number of devices of all ranks.
  int deviceCount() const {
    int count = 0;
    for (const int here : devices) count += here;
    return count;
  }
  /// Returns a description for the messages of failed tests.
  std::string text() const {
    return fmt::format("devices by rank: {}; threads: {}; weights: {}", fmt::join(devices, " "),
                       threads, fmt::join(weights, " "));
  }
};

/// Returns the Mass of a rank, with the settings of makeMass(). All ranks call it together.
/// @param ranks outlives the Mass
inline Mass makeMass(detail::Ranks& ranks, const RankSetup& setup) {
  const int devices = setup.devices[static_cast<std::size_t>(ranks.number())];
  Settings settings;
  settings.set("backend=" + testBackend());
  settings.set(fmt::format("devices={}", devices));
  settings.set(fmt::format("threads={}", setup.threads == 0 ? devices : setup.threads));
  settings.set(fmt::format("weights=[{}]", fmt::join(setup.weights, ", ")));
  settings.set("MAX_PLACE_EXCHANGE=8");
  settings.set("MAX_AGENT_TRAVEL=3");
  for (const std::string& assignment : setup.more) settings.set(assignment);
  return {settings, std::shared_ptr<detail::Ranks>(std::shared_ptr<void>(), &ranks)};
}

/// Calls `test(mass)` on each rank, with the Mass of the rank. Fails the test if a rank fails.
inline void onRanks(const RankSetup& setup, const std::function<void(Mass&)>& test) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, setup.text());
  if (!haveDevices(setup.deviceCount())) GTEST_SKIP() << "there are fewer GPUs";
  if (setup.devices.size() == 1) {
    Mass mass = makeMass(setup.devices[0], setup.threads, setup.weights, setup.more);
    return test(mass);
  }
  runOnThreadRanks(
      static_cast<int>(setup.devices.size()),
      [&](detail::Ranks& ranks) {
        // Traces belong to threads.
        const ::testing::ScopedTrace rankTrace(
            __FILE__, __LINE__, fmt::format("rank {}; {}", ranks.number(), setup.text()));
        Mass mass = makeMass(ranks, setup);
        test(mass);
      },
      setup.network);
}

/// Hashes of the results of a model, by name, in the order in which they were added.
class Record {
 public:
  /// Adds a value, or a std::vector of values, without padding between members.
  template <class T>
  void add(std::string name, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(std::move(name), std::vector<T>{value});
  }
  template <class T>
  void add(std::string name, const std::vector<T>& values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    const auto* const bytes = reinterpret_cast<const char*>(values.data());
    hashes_.emplace_back(std::move(name),
                         detail::hashBytes(bytes, values.size() * sizeof(T), values.size()));
  }
  void add(std::string name, const std::vector<bool>& values) {
    add(std::move(name), std::vector<char>(values.begin(), values.end()));
  }
  /// Succeeds if both have the same results.
  friend ::testing::AssertionResult areEqual(const Record& record, const Record& expected) {
    for (std::size_t i = 0; i < expected.hashes_.size(); ++i) {
      if (i < record.hashes_.size() && record.hashes_[i] == expected.hashes_[i]) continue;
      return ::testing::AssertionFailure() << "result " << i << " of " << expected.hashes_.size()
                                           << ", '" << expected.hashes_[i].first << "', differs";
    }
    return record.hashes_.size() == expected.hashes_.size()
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "too many results";
  }

 private:
  std::vector<std::pair<std::string, std::uint64_t>> hashes_;
};

/// Function that runs a model and records its results.
using RecordedModel = std::function<void(Mass&, Record&)>;

/// Runs a model on ranks. Fails the test unless all ranks record the same results.
/// @return the record of rank 0
inline Record recordOnRanks(const RankSetup& setup, const RecordedModel& model) {
  std::vector<Record> records(setup.devices.size());
  onRanks(setup, [&](Mass& mass) {
    Record record;
    model(mass, record);
    records[static_cast<std::size_t>(mass.devices().ranks().number())] = std::move(record);
  });
  for (std::size_t rank = 1; rank < records.size(); ++rank)
    EXPECT_TRUE(areEqual(records[rank], records[0])) << "rank " << rank << "; " << setup.text();
  return records[0];
}

/// Expects that a model has the results of one device on other ranks and devices too.
inline void expectSameOnRanks(const std::vector<RankSetup>& setups, const RecordedModel& model) {
  for (const RankSetup& setup : setups) {
    if (!haveDevices(setup.deviceCount())) continue;
    RankSetup alone;
    alone.more = setup.more;
    const Record expected = recordOnRanks(alone, model);
    EXPECT_TRUE(areEqual(recordOnRanks(setup, model), expected)) << setup.text();
  }
}

/// Ranks with equal and different numbers of devices, one and several threads, weights, and
/// messages that arrive late.
inline std::vector<RankSetup> usualRanks() {
  std::vector<RankSetup> setups{{.devices = {1, 1}, .threads = 2},
                                {.devices = {1, 3, 2}, .threads = 3},
                                {.devices = {2, 1, 1, 1}, .weights = {1, 4, 0.5, 2, 1}}};
  setups[1].network.longestDelay = std::chrono::microseconds(200);
  return setups;
}

}  // namespace mass::testing
