// Throughput of rules beside the copy bandwidth of a GPU, and the time of a step of a small world.

#include <apps/heat2d/heat2d.hpp>
#include <apps/life/life.hpp>
#include <benchmarks/fields.hpp>
#include <benchmarks/gpu_copy.hpp>

#include <mass/program/picture_field.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>

namespace {

/// Rule as a plain loop over the neighbours.
class Natural : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Natural::alive>;

  MASS_FN void next(const mass::Neighborhood<Natural>& near) {
    int living = 0;
    for (auto offset : mass::moore<2>) living += near(offset).alive;
    alive = living == 3 || (alive && living == 2);
  }
  MASS_FN void scatter(const mass::Here<2>& here) { alive = here.random().bernoulli(0.3); }
};

/// Waves by two rules in turn, or by one rule that does the work of both.
class Wave : public mass::Place<2> {
 public:
  float pressure = 1, flow = 0;
  using Attributes = mass::Attributes<&Wave::pressure, &Wave::flow>;

  MASS_FN void move(const mass::Neighborhood<Wave>& near, float r) {
    flow += r * (near(0, 1).pressure - pressure);
  }
  MASS_FN void compress(const mass::Neighborhood<Wave>& near, float r) {
    pressure += r * (flow - near(0, -1).flow);
  }
  MASS_FN void both(const mass::Neighborhood<Wave>& near, float r) {
    const float behind = near(0, -1).flow + r * (pressure - near(0, -1).pressure);
    flow += r * (near(0, 1).pressure - pressure);
    pressure += r * (flow - behind);
  }
};

mass::Mass massOn(std::int64_t gpus) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", gpus));
  return mass::Mass(settings);
}

/// Times `steps` steps an iteration by the host's clock; reports places and bytes a second.
template <class Advance>
void measure(benchmark::State& state, std::int64_t placesAStep, std::int64_t bytesAPlace,
             std::int64_t steps, const Advance& advance) {
  advance(steps);  // autotunes launch shapes
  double seconds = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    advance(steps);
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(took);
    seconds += took;
  }
  const auto done = static_cast<double>(state.iterations() * steps);
  const auto places = static_cast<double>(placesAStep);
  state.counters["Gplaces/s"] = done * places / seconds / 1e9;
  state.counters["TB/s"] = done * places * static_cast<double>(bytesAPlace) / seconds / 1e12;
  state.counters["us/step"] = seconds / done * 1e6;
}

std::int64_t stepsFor(std::int64_t places) {
  const std::int64_t wanted = (std::int64_t{1} << 34) / places;
  return wanted < 8 ? 8 : wanted > 10000 ? 10000 : wanted;
}

void natural(benchmark::State& state) {
  mass::Mass mass = massOn(state.range(1));
  auto world = mass.createPlaces<Natural>({state.range(0), state.range(0)});
  world.callAll<&Natural::scatter>();
  measure(state, mass.size(), 2, stepsFor(mass.size()),
          [&](std::int64_t steps) { world.callAll<&Natural::next>(mass::steps(steps)); });
}

void app(benchmark::State& state) {
  mass::Mass mass = massOn(state.range(1));
  auto world = mass.createPlaces<life::Life>({state.range(0), state.range(0)});
  world.callAll<&life::Life::randomise>(0.3);
  measure(state, mass.size(), 2, stepsFor(mass.size()), [&](std::int64_t steps) {
    world.callAll<&life::Life::nextGeneration>(mass::steps(steps), life::Rule{});
  });
}

template <class Real>
void heat(benchmark::State& state) {
  using Heat = heat2d::Heat<Real>;
  mass::Mass mass = massOn(state.range(1));
  auto plate = mass.createPlaces<Heat>({state.range(0), state.range(0)});
  measure(state, mass.size(), 2 * sizeof(Real), stepsFor(mass.size()), [&](std::int64_t steps) {
    plate.template callAll<&Heat::diffuse>(mass::steps(steps), Real(0.2));
  });
}

