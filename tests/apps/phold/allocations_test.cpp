// The steady state of the engines of scheduled events allocates no memory for events.

#include "../../support/make_mass.hpp"

#include <apps/phold/setup.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

namespace {

std::atomic<std::int64_t> allocations = 0;

[[gnu::noinline]] void* allocate(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (bytes + alignment) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void release(void* memory) {
  std::free(memory);
}

}  // namespace

// Replacements of those of the standard library; the others call these.
void* operator new(std::size_t bytes) {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}

namespace phold {
namespace {

using mass::seconds;

void expectNoAllocations(const std::string& engine, int threads) {
  SCOPED_TRACE(engine + ", threads: " + std::to_string(threads));
  mass::Mass mass = mass::testing::makeMass(1, threads, {}, {"events.engine=" + engine});
  const auto objects = mass.createPlaces<Object>({1000});
  const Parameters parameters{.remote = 0.1, .lookahead = 0.1, .mean = 1};
  objects.lookahead(seconds(parameters.lookahead));
  objects.scheduleAll<&Object::begin>(seconds(0), 16);
  objects.runEvents(seconds(20), parameters);  // to warm up
  const auto during = [&](double time) {
    const std::int64_t before = allocations, events = objects.eventCounts().events;
    objects.runEvents(seconds(time), parameters);
    const std::int64_t made = allocations - before;
    EXPECT_GT(objects.eventCounts().events, events + 10'000 * static_cast<std::int64_t>(time));
    return made;
  };
  // The containers of a call and of its parts, and few that grow for the first time.
  EXPECT_LT(during(1), 1000);
  EXPECT_LT(during(10), 1000);
}

TEST(Phold, EventsOfTheSteadyStateAllocateNothing) {
  for (const std::string engine : {"reference", "time_warp", "conservative"})
    for (int threads = 1; threads <= (engine == "reference" ? 1 : 2); ++threads)
      expectNoAllocations(engine, threads);
}

}  // namespace
}  // namespace phold
