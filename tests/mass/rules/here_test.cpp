#include "../../support/make_mass.hpp"

#include <mass/rules/here.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::makeMass;

/// A place with a bit mask of the fixed ends at which it lies: bit 2 * axis for the first place,
/// the next bit for the last one.
template <int D>
class Ended : public mass::Place<D> {
 public:
  std::uint32_t ends = 0;
  using Attributes = mass::Attributes<&Ended::ends>;

  MASS_FN void look(const mass::Here<D>& here) { ends = endsOf(here); }
  MASS_FN std::uint32_t seen(const mass::Here<D>& here) const { return endsOf(here); }

 private:
  MASS_FN static std::uint32_t endsOf(const mass::Here<D>& here) {
    std::uint32_t bits = 0;
    for (int axis = 0; axis < D; ++axis) {
      for (int end = 0; end < 2; ++end)
        bits |= (here.isAtFixedEnd(axis, end) ? 1U : 0U) << (2 * axis + end);
    }
    return bits;
  }
};

/// Expected result, from the coordinates.
template <int D>
std::vector<std::uint32_t> expectedEnds(const mass::Shape<D>& shape,
                                        const std::vector<Border>& borders) {
  std::vector<std::uint32_t> all;
  for (std::int64_t i = 0; i < mass::count(shape); ++i) {
    const auto at = mass::coordinatesOf<D>(i, shape);
    std::uint32_t bits = 0;
    for (int axis = 0; axis < D; ++axis) {
      if (borders[static_cast<std::size_t>(axis)] != Border::fixed) continue;
      if (at[axis] == 0) bits |= 1U << (2 * axis);
      if (at[axis] == shape[axis] - 1) bits |= 2U << (2 * axis);
    }
    all.push_back(bits);
  }
  return all;
}

template <int D>
void expectEnds(const mass::Shape<D>& shape) {
  for (const int devices : {1, 2, 3, 5}) {
    if (devices > shape[0]) continue;
    for (unsigned kinds = 0; kinds < 1U << D; ++kinds) {
      mass::PlacesOptions<Ended<D>> options;
      std::vector<Border> borders;
      for (std::size_t axis = 0; axis < std::size_t{D}; ++axis) {
        borders.push_back((kinds >> axis & 1) != 0 ? Border::fixed : Border::periodic);
        options.borders[axis] = borders.back();
      }
      Mass mass = makeMass(devices);
      auto places = mass.createPlaces<Ended<D>>(shape, options);
      const std::vector<std::uint32_t> expected = expectedEnds<D>(shape, borders);
      EXPECT_EQ((places.template map<&Ended<D>::seen>()), expected) << devices << ' ' << kinds;
      places.template callAll<&Ended<D>::look>();
      EXPECT_EQ((places.template download<&Ended<D>::ends>()), expected) << devices << ' ' << kinds;
    }
  }
}

TEST(Here, ReportsFixedEndsIn1D) {
  for (const std::int64_t length : {1, 2, 7, 130}) expectEnds<1>({length});
}

TEST(Here, ReportsFixedEndsIn2D) {
  for (const mass::Shape<2>& shape : {mass::Shape<2>{1, 1}, {2, 3}, {1, 7}, {13, 1}, {7, 37}})
    expectEnds<2>(shape);
}

TEST(Here, ReportsFixedEndsIn3D) {
  for (const mass::Shape<3>& shape : {mass::Shape<3>{1, 1, 1}, {5, 2, 3}, {3, 1, 4}, {7, 5, 1}})
    expectEnds<3>(shape);
}

TEST(Here, ReportsNoFixedEndOfAMirroredAxis) {
  mass::PlacesOptions<Ended<2>> options;
  options.borders[0] = options.borders[1] = Border::mirrored;
  Mass mass = makeMass(2);
  auto places = mass.createPlaces<Ended<2>>({4, 3}, options);
  EXPECT_EQ(places.map<&Ended<2>::seen>(), std::vector<std::uint32_t>(12, 0));
}

}  // namespace
