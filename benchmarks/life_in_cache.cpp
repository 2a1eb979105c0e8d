// Throughput of Life within the caches: a rule as a plain loop over neighbours beside hand-written
// loops over bytes.

#include <apps/life/setup.hpp>
#include <benchmarks/worlds.hpp>

#include <utility>
#include <vector>

namespace {

constexpr std::int64_t side = 512;
constexpr std::int64_t stepsARun = 200;

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

  /// Rule with the library's count in place of the loop.
  MASS_FN void nextCounted(const mass::Neighborhood<Natural>& near) {
    const auto living = near.count<&Natural::alive>(mass::moore<2>);
    alive = living == 3 || (alive && living == 2);
  }
};

template <class P>
mass::Places<P> randomWorld(mass::Mass& mass) {
  auto world = mass.createPlaces<P>({side, side});
  world.template initialise<&P::alive>([](auto at) {
    return mass::Random({.index = static_cast<std::uint64_t>(at[0] * side + at[1])}).bernoulli(0.3);
  });
  return world;
}

template <auto Rule>
void natural(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(1, state.range(0));
  auto world = randomWorld<Natural>(mass);
  for (auto _ : state) world.callAll<Rule>(mass::steps(stepsARun));
  benchmarks::report(state, side * side, stepsARun, 2);
}

/// Rule of apps/life, for any B/S notation.
void app(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(1, state.range(0));
  auto world = randomWorld<life::Life>(mass);
  for (auto _ : state)
    world.callAll<&life::Life::nextGeneration>(mass::steps(stepsARun), life::Rule{});
  benchmarks::report(state, side * side, stepsARun, 2);
}

/// World in two plain arrays with a padding of one cell.
class ByHand {
 public:
  ByHand() : now_((side + 2) * pitch), next_(now_.size()) {
    for (std::size_t i = 0; i < now_.size(); ++i)
      now_[i] = mass::Random({.index = i}).bernoulli(0.3);
  }

  template <auto Row>
  void step() {
    wrap();
    for (std::int64_t row = 1; row <= side; ++row) {
      const std::uint8_t* const here = now_.data() + row * pitch + 1;
      Row(here - pitch, here, here + pitch, next_.data() + row * pitch + 1);
    }
    std::swap(now_, next_);
    benchmark::ClobberMemory();
  }

 private:
  static constexpr std::int64_t pitch = side + 2;

  void wrap() {
    for (std::int64_t row = 1; row <= side; ++row) {
      now_[static_cast<std::size_t>(row * pitch)] =
          now_[static_cast<std::size_t>(row * pitch + side)];
      now_[static_cast<std::size_t>(row * pitch + side + 1)] =
          now_[static_cast<std::size_t>(row * pitch + 1)];
    }
    std::copy_n(now_.begin() + side * pitch, pitch, now_.begin());
    std::copy_n(now_.begin() + pitch, pitch, now_.begin() + (side + 1) * pitch);
  }

  std::vector<std::uint8_t> now_, next_;
};

/// Row update as a straightforward loop.
void plainRow(const std::uint8_t* __restrict above, const std::uint8_t* __restrict here,
              const std::uint8_t* __restrict below, std::uint8_t* __restrict next) {
  for (std::int64_t x = 0; x < side; ++x) {
    const int living = above[x - 1] + above[x] + above[x + 1] + here[x - 1] + here[x + 1] +
                       below[x - 1] + below[x] + below[x + 1];
    next[x] = living == 3 || (here[x] && living == 2);
  }
}

/// Row update tuned by the compiler's vectorisation report: bytes only, no short-circuit operators.
void tunedRow(const std::uint8_t* __restrict above, const std::uint8_t* __restrict here,
              const std::uint8_t* __restrict below, std::uint8_t* __restrict next) {
  for (std::int64_t x = 0; x < side; ++x) {
    const auto living =
        static_cast<std::uint8_t>(above[x - 1] + above[x] + above[x + 1] + here[x - 1] +
                                  here[x + 1] + below[x - 1] + below[x] + below[x + 1]);
    next[x] = static_cast<std::uint8_t>(static_cast<int>(living == 3) |
                                        (here[x] & static_cast<int>(living == 2)));
  }
}

template <auto Row>
void byHand(benchmark::State& state) {
  ByHand world;
  for (auto _ : state) {
    for (std::int64_t step = 0; step < stepsARun; ++step) world.step<Row>();
  }
  benchmarks::report(state, side * side, stepsARun, 2);
}

}  // namespace

BENCHMARK(natural<&Natural::next>)->Name("natural")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(natural<&Natural::nextCounted>)->Name("counted")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(app)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(byHand<plainRow>)->UseRealTime();
BENCHMARK(byHand<tunedRow>)->UseRealTime();
