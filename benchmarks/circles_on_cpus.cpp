// Time of a step of agents on CPUs, beside a hand-written loop over cell lists for this model.

#include <apps/circles/setup.hpp>
#include <benchmarks/worlds.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr float radius = 2;
constexpr float repulsion = 0.05F;
constexpr std::int64_t threads = 2;

/// Particles of apps/circles as arrays, sorted into cells by a counting sort in each step.
class ByHand {
 public:
  /// Takes particles that are sorted by cell.
  explicit ByHand(const circles::World& world);

  void step();
  double meanSpeed() const {
    return std::accumulate(now_.speed.begin(), now_.speed.end(), 0.0) /
           static_cast<double>(now_.speed.size());
  }

 private:
  struct Particles {
    std::vector<float> x, y, z, speed;
    std::vector<std::int32_t> nearby;
    std::vector<std::uint64_t> id;

    explicit Particles(std::size_t count)
        : x(count), y(count), z(count), speed(count), nearby(count), id(count) {}
  };
  /// Sum over the neighbours of a particle. They are first collected into a buffer without
  /// unpredictable branches, then processed by a vectorised loop.
  class Pull {
   public:
    float sum[3] = {0, 0, 0};
    std::int32_t nearby = 0;

    void add(float dx, float dy, float dz) {
      const float squared = dx * dx + dy * dy + dz * dz;
      dx_[size_] = dx, dy_[size_] = dy, dz_[size_] = dz, squared_[size_] = squared;
      // Skips the particle itself and particles at the same position.
      size_ += static_cast<int>(squared < radius * radius) & static_cast<int>(squared > 0);
      if (size_ == most) reduceLanes();
    }
    void reduceLanes();

   private:
    static constexpr int most = 256;
    int size_ = 0;
    float dx_[most], dy_[most], dz_[most], squared_[most];
  };

  /// Calls work(thread, begin, end) with the range of particles of each thread.
  template <class Work>
  void inParallel(const Work& work) const;
  std::int32_t cellOf(float x, float y, float z) const {
    const auto along = [&](float at) {
      const auto cell = static_cast<std::int32_t>(std::floor(at / radius));
      return std::clamp(cell, std::int32_t{0}, cells_ - 1);
    };
    return (along(x) * cells_ + along(y)) * cells_ + along(z);
  }
  void move(std::int32_t i);
  void countCells(std::vector<std::int32_t>& counts, std::int64_t begin, std::int64_t end) const;
  /// Converts the counts of each thread to prefix sums: the index of its first particle of each
  /// cell.
  void placeCells();
  void sort(std::vector<std::int32_t>& to, std::int64_t begin, std::int64_t end);

  std::int32_t cells_;  // number of cells along an edge
  Particles now_, next_;
  std::vector<std::int32_t> cell_, nextCell_;
  std::vector<std::int32_t> first_;  // index of the first particle of each cell
  std::array<std::vector<std::int32_t>, threads> counts_;
};

