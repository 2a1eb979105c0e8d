#pragma once

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <cstdint>

namespace mass::testing {

/// Place whose bits depend on the farthest places that its rules can read along each axis and at
/// two corners.
template <int Reach>
class Wave : public Place<3> {
 public:
  static constexpr int reach = Reach;
  std::uint64_t value = 1;
  float level = 0.5F;
  std::uint32_t kept = 7;
  using Attributes = mass::Attributes<&Wave::value, &Wave::level, &Wave::kept>;

  MASS_FN void spread(const mass::Neighborhood<Wave>& near) {
    std::uint64_t next = detail::mix(value) + static_cast<std::uint64_t>(near.index());
    float sum = level;
    const auto read = [&](const mass::Offset<3>& offset) {
      const Wave there = near(offset);
      next = detail::mix(next ^ there.value) + there.kept;
      sum += there.level;
    };
    for (const int k : {-Reach, Reach}) {
      read({k, 0, 0});
      read({0, k, 0});
      read({0, 0, k});
      read({k, -k, k});
    }
    for (int end = 0; end < 2; ++end)
      for (int axis = 0; axis < 3; ++axis) next += near.isAtFixedEnd(axis, end) ? 1U << axis : 0U;
    value = next + near.random().below(1000);
    level = sum / 10;
  }
  MASS_FN void mark(const mass::Here<3>& here) {
    kept = kept * 31U + static_cast<std::uint32_t>(here.coordinates()[1]);
    for (int end = 0; end < 2; ++end)
      for (int axis = 0; axis < 3; ++axis) kept += here.isAtFixedEnd(axis, end) ? 1U << axis : 0U;
  }
};

}  // namespace mass::testing
