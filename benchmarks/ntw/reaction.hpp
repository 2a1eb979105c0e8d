#pragma once

#include <benchmarks/ntw/trajectory.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ntw {

/// A + B <-> C: C decays at 1/s, a pair binds at `binding`/s, each molecule hops at 1/s to each
/// neighbour; the model of benchmarks/events.cpp.
struct Reaction {
  using State = std::array<std::int32_t, 3>;
  double binding = 1;

  double rate(const State& counts, int degree) const {
    const auto [a, b, c] = counts;
    return degree * static_cast<double>(a + b + c) + c + binding * a * b;
  }
  Departure fire(State& counts, int degree, double drawn) const {
    auto& [a, b, c] = counts;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      const double hops = static_cast<double>(degree) * counts[kind];
      if (drawn < hops) {
        const int neighbour = std::min(static_cast<int>(drawn / counts[kind]), degree - 1);
        --counts[kind];
        return {static_cast<int>(kind), neighbour};
      }
      drawn -= hops;
    }
    const int change = drawn >= c && a > 0 && b > 0 ? -1 : 1;
    if (change > 0 && c == 0) return {};  // by rounding
    a += change, b += change, c -= change;
    return {};
  }
  void arrive(State& counts, int kind) const { ++counts[static_cast<std::size_t>(kind)]; }
  std::uint64_t fingerprint(const State& counts) const {
    std::uint64_t hash = 0;
    for (const std::int32_t count : counts) hash = mixed(hash ^ static_cast<std::uint64_t>(count));
    return hash;
  }
};

/// Returns a box of sites with walls.
inline Network boxOf(std::int32_t depth, std::int32_t height, std::int32_t width) {
  Network network;
  const std::array<std::int32_t, 3> shape{depth, height, width};
  const std::array<std::int32_t, 3> strides{height * width, width, 1};
  for (std::int32_t site = 0; site < depth * height * width; ++site) {
    std::array<std::int32_t, mostNeighbours> neighbours{};
    neighbours.fill(Network::none);
    std::size_t count = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int32_t at = site / strides[axis] % shape[axis];
      if (at > 0) neighbours[count++] = site - strides[axis];
      if (at + 1 < shape[axis]) neighbours[count++] = site + strides[axis];
    }
    network.neighbours.push_back(neighbours);
  }
  return network;
}

}  // namespace ntw
