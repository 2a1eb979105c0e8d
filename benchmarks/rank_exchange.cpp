// Time of an exchange with both neighbours on a ring of two ranks: RankExchange beside a bare MPI
// halo of the same bytes. Needs a build with MASS_MPI, and prints JSON:
//   mpirun -n 2 BUILD/benchmarks/benchmark_rank_exchange > benchmarks/results/rank_exchange.json

#include <mass/backend/connect_ranks.hpp>
#include <mass/backend/mpi/mpi_link.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

using mass::detail::RankExchange;
using mass::detail::RankReceive;
using mass::detail::Ranks;
using mass::detail::RankSend;

constexpr int repetitions = 101;
/// Bytes that a rank sends to one neighbour in one repetition.
constexpr std::size_t bytesPerRepetition = std::size_t{16} << 20;

/// Buffers of a rank for its two neighbours, which are the same rank.
struct Halo {
  explicit Halo(std::size_t bytes) : up(bytes), down(bytes), above(bytes), below(bytes) {}
  std::vector<char> up, down, above, below;
};

void exchangeBare(Halo& halo, int other) {
  const int bytes = static_cast<int>(halo.up.size());
  std::array<MPI_Request, 4> requests;
  const auto receive = [&](std::vector<char>& data, int tag, MPI_Request& request) {
    MPI_Irecv(data.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
  };
  const auto send = [&](const std::vector<char>& data, int tag, MPI_Request& request) {
    MPI_Isend(data.data(), bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
  };
  receive(halo.above, 1, requests[0]);
  receive(halo.below, 2, requests[1]);
  send(halo.down, 1, requests[2]);
  send(halo.up, 2, requests[3]);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
}

/// Returns the microseconds of one of `steps` calls.
double measure(int steps, const std::function<void()>& step) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  return time.count() / steps;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Measures both by turns. @return an object of JSON
std::string compare(Ranks& ranks, std::size_t bytes) {
  const int other = 1 - ranks.number();
  Halo halo(bytes);
  const std::array receives{RankReceive{other, halo.above.data(), bytes},
                            RankReceive{other, halo.below.data(), bytes}};
  const std::array sends{RankSend{other, halo.down.data(), bytes},
                         RankSend{other, halo.up.data(), bytes}};
  RankExchange exchange(ranks, receives, sends);
  const int steps = static_cast<int>(bytesPerRepetition / bytes);
  std::vector<double> bare, own;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    bare.push_back(measure(steps, [&] { exchangeBare(halo, other); }));
    own.push_back(measure(steps, [&] {
      exchange.start();
      exchange.finish();
    }));
  }
  return fmt::format(
      R"(    {{"bytes": {}, "bare MPI us": {:.2f}, "RankExchange us": {:.2f}, "ratio": {:.3f}}})",
      bytes, median(bare), median(own), median(own) / median(bare));
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

int run() {
  const auto ranks = mass::detail::connectRanks(
      mass::detail::launchOf([](const char* name) { return std::getenv(name); }));
  if (ranks->count() != 2) throw mass::Error("the benchmark needs 2 ranks, not {}", ranks->count());
  std::vector<std::string> results;
  for (const std::size_t kibibytes : {4UL, 64UL, 1024UL})
    results.push_back(compare(*ranks, kibibytes << 10));
  if (ranks->isFirst()) {
    fmt::print(
        "{{\n  \"processor\": \"{}\",\n  \"library\": \"{}\",\n  \"repetitions\": {},\n"
        "  \"medians\": [\n{}\n  ]\n}}\n",
        processor(), mass::detail::MpiLink::library(), repetitions, fmt::join(results, ",\n"));
    std::fflush(stdout);
  }
  ranks->barrier();
  ranks->disconnect(0);
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank_exchange: {}\n", error.what());
    return 2;
  }
}
