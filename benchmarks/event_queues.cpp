// Hold operations a second of priority queues of events: the first event is removed and another one
// added after an exponential time, as in PHOLD. Queues: the ladder queue of the engines, and heaps
// of two and of four children.
//
//     benchmark_event_queues --benchmark_repetitions=5
#include <benchmarks/event_heap.hpp>
#include <mass/dispatch/schedule/event_queue.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using mass::detail::EventHeap;
using mass::detail::EventPool;
using mass::detail::EventQueue;
using mass::detail::ScheduledEvent;

/// Event with the values of the largest rule of PHOLD, of which one is used.
struct Event {
  ScheduledEvent event;
  std::uint64_t values[2];
};
constexpr std::size_t eventBytes = sizeof(ScheduledEvent) + sizeof(std::uint64_t);

/// Returns exponential times of mean 1.
std::vector<double> delays() {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  std::vector<double> all(1 << 16);
  for (double& each : all) each = -std::log(1 - static_cast<double>(random()) * 0x1p-32);
  return all;
}

template <class Queue>
void hold(benchmark::State& state) {
  const std::vector<double> delay = delays();
  EventPool pool(eventBytes);
  Queue queue(pool);
  std::uint32_t number = 0;
  const auto add = [&](double time) {
    const std::uint32_t place = number * 2654435761U;
    const Event event{{.time = time + delay[number % delay.size()],
                       .place = place,
                       .origin = place,
                       .number = number},
                      {}};
    ++number;
    queue.push(pool.take(event.event));
  };
  const auto one = [&] {
    const std::uint32_t event = queue.first();
    queue.removeFirst();
    if (const std::uint32_t next = queue.upcoming(8); next != ScheduledEvent::none)
      pool.prefetch(next);
    const double time = pool[event].time;
    pool.free(event);
    add(time);
  };
  const auto pending = state.range(0);
  for (std::int64_t i = 0; i < pending; ++i) add(0);
  for (std::int64_t i = 0; i < 3 * pending; ++i) one();
  for (auto _ : state) one();
  state.SetItemsProcessed(state.iterations());
}

void sizes(benchmark::internal::Benchmark* queue) {
  for (const std::int64_t pending : {256, 4096, 65536, 1048576}) queue->Arg(pending);
}

BENCHMARK_TEMPLATE(hold, EventQueue)->Apply(sizes);
BENCHMARK_TEMPLATE(hold, EventHeap<2>)->Apply(sizes);
BENCHMARK_TEMPLATE(hold, EventHeap<4>)->Apply(sizes);

}  // namespace
