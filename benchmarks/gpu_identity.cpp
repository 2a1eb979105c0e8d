// Time of a step in which each agent reads an agent of another class by identity, or gives to one.

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>

namespace {

/// Firm without space.
class Firm : public mass::Agent<mass::NoSpace> {
 public:
  float wage = 1, income = 0;
  using Attributes = mass::Attributes<&Firm::wage, &Firm::income>;

  MASS_FN void raise(mass::Intent<Firm>& intent) {
    wage += 0.5F;
    intent.stay();
  }
};

/// Person with a firm drawn at random.
class Person : public mass::Agent<mass::NoSpace> {
 public:
  std::uint32_t employer = 0;
  float money = 0;
  using Attributes = mass::Attributes<&Person::employer, &Person::money>;

  MASS_FN void begin(const mass::Intent<Person>& intent, std::uint64_t firms) {
    employer = static_cast<std::uint32_t>(mass::detail::mix(intent.id()) % firms);
  }
  MASS_FN void work(const mass::ById<Firm>& firms) { money += firms[employer].wage; }
  MASS_FN void spend(const mass::Give<&Firm::income>& pay) {
    if (pay(employer, 1)) money -= 1;
  }
};

/// People and as many firms on GPUs.
struct World {
  mass::Mass mass;
  mass::Agents<Firm> firms;
  mass::Agents<Person> people;

  explicit World(const benchmark::State& state)
      : mass(settingsFor(state.range(1))),
        firms(mass.createAgents<Firm>(state.range(0))),
        people(mass.createAgents<Person>(state.range(0))) {
    people.callAll<&Person::begin>(static_cast<std::uint64_t>(state.range(0)));
  }
  static mass::Settings settingsFor(std::int64_t gpus) {
    mass::Settings settings;
    settings.set("backend=cuda");
    settings.set(fmt::format("devices={}", gpus));
    return settings;
  }
};

/// Times `steps` calls of `advance` by the host's clock, after three warm-up steps.
template <class Advance>
void measure(benchmark::State& state, const World& world, std::int64_t steps,
             const Advance& advance) {
  for (int step = 0; step < 3; ++step) advance();
  double seconds = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(world.people.size());  // waits for the GPUs
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t step = 0; step < steps; ++step) advance();
    benchmark::DoNotOptimize(world.people.missing());  // waits for the GPUs
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(took);
    seconds += took;
  }
  const auto done = static_cast<double>(state.iterations() * steps);
  state.counters["ms/step"] = seconds / done * 1e3;
}

/// Reads of agents that stay as they are. Arguments: agents of each class, GPUs.
void runReads(benchmark::State& state) {
  if (mass::detail::usableGpus() < state.range(1)) return state.SkipWithError("too few GPUs");
  const World world(state);
  measure(state, world, 200, [&] { world.people.callAll<&Person::work>(world.firms); });
}
/// Reads after a rule and a manageAll of the agents that are read.
void runReadsOfChanging(benchmark::State& state) {
  if (mass::detail::usableGpus() < state.range(1)) return state.SkipWithError("too few GPUs");
  const World world(state);
  measure(state, world, 200, [&] {
    world.firms.callAll<&Firm::raise>();
    world.firms.manageAll();
    world.people.callAll<&Person::work>(world.firms);
  });
}
/// Gifts.
void runGifts(benchmark::State& state) {
  if (mass::detail::usableGpus() < state.range(1)) return state.SkipWithError("too few GPUs");
  const World world(state);
  measure(state, world, 10, [&] { world.people.callAll<&Person::spend>(world.firms); });
}

void sizes(benchmark::internal::Benchmark* runs) {
  runs->UseManualTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t gpus : {1, 2}) runs->Args({1'000'000, gpus});
}
BENCHMARK(runReads)->Apply(sizes);
BENCHMARK(runReadsOfChanging)->Apply(sizes);
BENCHMARK(runGifts)->Apply(sizes);

}  // namespace
