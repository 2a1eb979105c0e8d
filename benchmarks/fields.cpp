// Throughput of rules that read other places, beside the same rules with all attributes in one
// class. One step a pass, so that both make the same passes over memory.

#include <benchmarks/fields.hpp>
#include <benchmarks/worlds.hpp>

#include <algorithm>
#include <cstdint>

namespace {

/// @tparam scale places of the world with an edge of `side` for each place of the rule
template <auto Call, std::int64_t scale = 1>
void rule(benchmark::State& state) {
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set("threads=1");
  settings.set("steps_per_pass=1");
  mass::Mass mass(settings);
  const std::int64_t side = state.range(0);
  const benchmarks::Fields fields(mass, side);
  const mass::Steps steps = mass::steps(std::max<std::int64_t>(1, (1 << 24) / (side * side)));
  Call(fields, steps);  // allocates back buffers
  for (auto _ : state) Call(fields, steps);
  benchmarks::report(state, side * side / scale, steps.count, 3 * sizeof(float));
}

BENCHMARK(rule<benchmarks::diffuseOneClass>)->Name("diffuse/one_class")->Arg(512)->Arg(4096);
BENCHMARK(rule<benchmarks::diffuseField>)->Name("diffuse/field")->Arg(512)->Arg(4096);
BENCHMARK(rule<benchmarks::relaxOneClass>)->Name("relax/one_class")->Arg(512)->Arg(4096);
BENCHMARK(rule<benchmarks::relaxField>)->Name("relax/field")->Arg(512)->Arg(4096);
BENCHMARK(rule<benchmarks::relaxCoarserField>)->Name("relax/coarser")->Arg(512)->Arg(4096);
BENCHMARK(rule<benchmarks::relaxFinerField, 4>)->Name("relax/finer")->Arg(512)->Arg(4096);
BENCHMARK(rule<benchmarks::relaxFinerFieldByLoop, 4>)
    ->Name("relax/finer_by_loop")
    ->Arg(512)
    ->Arg(4096);

}  // namespace