/// Two rules in turn, or one rule; a step is both.
template <bool inTurn>
void wave(benchmark::State& state) {
  mass::Mass mass = massOn(1);
  const auto waves = mass.createPlaces<Wave>({state.range(0), state.range(0)});
  measure(state, mass.size(), inTurn ? 24 : 16, stepsFor(mass.size()), [&](std::int64_t steps) {
    if constexpr (inTurn) {
      constexpr auto move = mass::writing<&Wave::move, &Wave::flow>;
      constexpr auto compress = mass::writing<&Wave::compress, &Wave::pressure>;
      waves.callAll<mass::inTurn<move, compress>>(mass::steps(steps), 0.1F);
    } else {
      waves.callAll<&Wave::both>(mass::steps(steps), 0.1F);
    }
  });
}

/// Rule that reads another attribute of its class, or of other places.
template <auto Call, std::int64_t scale = 1>
void field(benchmark::State& state) {
  mass::Mass mass = massOn(1);
  const std::int64_t side = state.range(0), places = side * side / scale;
  const benchmarks::Fields fields(mass, side);
  measure(state, places, 12, stepsFor(places),
          [&](std::int64_t steps) { Call(fields, mass::steps(steps)); });
}

/// Picture of at most 960 x 960 pixels of an attribute, as a page that shows a run asks for it.
void picture(benchmark::State& state, mass::detail::PictureField field, std::int64_t side) {
  mass::detail::FieldPlane plane{1, 0, 0, 0, side, side};
  plane.block = (side + 959) / 960;
  measure(state, side * side, 0, 1,
          [&](std::int64_t) { (void)field.draw(plane, false, mass::detail::PictureStyle{}); });
}
void lifePicture(benchmark::State& state) {
  mass::Mass mass = massOn(1);
  auto world = mass.createPlaces<life::Life>({state.range(0), state.range(0)});
  world.callAll<&life::Life::randomise>(0.3);
  mass::Picture style;
  style.categories = {"dead", "alive"};
  style.colors = {{0, 0, 0}, {255, 255, 255}};
  picture(state, {world.sharedPopulation(), "alive", style}, state.range(0));
}
void heatPicture(benchmark::State& state) {
  mass::Mass mass = massOn(1);
  auto plate = mass.createPlaces<heat2d::Heat<float>>({state.range(0), state.range(0)});
  mass::Picture style;
  style.low = 0;
  style.high = 19;
  picture(state, {plate.sharedPopulation(), "temperature", style}, state.range(0));
}

BENCHMARK(lifePicture)->Name("life_picture")->Arg(8192)->UseManualTime();
BENCHMARK(heatPicture)->Name("heat_picture")->Arg(8192)->UseManualTime();
BENCHMARK(field<benchmarks::diffuseOneClass>)->Name("one_class")->Arg(16384)->UseManualTime();
BENCHMARK(field<benchmarks::diffuseField>)->Name("field")->Arg(16384)->UseManualTime();
BENCHMARK(field<benchmarks::relaxOneClass>)->Name("relax_one_class")->Arg(16384)->UseManualTime();
BENCHMARK(field<benchmarks::relaxField>)->Name("relax_field")->Arg(16384)->UseManualTime();
BENCHMARK(field<benchmarks::relaxCoarserField>)->Name("relax_coarser")->Arg(16384)->UseManualTime();
BENCHMARK(field<benchmarks::relaxFinerField, 4>)->Name("relax_finer")->Arg(16384)->UseManualTime();
BENCHMARK(wave<true>)->Name("wave_in_turn")->Arg(256)->Arg(4096)->UseManualTime();
BENCHMARK(wave<false>)->Name("wave_one_rule")->Arg(256)->Arg(4096)->UseManualTime();
BENCHMARK(benchmarks::copy)->UseManualTime()->Name("copy");
BENCHMARK(natural)->Name("life_natural")->Args({32768, 1})->Args({4096, 1})->UseManualTime();
BENCHMARK(app)->Name("life_app")->Args({32768, 1})->Args({256, 1})->UseManualTime();
BENCHMARK(heat<float>)
    ->Name("heat_float")
    ->Args({32768, 1})
    ->Args({4096, 1})
    ->Args({256, 1})
    ->UseManualTime();
BENCHMARK(heat<double>)->Name("heat_double")->Args({32768, 1})->Args({4096, 1})->UseManualTime();

}  // namespace
