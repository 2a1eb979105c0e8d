// Program of mpi_ranks_test.py, started by mpirun: mpi_ranks TASK [RANK]. Ends as the programs of
// apps do.

#include <mass/backend/connect_ranks.hpp>
#include <mass/io/print.hpp>
#include <mass/support/hash.hpp>
#include <tests/support/rank_ring.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using mass::Error;
using mass::detail::RankExchange;
using mass::detail::RankReceive;
using mass::detail::Ranks;
using mass::detail::RankSend;
using mass::testing::simulateRing;

/// Timeout in seconds of the task `work`, in which one rank works for longer.
constexpr double workTimeout = 1;
constexpr int failureCode = 2;
/// Bytes of a message on the ring: above the size that MPI libraries send at once.
constexpr std::size_t ringBytes = 1'000'000;

void require(bool condition, std::string_view name) {
  if (!condition) throw Error("{} is wrong", name);
}

/// Collective functions.
void collect(Ranks& ranks, int) {
  const auto n = static_cast<std::uint64_t>(ranks.count());
  const auto number = static_cast<std::uint64_t>(ranks.number());
  for (int round = 0; round < 1000; ++round) require(ranks.sum(number) == n * (n - 1) / 2, "sum");
  require(ranks.any(ranks.number() == ranks.count() - 1) && !ranks.any(false), "any");
  require(ranks.broadcast(std::string(number * 100'000, 'x'), 1).size() == 100'000, "broadcast");
  require(ranks.allGather(std::to_string(number)).back() == std::to_string(n - 1), "allGather");
  require(ranks.countOnHost() == ranks.count(), "number of ranks on the host");

  // More than one piece of 64 MiB a rank.
  const std::size_t part = (std::size_t{70} << 20) + 1;
  std::vector<std::size_t> offsets;
  for (std::size_t rank = 0; rank <= n; ++rank) offsets.push_back(rank * part);
  std::vector<char> data(n * part);
  data[offsets[number]] = data[offsets[number + 1] - 1] = static_cast<char>(number + 1);
  ranks.allGatherInPlace(data.data(), offsets);
  for (std::size_t rank = 0; rank < n; ++rank) {
    require(data[offsets[rank]] == static_cast<char>(rank + 1), "begin of a part");
    require(data[offsets[rank + 1] - 1] == static_cast<char>(rank + 1), "end of a part");
  }
  double value = 1;
  ranks.chain(&value, sizeof(value), [&] { value = value / 3 + ranks.number(); });
  double expected = 1;
  for (int rank = 0; rank < ranks.count(); ++rank) expected = expected / 3 + rank;
  require(value == expected, "chain");
}

/// Prepared exchanges on a ring, of sizes that MPI sends at once or not.
void exchange(Ranks& ranks, int) {
  const int next = (ranks.number() + 1) % ranks.count();
  const int previous = (ranks.number() + ranks.count() - 1) % ranks.count();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, ringBytes}) {
    std::vector<std::uint64_t> sent(size), received(size);
    const std::array receives{RankReceive{previous, received.data(), size * 8}};
    const std::array sends{RankSend{next, sent.data(), size * 8}};
    RankExchange ring(ranks, receives, sends);
    const auto valueOf = [](int rank, std::size_t i, int round) {
      return mass::detail::mix(i + static_cast<std::uint64_t>(rank * 1000 + round));
    };
    for (int round = 0; round < 20; ++round) {
      for (std::size_t i = 0; i < size; ++i) sent[i] = valueOf(ranks.number(), i, round);
      ring.start();
      ring.finish();
      for (std::size_t i = 0; i < size; ++i)
        require(received[i] == valueOf(previous, i, round), "message");
    }
  }
}

/// Calls `action` on one rank in step 15 of a simulation.
void atStep15(Ranks& ranks, int rank, const std::function<void()>& action) {
  simulateRing(ranks, ringBytes, [&](int step) {
    if (step == 15 && ranks.number() == rank) action();
  });
}

void fail(Ranks& ranks, int rank) {
  atStep15(ranks, rank, [] { throw Error("out of memory"); });
}

void failTogether(Ranks& ranks, int) {
  ranks.barrier();
  throw Error("a rule writes too far");
}

void start(Ranks&, int) {}

void stop(Ranks& ranks, int rank) {
  atStep15(ranks, rank, [] { std::raise(SIGSTOP); });
}

void work(Ranks& ranks, int rank) {
  ranks.barrier();
  constexpr std::chrono::duration<double> longTime(2 * workTimeout);
  if (ranks.number() == rank) std::this_thread::sleep_for(longTime);
  ranks.barrier();
}

void kill(Ranks& ranks, int rank) {
  atStep15(ranks, rank, [] { std::raise(SIGKILL); });
}

/// Function that all ranks call, with the timeout of ranks and that of their start in seconds.
struct Task {
  void (*run)(Ranks&, int);
  double timeout = 60, start = 30;
};

int end(Ranks& ranks, const std::function<void(Ranks&)>& task) {
  int code = 0;
  try {
    ranks.introduce();
    task(ranks);
    ranks.barrier();
  } catch (const std::exception& error) {
    code = failureCode;
    if (const auto text = ranks.fail(error.what()))
      mass::detail::printErrorLine("mpi_ranks", *text);
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, Task> tasks = {
      {"collect", {collect}},   {"exchange", {exchange}},
      {"fail", {fail}},         {"failTogether", {failTogether}},
      {"start", {start, 3, 5}}, {"stop", {stop, 3}},
      {"kill", {kill}},         {"work", {work, workTimeout}}};
  const Task task = tasks.at(argc > 1 ? argv[1] : "");
  const int rank = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto launch = mass::detail::launchOf([](const char* name) { return std::getenv(name); });
  try {
    const auto ranks = mass::detail::connectRanks(launch, task.timeout, task.start);
    const auto begin = std::chrono::steady_clock::now();
    const int code = end(*ranks, [&](Ranks& all) { task.run(all, rank); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    mass::printResult(fmt::format("rank {} of {} ended after {:.2f} s with {}\n", ranks->number(),
                                  ranks->count(), seconds.count(), code));
    ranks->disconnect(code);
    return code;
  } catch (const std::exception& error) {
    if (launch.number == 0) mass::detail::printErrorLine("mpi_ranks", error.what());
    return failureCode;
  }
}
