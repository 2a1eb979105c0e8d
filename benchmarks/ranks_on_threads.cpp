// heat3d or lbm on ranks that are threads of this process, one device and one thread each, whose
// messages are delayed. benchmarks/block_ratio.py and benchmarks/predictions.py run it.

#include <apps/heat3d/setup.hpp>
#include <apps/lbm/setup.hpp>
#include <tests/support/thread_ranks.hpp>

#include <mass/mass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Work {
  mass::Program program;
  std::string file;
  std::vector<std::string> assignments;
  bool isAlone;  ///< each rank has a world of its own, without messages
  std::int64_t steps;
};

/// Returns the seconds of a step of the slowest rank, and the hash of the state.
std::pair<double, std::uint64_t> measure(const Work& work, mass::detail::Ranks& rank) {
  mass::Settings settings = mass::Settings::load(work.file, work.program.schema);
  for (const std::string& assignment : work.assignments) settings.set(assignment);
  const auto ranks = work.isAlone
                         ? std::make_shared<mass::detail::Ranks>()
                         : std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &rank);
  mass::Mass mass(settings, ranks);
  mass::Run run(work.program, mass);
  run.step(std::min<std::int64_t>(work.steps, 64));
  rank.barrier();
  const auto start = Clock::now();
  run.step(work.steps);
  const std::chrono::duration<double> time = Clock::now() - start;
  const double slowest = std::ranges::max(rank.allGather(time.count()));
  return {slowest / static_cast<double>(work.steps), mass.hash()};
}

void run(const Work& work, int count, std::chrono::microseconds delay) {
  mass::testing::ThreadRanks ranks(count, {.shortestDelay = delay, .longestDelay = delay});
  const auto ends = ranks.run([&](mass::detail::Ranks& rank) {
    const auto [seconds, hash] = measure(work, rank);
    if (!rank.isFirst()) return;
    fmt::print("  step        {:.9f} s\n  state hash  {:016x}\n", seconds, hash);
    std::fflush(stdout);
  });
  for (const auto& end : ends) {
    if (end.error.empty()) continue;
    fmt::print(stderr, "{}\n", end.error);
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 5) {
    fmt::print(stderr,
               "arguments: heat3d|lbm FILE.yaml ranks delay_in_us|alone steps [key=value...]\n");
    return 2;
  }
  const bool isAlone = arguments[3] == "alone";
  const std::chrono::microseconds delay(isAlone ? 0 : std::stoi(arguments[3]));
  run({.program = arguments[0] == "lbm" ? lbm::program() : heat3d::program(),
       .file = arguments[1],
       .assignments = {arguments.begin() + 5, arguments.end()},
       .isAlone = isAlone,
       .steps = std::stoll(arguments[4])},
      std::stoi(arguments[2]), delay);
  return 0;
}
