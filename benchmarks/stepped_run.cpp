// Cost of a mass::Run: 64 x 64 cells of Life, whose steps are the shortest, advanced by a Run and
// by calls of the rule itself, many steps a call and one.

#include <apps/life/setup.hpp>
#include <benchmarks/worlds.hpp>

#include <string>

namespace {

constexpr std::int64_t side = 64;
constexpr std::int64_t stepsARun = 20000;

mass::Settings settingsOfLife() {
  mass::Settings settings(life::schema());
  for (const char* key : {"rows", "columns"})
    settings.set(std::string(key) + "=" + std::to_string(side));
  settings.set("threads=1");
  settings.set("output.folder=.");
  return settings;
}

void ofCalls(benchmark::State& state) {
  mass::Mass mass(settingsOfLife());
  const auto world = life::createWorld<life::Life>(mass, life::startOf(mass.settings()));
  const std::int64_t each = state.range(0);
  for (auto _ : state) {
    for (std::int64_t step = 0; step < stepsARun; step += each)
      world.callAll<&life::Life::nextGeneration>(mass::steps(each), life::Rule{});
  }
  benchmarks::report(state, side * side, stepsARun, 2);
}

void ofARun(benchmark::State& state) {
  mass::Run run(life::program(), settingsOfLife());
  const std::int64_t each = state.range(0);
  for (auto _ : state) {
    for (std::int64_t step = 0; step < stepsARun; step += each) run.step(each);
  }
  benchmarks::report(state, side * side, stepsARun, 2);
}

BENCHMARK(ofCalls)->Arg(stepsARun)->Arg(100)->Arg(1)->UseRealTime();
BENCHMARK(ofARun)->Arg(stepsARun)->Arg(100)->Arg(1)->UseRealTime();

}  // namespace
