// Processors beside a GPU: heat3d on one rank of each, from a given share of the processors, with
// the time of each between looks of the load balancer (figure 5 of B2R, Liu and Perumalla 2018).
// The ranks are threads of this process. benchmarks/mixed_ranks.py runs it.

#include <apps/heat3d/heat3d.hpp>
#include <tests/support/thread_ranks.hpp>

#include <mass/dispatch/row_costs.hpp>
#include <mass/io/atomic_file.hpp>
#include <mass/io/plot.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// World, and measurement.
struct Options {
  std::array<std::int64_t, 3> shape{8000, 200, 200};
  double share = 0.1;  ///< share of the processors in the rows at first
  int threads = 15;    ///< threads of the rank of processors
  int looks = 10;
  double seconds = 1;  ///< time between looks
  std::filesystem::path folder{"."};
};

/// Times between two looks.
struct Look {
  std::int64_t cpuRows = 0;
  double gpu = 0, cpu = 0;  ///< compute time of a step in seconds
  double step = 0;          ///< time of a step in seconds, with exchanges
};

/// Times of an order of accuracy.
struct Result {
  int order = 0;
  double alone = 0;  ///< time of a step of the GPU alone, in seconds
  std::vector<Look> looks{};
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

mass::Settings settingsOf(const std::string& backend, int threads) {
  mass::Settings settings;
  settings.set("backend=" + backend);
  settings.set(fmt::format("threads={}", threads));
  return settings;
}

/// Block of order `order` in a Mass.
template <int order>
class Block {
 public:
  Block(mass::Mass& mass, const Options& options)
      : mass_(&mass),
        places_(mass.createPlaces<Heat>({options.shape[0], options.shape[1], options.shape[2]},
                                        mass::borders<Heat>(mass::Border::mirrored))) {
    places_.template callAll<&Heat::heatBall>(20.0, 400.F);
  }
  /// Makes some steps. @return mean time of one
  double step(std::int64_t count) const {
    const auto start = Clock::now();
    places_.template callAll<&Heat::diffuse>(mass::steps(count),
                                             static_cast<float>(0.9 * heat3d::largestRate(order)));
    return secondsSince(start) / static_cast<double>(count);
  }
  /// Returns the number of steps that take a time on the slowest rank; all ranks call it together.
  std::int64_t stepsWithin(double seconds) const {
    (void)step(4);  // selects launch shapes
    const double slowest = std::ranges::max(mass_->devices().ranks().allGather(step(4)));
    return std::max<std::int64_t>(static_cast<std::int64_t>(seconds / slowest), 4);
  }

 private:
  using Heat = heat3d::Heat<float, order>;
  mass::Mass* mass_;
  mass::Places<Heat> places_;
};

template <int order>
double secondsAlone(const Options& options) {
  mass::Mass mass(settingsOf("cuda", 1));
  const Block<order> block(mass, options);
  const std::int64_t steps = block.stepsWithin(options.seconds);
  return std::min(block.step(steps), block.step(steps));
}

template <int order>
Result measure(const Options& options) {
  Result result{order, secondsAlone<order>(options)};
  mass::testing::ThreadRanks ranks(2, {});
  const auto ends = ranks.run([&](mass::detail::Ranks& rank) {
    mass::Settings settings = settingsOf(rank.isFirst() ? "cuda" : "cpu", options.threads);
    settings.set(fmt::format("weights=[{}, {}]", 1 - options.share, options.share));
    mass::Mass mass(settings, std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &rank));
    const Block<order> block(mass, options);
    const std::int64_t steps = block.stepsWithin(options.seconds);
    (void)mass.rebalance(mass::Balance::time, 0);  // begins the measurement
    for (int look = 0; look < options.looks; ++look) {
      Look now;
      (void)block.step(1);  // selects a launch shape for other rows
      now.step = std::ranges::max(rank.allGather(block.step(steps)));
      const mass::detail::PlacesState& places = mass.places().front().population();
      const auto seconds = secondsByDevice(mass.devices(), *places.times);
      now.gpu = seconds[0] / static_cast<double>(steps + 1);
      now.cpu = seconds[1] / static_cast<double>(steps + 1);
      now.cpuRows = mass.rebalance(mass::Balance::time, 0).front().before[1];
      if (rank.isFirst()) result.looks.push_back(now);
    }
  });
  for (const auto& end : ends) {
    if (end.error.empty()) continue;
    fmt::print(stderr, "{}\n", end.error);
    std::exit(1);
  }
  return result;
}

