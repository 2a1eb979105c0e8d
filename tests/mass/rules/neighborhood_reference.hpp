#pragma once

#include "../../support/mass_on_ranks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mass::testing {

/// A place whose next state depends on each bit of all places within reach, and on their order.
template <int D, int Reach>
class Mixer : public Place<D> {
 public:
  static constexpr int reach = Reach;

  std::uint32_t value = 0;
  std::int8_t shade = 0;
  std::uint16_t kind = 0;
  using Attributes = mass::Attributes<&Mixer::value, constant<&Mixer::kind>, &Mixer::shade>;

  MASS_FN void absorb(const Mixer& near) {
    value = (value ^ near.value ^ static_cast<std::uint32_t>(near.shade * 40503) ^ near.kind) *
                0x9e3779b1U +
            (value >> 13);
  }
  MASS_FN void finish(std::uint64_t index, std::uint64_t step, std::uint32_t salt) {
    value += static_cast<std::uint32_t>(index * 7 + step * 1000003) + salt;
    shade = static_cast<std::int8_t>(value >> 20);
  }

  /// The radius is an argument so that the compiler does not unroll up to 343 neighbours.
  MASS_FN void mix(const Neighborhood<Mixer>& near, int radius, std::uint32_t salt) {
    forEachOffset(radius, [&](const Offset<D>& offset) { absorb(near(offset)); });
    finish(static_cast<std::uint64_t>(near.index()), near.step(), salt);
  }

  template <class Body>
  MASS_FN static void forEachOffset(int radius, Body&& body) {
    const int lines = D == 3 ? radius : 0, columns = D >= 2 ? radius : 0;
    for (int z = -radius; z <= radius; ++z) {
      for (int y = -lines; y <= lines; ++y) {
        for (int x = -columns; x <= columns; ++x) {
          if constexpr (D == 1) body(Offset<D>{z});
          if constexpr (D == 2) body(Offset<D>{z, x});
          if constexpr (D == 3) body(Offset<D>{z, y, x});
        }
      }
    }
  }
};

template <int D>
using Borders = std::array<Border, static_cast<std::size_t>(D)>;

/// Reference implementation with one plain array, which uses only sourceOf of the library.
template <int D, int Reach>
struct PlainWorld {
  using P = Mixer<D, Reach>;
  Shape<D> shape;
  Borders<D> borders;
  P outside;
  std::vector<P> places;

  PlainWorld(const Shape<D>& size, const Borders<D>& edges) : shape(size), borders(edges) {
    outside.value = 0xabcdef01;
    outside.shade = -3;
    outside.kind = 77;
    places.resize(static_cast<std::size_t>(count(shape)));
    std::uint32_t noise = 12345;
    for (P& place : places) {
      noise = noise * 1664525 + 1013904223;
      place.value = noise;
      place.shade = static_cast<std::int8_t>(noise >> 11);
      place.kind = static_cast<std::uint16_t>(noise >> 16);
    }
  }

  const P& at(const Coordinates<D>& coordinates) const {
    std::int64_t index = 0;
    for (int axis = 0; axis < D; ++axis) {
      const std::int64_t from =
          sourceOf(coordinates[axis], shape[axis], borders[static_cast<std::size_t>(axis)]);
      if (from < 0) return outside;
      index = index * shape[axis] + from;
    }
    return places[static_cast<std::size_t>(index)];
  }

  void step(std::uint64_t number, std::uint32_t salt) {
    std::vector<P> next = places;
    for (std::size_t i = 0; i < next.size(); ++i) {
      P::forEachOffset(Reach, [&](const Offset<D>& offset) {
        Coordinates<D> coordinates{};
        auto rest = static_cast<std::int64_t>(i);
        for (int axis = D - 1; axis >= 0; --axis) {
          coordinates[axis] = rest % shape[axis] + offset[axis];
          rest /= shape[axis];
        }
        next[i].absorb(at(coordinates));
      });
      next[i].finish(i, number, salt);
    }
    places = next;
  }

  template <auto Member>
  auto all() const {
    std::vector<std::decay_t<decltype(outside.*Member)>> values;
    for (const P& place : places) values.push_back(place.*Member);
    return values;
  }
};

