#include <mass/support/stencil.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace {

using mass::Offset;

/// The offsets of a stencil, in its order, as vectors.
template <int D, class Kind>
std::vector<std::vector<int>> offsetsOf(const mass::Stencil<Kind>& stencil) {
  std::vector<std::vector<int>> offsets;
  for (const Offset<D> offset : stencil) {
    offsets.emplace_back(std::begin(offset.values), std::end(offset.values));
  }
  return offsets;
}

/// All offsets of the cube of radius 1 for which `keep` holds, in row-major order.
template <class Keep>
std::vector<std::vector<int>> cube(int dimensions, Keep keep) {
  std::vector<std::vector<int>> offsets = {{}};
  for (int axis = 0; axis < dimensions; ++axis) {
    std::vector<std::vector<int>> longer;
    for (const auto& offset : offsets) {
      for (int along = -1; along <= 1; ++along) {
        longer.push_back(offset);
        longer.back().push_back(along);
      }
    }
    offsets = longer;
  }
  std::erase_if(offsets, [&](const auto& offset) { return !keep(offset); });
  return offsets;
}

int distance(const std::vector<int>& offset) {
  int sum = 0;
  for (const int along : offset) sum += std::abs(along);
  return sum;
}

template <int D>
void expectStencils() {
  const auto moore = offsetsOf<D>(mass::moore<D>);
  EXPECT_EQ(moore, cube(D, [](const auto& offset) { return distance(offset) > 0; }));
  EXPECT_EQ(mass::moore<D>.size(), static_cast<int>(moore.size()));
  auto faces = offsetsOf<D>(mass::vonNeumann<D>);
  std::sort(faces.begin(), faces.end());
  EXPECT_EQ(faces, cube(D, [](const auto& offset) { return distance(offset) == 1; }));
}

TEST(Stencil, MooreIsAllThatTouchesAndVonNeumannAllThatSharesAFace) {
  expectStencils<1>();
  expectStencils<2>();
  expectStencils<3>();
}

}  // namespace
