// Time and memory of a checkpoint and of a restart from it, on the ranks that mpirun starts or in
// one process. Needs a build with MASS_MPI, prints an object of JSON, and leaves the file:
//   mpirun -n 4 BUILD/benchmarks/benchmark_rank_checkpoint places|agents MEBIBYTES FILE
// benchmarks/rank_checkpoint.py compares ranks with one process.

#include <mass/backend/connect_ranks.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using mass::detail::Ranks;

constexpr std::int64_t columns = 4096;

class Cell : public mass::Place<2> {
 public:
  double value = 0;
  using Attributes = mass::Attributes<&Cell::value>;

  MASS_FN void set(const mass::Here<2>& here) { value = static_cast<double>(here.index()); }
};

/// Agent of 64 bytes in a checkpoint, with its identity and place.
class Walker : public mass::Agent<Cell> {
 public:
  double state[6] = {1, 2, 3, 4, 5, 6};
  using Attributes = mass::Attributes<&Walker::state>;
};

/// Returns a line of /proc/self/status in MiB.
double mebibytesOf(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1)) / 1024;
  }
  throw mass::Error("/proc/self/status has no {}", key);
}

/// Time and memory of a call.
struct Cost {
  double seconds = 0;
  double mebibytes = 0;        ///< growth of the resident memory of rank 0 at its peak
  double mebibytesOthers = 0;  ///< the largest growth on another rank
};

/// Measures a call of all ranks.
Cost measure(Ranks& ranks, const std::function<void()>& call) {
  std::ofstream("/proc/self/clear_refs") << 5;  // VmHWM becomes the present size
  const double before = mebibytesOf("VmRSS");
  ranks.barrier();
  const auto begin = std::chrono::steady_clock::now();
  call();
  ranks.barrier();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const std::vector<double> growth = ranks.allGather(mebibytesOf("VmHWM") - before);
  Cost cost{time.count(), growth[0]};
  for (std::size_t rank = 1; rank < growth.size(); ++rank)
    cost.mebibytesOthers = std::max(cost.mebibytesOthers, growth[rank]);
  return cost;
}

std::string textOf(const Cost& cost) {
  return fmt::format(R"({{"s": {:.3f}, "MiB": {:.1f}, "MiB others": {:.1f}}})", cost.seconds,
                     cost.mebibytes, cost.mebibytesOthers);
}

/// Creates a world whose checkpoint has that many bytes.
void fill(mass::Mass& mass, bool hasAgents, std::int64_t bytes) {
  if (hasAgents) {
    const auto cells = mass.createPlaces<Cell>({1024, columns / 16});
    (void)mass.createAgents<Walker>(cells, bytes / 64, "walkers");
  } else {
    const auto bytesOfRow = columns * static_cast<std::int64_t>(sizeof(double));
    mass.createPlaces<Cell>({bytes / bytesOfRow, columns}).callAll<&Cell::set>();
  }
}

int run(const std::string& kind, std::int64_t bytes, const std::filesystem::path& file) {
  const std::shared_ptr<Ranks> ranks = mass::detail::connectRanks(
      mass::detail::launchOf([](const char* name) { return std::getenv(name); }));
  {
    mass::Settings settings;
    settings.set("backend=cpu");
    settings.set("threads=1");
    mass::Mass mass(settings, ranks);
    fill(mass, kind == "agents", bytes);
    const Cost save = measure(*ranks, [&] { mass.saveCheckpoint(file, "benchmark"); });
    const Cost restore = measure(*ranks, [&] { mass.restoreCheckpoint(file, "benchmark"); });
    if (ranks->isFirst()) {
      fmt::print(R"({{"ranks": {}, "file bytes": {}, "save": {}, "restore": {}}})"
                 "\n",
                 ranks->count(), std::filesystem::file_size(file), textOf(save), textOf(restore));
      std::fflush(stdout);
    }
  }
  ranks->barrier();
  ranks->disconnect(0);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 4) throw mass::Error("usage: rank_checkpoint places|agents MEBIBYTES FILE");
    return run(arguments[1], std::stoll(arguments[2]) << 20, arguments[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank_checkpoint: {}\n", error.what());
    return 2;
  }
}