std::string jsonOf(const Options& options, const std::vector<Result>& results) {
  std::string text = fmt::format(
      R"({{"shape": [{}, {}, {}], "share": {}, "threads": {}, "orders": [)", options.shape[0],
      options.shape[1], options.shape[2], options.share, options.threads);
  for (const Result& result : results) {
    text += fmt::format(R"({}{{"order": {}, "gpu_alone": {:.6g}, "looks": [)",
                        &result == results.data() ? "" : ", ", result.order, result.alone);
    for (const Look& look : result.looks)
      text += fmt::format(R"({}{{"cpu_rows": {}, "gpu": {:.6g}, "cpu": {:.6g}, "step": {:.6g}}})",
                          &look == result.looks.data() ? "" : ", ", look.cpuRows, look.gpu,
                          look.cpu, look.step);
    text += "]}";
  }
  return text + "]}\n";
}

void write(const Options& options, const std::vector<Result>& results) {
  mass::detail::Plot plot{
      "Time of a step on processors minus that on the GPU, over their mean", "look", {}, {}};
  for (int look = 0; look < options.looks; ++look) plot.x.push_back(look);
  for (const Result& result : results) {
    auto& line = plot.lines.emplace_back();
    line.name = fmt::format("order {}", result.order);
    for (const Look& look : result.looks)
      line.values.push_back(look.cpuRows > 0 ? 2 * (look.cpu - look.gpu) / (look.cpu + look.gpu)
                                             : std::numeric_limits<double>::quiet_NaN());
  }
  std::filesystem::create_directories(options.folder);
  mass::detail::writePlot(plot, options.folder / "mixed_ranks");
  mass::detail::writeAtomically(options.folder / "mixed_ranks.json", jsonOf(options, results));
}

void print(const Result& result) {
  fmt::print("order {}: {:.3f} ms a step on the GPU alone\n", result.order, result.alone * 1e3);
  fmt::print("{:>6}{:>10}{:>10}{:>10}{:>12}{:>12}{:>14}\n", "look", "CPU rows", "GPU, ms",
             "CPU, ms", "difference", "step, ms", "of GPU alone");
  for (std::size_t i = 0; i < result.looks.size(); ++i) {
    const Look& look = result.looks[i];
    fmt::print("{:6}{:10}{:10.3f}{:10.3f}{:10.1f} %{:12.3f}{:14.3f}\n", i, look.cpuRows,
               look.gpu * 1e3, look.cpu * 1e3, 200 * (look.cpu - look.gpu) / (look.cpu + look.gpu),
               look.step * 1e3, look.step / result.alone);
  }
  std::fflush(stdout);
}

/// @param arguments rows, lines, columns, share, threads, looks, seconds, folder
Options optionsOf(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t axis = 0; axis < 3; ++axis) options.shape[axis] = std::stoll(arguments.at(axis));
  options.share = std::stod(arguments.at(3));
  options.threads = std::stoi(arguments.at(4));
  options.looks = std::stoi(arguments.at(5));
  options.seconds = std::stod(arguments.at(6));
  options.folder = arguments.at(7);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 8) {
    fmt::print(stderr, "arguments: rows lines columns share threads looks seconds folder\n");
    return 2;
  }
  const Options options = optionsOf(arguments);
  std::vector<Result> results;
  for (Result (*const each)(const Options&) : {measure<2>, measure<4>, measure<6>, measure<8>}) {
    results.push_back(each(options));
    print(results.back());
  }
  write(options, results);
  return 0;
}