ByHand::ByHand(const circles::World& world)
    : cells_(static_cast<std::int32_t>(world.space.bins[0])),
      now_(static_cast<std::size_t>(world.circles.size())),
      next_(now_),
      cell_(now_.x.size()),
      nextCell_(now_.x.size()),
      first_(static_cast<std::size_t>(world.space.bins[0] * world.space.bins[1] *
                                      world.space.bins[2]) +
             1) {
  const auto positions = world.circles.download<&circles::Circle::position>();
  now_.id = world.circles.ids();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    now_.x[i] = positions[i][0];
    now_.y[i] = positions[i][1];
    now_.z[i] = positions[i][2];
    cell_[i] = cellOf(now_.x[i], now_.y[i], now_.z[i]);
    ++first_[static_cast<std::size_t>(cell_[i]) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  for (auto& counts : counts_) counts.resize(first_.size() - 1);
}

template <class Work>
void ByHand::inParallel(const Work& work) const {
  const auto count = static_cast<std::int64_t>(now_.x.size());
  const auto part = [&](std::int64_t thread) {
    work(static_cast<std::size_t>(thread), count * thread / threads,
         count * (thread + 1) / threads);
  };
  std::vector<std::jthread> others;
  for (std::int64_t thread = 1; thread < threads; ++thread) others.emplace_back(part, thread);
  part(0);
}

void ByHand::Pull::reduceLanes() {
  float pull[most];
  for (int k = 0; k < size_; ++k) {
    const float inverse = 1 / std::sqrt(squared_[k]);
    pull[k] = mass::sinPi(-2 / radius * (squared_[k] * inverse)) * repulsion * inverse;
  }
  for (int k = 0; k < size_; ++k) {
    sum[0] += pull[k] * dx_[k];
    sum[1] += pull[k] * dy_[k];
    sum[2] += pull[k] * dz_[k];
  }
  nearby += size_;
  size_ = 0;
}

void ByHand::move(std::int32_t i) {
  const auto at = static_cast<std::size_t>(i);
  const float *const xs = now_.x.data(), *const ys = now_.y.data(), *const zs = now_.z.data();
  const float x = xs[at], y = ys[at], z = zs[at];
  const std::int32_t cell = cell_[at];
  const std::int32_t column = cell % cells_, line = cell / cells_ % cells_,
                     row = cell / cells_ / cells_;
  const std::int32_t left = std::max(column - 1, 0), right = std::min(column + 1, cells_ - 1);
  Pull pull;
  for (std::int32_t r = std::max(row - 1, 0); r <= std::min(row + 1, cells_ - 1); ++r) {
    for (std::int32_t l = std::max(line - 1, 0); l <= std::min(line + 1, cells_ - 1); ++l) {
      // The three neighbouring cells of a line are one contiguous range.
      const std::int32_t* const first = first_.data() + (r * cells_ + l) * cells_;
      for (std::int32_t j = first[left]; j < first[right + 1]; ++j) {
        pull.add(xs[j] - x, ys[j] - y, zs[j] - z);
      }
    }
  }
  pull.reduceLanes();
  const float share = pull.nearby > 0 ? static_cast<float>(pull.nearby) : 1.0F;
  const float dx = pull.sum[0] / share, dy = pull.sum[1] / share, dz = pull.sum[2] / share;
  next_.x[at] = x + dx;
  next_.y[at] = y + dy;
  next_.z[at] = z + dz;
  next_.speed[at] = std::sqrt(dx * dx + dy * dy + dz * dz);
  next_.nearby[at] = pull.nearby;
  nextCell_[at] = cellOf(next_.x[at], next_.y[at], next_.z[at]);
}

void ByHand::countCells(std::vector<std::int32_t>& counts, std::int64_t begin,
                        std::int64_t end) const {
  std::fill(counts.begin(), counts.end(), 0);
  for (std::int64_t i = begin; i < end; ++i) {
    ++counts[static_cast<std::size_t>(nextCell_[static_cast<std::size_t>(i)])];
  }
}

void ByHand::placeCells() {
  std::int32_t sum = 0;
  for (std::size_t cell = 0; cell + 1 < first_.size(); ++cell) {
    first_[cell] = sum;
    for (auto& counts : counts_) sum += std::exchange(counts[cell], sum);
  }
}

void ByHand::sort(std::vector<std::int32_t>& to, std::int64_t begin, std::int64_t end) {
  for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
    const auto at = static_cast<std::size_t>(to[static_cast<std::size_t>(nextCell_[i])]++);
    cell_[at] = nextCell_[i];
    now_.x[at] = next_.x[i];
    now_.y[at] = next_.y[i];
    now_.z[at] = next_.z[i];
    now_.speed[at] = next_.speed[i];
    now_.nearby[at] = next_.nearby[i];
    next_.id[at] = now_.id[i];
  }
}

void ByHand::step() {
  inParallel([&](std::size_t thread, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) move(static_cast<std::int32_t>(i));
    countCells(counts_[thread], begin, end);
  });
  placeCells();
  inParallel([&](std::size_t thread, std::int64_t begin, std::int64_t end) {
    sort(counts_[thread], begin, end);
  });
  std::swap(now_.id, next_.id);
}

/// Times of some steps, in milliseconds.
class Times {
 public:
  template <class Step>
  void measure(const Step& step) {
    const auto start = std::chrono::steady_clock::now();
    step();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    taken_.push_back(took.count());
  }
  double least() const { return *std::min_element(taken_.begin(), taken_.end()); }
  double median() const {
    auto sorted = taken_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  double sum() const { return std::accumulate(taken_.begin(), taken_.end(), 0.0); }

 private:
  std::vector<double> taken_;
};

/// Alternates steps of the library and of the hand-written loop, so that both meet the same noise;
/// ignores the first of each. Density 1; arguments: particles, steps.
void runCircles(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(1, threads);
  const std::int64_t count = state.range(0);
  const auto width = static_cast<float>(std::cbrt(static_cast<double>(count)));
  const circles::World world = circles::createWorld(mass, count, width, radius);
  ByHand byHand(world);
  world.step(radius, repulsion);
  byHand.step();
  Times library, hand;
  for (auto _ : state) {
    for (std::int64_t step = 0; step < state.range(1); ++step) {
      library.measure([&] { world.step(radius, repulsion); });
      hand.measure([&] { byHand.step(); });
    }
    state.SetIterationTime(library.sum() / 1e3);
  }
  const double mean =
      world.circles.reduce<&circles::Circle::speed>(mass::sum) / static_cast<double>(count);
  if (!(std::abs(mean / byHand.meanSpeed() - 1) < 1e-6)) {
    state.SkipWithError(
        fmt::format("particles move by {} on average, and by {} in the loop by hand", mean,
                    byHand.meanSpeed())
            .c_str());
    return;
  }
  state.counters["ms/step"] = library.median();
  state.counters["ms/step by hand"] = hand.median();
  state.counters["ratio"] = library.median() / hand.median();
  state.counters["least ms/step"] = library.least();
  state.counters["least ms/step by hand"] = hand.least();
  state.counters["ratio of least"] = library.least() / hand.least();
}

BENCHMARK(runCircles)
    ->Name("circles")
    ->Args({100000, 20})
    ->Args({1000000, 4})
    ->Iterations(1)
    ->UseManualTime();

}  // namespace
