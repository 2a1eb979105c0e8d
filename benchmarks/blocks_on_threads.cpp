// lbm in blocks and in bands of rows on ranks that are threads of this process, one device and one
// thread each, whose messages are delayed. benchmarks/block_ratio.py runs it.

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
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// Runs the settings on ranks, and prints the time of a step and the hash at the end.
void run(const std::string& file, const std::vector<std::string>& assignments, int count,
         std::chrono::microseconds delay, std::int64_t steps) {
  mass::testing::ThreadRanks ranks(count, {.shortestDelay = delay, .longestDelay = delay});
  const auto ends = ranks.run([&](mass::detail::Ranks& rank) {
    mass::Settings settings = mass::Settings::load(file, lbm::schema());
    for (const std::string& assignment : assignments) settings.set(assignment);
    mass::Mass mass(settings, std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &rank));
    mass::Run lbm(lbm::program(), mass);
    lbm.step(4);
    rank.barrier();
    const auto start = Clock::now();
    lbm.step(steps);
    const std::chrono::duration<double> time = Clock::now() - start;
    const double slowest = std::ranges::max(rank.allGather(time.count()));
    const std::uint64_t hash = mass.hash();
    if (!rank.isFirst()) return;
    fmt::print("  step        {:.9f} s\n  state hash  {:016x}\n",
               slowest / static_cast<double>(steps), hash);
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
  if (arguments.size() < 4) {
    fmt::print(stderr, "arguments: FILE.yaml ranks delay_in_us steps [key=value...]\n");
    return 2;
  }
  run(arguments[0], {arguments.begin() + 4, arguments.end()}, std::stoi(arguments[1]),
      std::chrono::microseconds(std::stoi(arguments[2])), std::stoll(arguments[3]));
  return 0;
}
