// Throughput of rules that read other places, beside the same rules with all attributes in one
// class. One step a pass, so that both make the same passes over memory.

#include <benchmarks/fields.hpp>
#include <benchmarks/worlds.hpp>

namespace {

template <auto Call>
void rule(benchmark::State& state, std::int64_t scale) {
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

}  // namespace

BENCHMARK_CAPTURE(rule<benchmarks::diffuseOneClass>, diffuse / one_class, 1)->Arg(512)->Arg(4096);
BENCHMARK_CAPTURE(rule<benchmarks::diffuseField>, diffuse / field, 1)->Arg(512)->Arg(4096);
BENCHMARK_CAPTURE(rule<benchmarks::relaxOneClass>, relax / one_class, 1)->Arg(512)->Arg(4096);
BENCHMARK_CAPTURE(rule<benchmarks::relaxField>, relax / field, 1)->Arg(512)->Arg(4096);
BENCHMARK_CAPTURE(rule<benchmarks::relaxCoarserField>, relax / coarser, 1)->Arg(512)->Arg(4096);
BENCHMARK_CAPTURE(rule<benchmarks::relaxFinerField>, relax / finer, 4)->Arg(512)->Arg(4096);
BENCHMARK_CAPTURE(rule<benchmarks::relaxFinerFieldByLoop>, relax / finer_by_loop, 4)
    ->Arg(512)
    ->Arg(4096);