/// Runs three steps from the state of `before`, two in one call and one in another, and compares
/// the result with `after`, that of the plain loops.
template <int D, int Reach>
void expectSame(const PlainWorld<D, Reach>& before, const PlainWorld<D, Reach>& after,
                const RankSetup& setup) {
  using P = Mixer<D, Reach>;
  std::vector<int> names;
  for (const Border border : before.borders) names.push_back(static_cast<int>(border));
  onRanks(setup, [&](Mass& mass) {
    SCOPED_TRACE(fmt::format("shape {}, borders {}, reach {}",
                             fmt::join(before.shape.values, " x "), fmt::join(names, " "), Reach));
    PlacesOptions<P> options;
    options.borders = before.borders;
    options.outside = before.outside;
    auto world = mass.createPlaces<P>(before.shape, options);
    world.template upload<&P::value>(before.template all<&P::value>());
    world.template upload<&P::shade>(before.template all<&P::shade>());
    world.template upload<&P::kind>(before.template all<&P::kind>());
    world.template callAll<&P::mix>(steps(2), Reach, 5);
    world.template callAll<&P::mix>(Reach, 5);
    ASSERT_EQ(world.template download<&P::value>(), after.template all<&P::value>());
    ASSERT_EQ(world.template download<&P::shade>(), after.template all<&P::shade>());
    ASSERT_EQ(world.template download<&P::kind>(), after.template all<&P::kind>());
  });
}

template <int D, int Reach>
PlainWorld<D, Reach> threeStepsLater(PlainWorld<D, Reach> world) {
  for (std::uint64_t step = 0; step < 3; ++step) world.step(step, 5);
  return world;
}

template <int D, int Reach>
void expectSameAsPlainLoops(const Shape<D>& shape, const Borders<D>& borders, int devices,
                            int threads, const std::vector<double>& weights = {}) {
  const PlainWorld<D, Reach> before(shape, borders);
  expectSame(before, threeStepsLater(before),
             {.devices = {devices}, .threads = threads, .weights = weights});
}

/// All assignments of the three borders to D axes.
template <int D>
std::vector<Borders<D>> allBorders() {
  std::vector<Borders<D>> all;
  const int total = D == 1 ? 3 : D == 2 ? 9 : 27;
  for (int number = 0; number < total; ++number) {
    Borders<D> borders{};
    int rest = number;
    for (Border& border : borders) {
      border = static_cast<Border>(rest % 3);
      rest /= 3;
    }
    all.push_back(borders);
  }
  return all;
}

/// Tests all borders on all axes, on 1, 2, 3, 4 and 8 devices if there are enough rows; in 2-D and
/// 3-D every second combination of borders and devices.
template <int D, int Reach>
void expectAllBordersSameAsPlainLoops(const std::vector<Shape<D>>& shapes) {
  for (const Shape<D>& shape : shapes) {
    int threads = 0;
    for (const Borders<D>& borders : allBorders<D>()) {
      const PlainWorld<D, Reach> before(shape, borders);
      const PlainWorld<D, Reach> after = threeStepsLater(before);
      for (const int devices : {1, 2, 3, 4, 8}) {
        int mixed = devices;
        for (const Border border : borders) mixed += static_cast<int>(border);
        if (devices > shape[0] || (D > 1 && mixed % 2 == 0)) continue;
        threads = threads % 4 + 1;
        expectSame(before, after, {.devices = {devices}, .threads = threads});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Tests all borders on all axes, on one of usualRanks() each. Bands of 6 rows are thinner than a
/// reach above 1.
/// @param shape with at least 6 rows
template <int D, int Reach>
void expectAllBordersSameOnRanks(const Shape<D>& shape) {
  const std::vector<RankSetup> setups = usualRanks();
  std::size_t turn = 0;
  for (const Borders<D>& borders : allBorders<D>()) {
    const PlainWorld<D, Reach> before(shape, borders);
    expectSame(before, threeStepsLater(before), setups[turn++ % setups.size()]);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace mass::testing
