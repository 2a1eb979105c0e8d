#pragma once

#include "../../../support/bool_reference.hpp"
#include "../../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mass::testing {

/// Rules of a cell with the state `alive`, as BoolReference has them.
template <class Cell>
class BoolRules : public Place<2> {
 public:
  bool alive = false;
  using Near = Neighborhood<Cell>;

  /// Result of a table of 512 patterns, in the order of mass::detail::BoolTable.
  void lookUp(const Near& near, const Shared<std::uint8_t>& results) {
    unsigned pattern = 0;
    for (int k = 0; k < 9; ++k) pattern |= (near(k / 3 - 1, k % 3 - 1).alive ? 1U : 0U) << k;
    alive = results[pattern] != 0;
  }
  void count(const Near& near, unsigned birth, unsigned survival) {
    const auto living = near.template count<&Cell::alive>(moore<2>);
    alive = ((alive ? survival : birth) >> living & 1U) != 0;
  }
  /// Depends on more than the states: kernels on bytes run it.
  void shiftAtEvenSteps(const Near& near) {
    alive = near.step() % 2 == 0 ? near(1, 1).alive : near(-1, -1).alive != alive;
  }
};

template <class Cell>
Places<Cell> createWorld(Mass& mass, const BoolWorld& world) {
  Cell outside;
  outside.alive = world.outside;
  auto options = borders(Border::periodic, outside);
  options.borders = {world.ofRows, world.ofColumns};
  options.name = "cells";
  return mass.createPlaces<Cell>({world.rows, world.columns}, options);
}

template <class Cell>
void setCells(const Places<Cell>& places, const BoolReference& reference) {
  const std::int64_t columns = places.shape()[1];
  places.template initialise<&Cell::alive>([&](const Coordinates<2>& at) {
    return reference.cells()[static_cast<std::size_t>(at[0] * columns + at[1])] != 0;
  });
}

/// Returns a result for each of 512 patterns, drawn at random.
inline std::vector<std::uint8_t> randomTable(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> results;
  for (int pattern = 0; pattern < 512; ++pattern) results.push_back(random() % 2);
  return results;
}

/// Compares the states of places, and their sum, with those of a reference.
template <class Cell>
void expectStates(const Places<Cell>& places, const BoolReference& reference,
                  const std::string& rule) {
  const auto alive = places.template download<&Cell::alive>();
  int living = 0;
  for (std::size_t i = 0; i < alive.size(); ++i) {
    ASSERT_EQ(alive[i], reference.cells()[i] != 0)
        << rule << ", place " << i << " at step " << reference.step();
    living += alive[i] ? 1 : 0;
  }
  ASSERT_EQ(places.template reduce<&Cell::alive>(sum), living) << rule;
}

/// Download of the states after BoolRules::shiftAtEvenSteps().
enum class AfterShift {
  compares,  ///< the states are compared
  continues  ///< the next rule follows without a download
};

/// Advances a world by places and by loops over arrays, in batches of several lengths, by rules of
/// all kinds, and compares their states.
template <class Cell>
void compareOn(Mass& mass, const BoolWorld& world, AfterShift afterShift) {
  const auto seed = static_cast<std::uint32_t>(world.rows * 7 + world.columns);
  BoolReference reference(world, seed);
  const auto places = createWorld<Cell>(mass, world);
  setCells(places, reference);
  const auto table = randomTable(seed);
  const auto results = mass.share(table);
  const auto count = [&](int times, unsigned birth, unsigned survival) {
    places.template callAll<&Cell::count>(steps(times), birth, survival);
    for (int k = 0; k < times; ++k) reference.count(birth, survival);
  };
  expectStates(places, reference, "start");
  for (const int times : {1, 7, 37}) {
    places.template callAll<&Cell::lookUp>(steps(times), results);
    for (int k = 0; k < times; ++k) reference.lookUp(table);
    expectStates(places, reference, "table");
    // Reads the padding and the halos that passes on bits leave.
    places.template callAll<&Cell::shiftAtEvenSteps>(steps(3));
    for (int k = 0; k < 3; ++k) reference.shiftAtEvenSteps();
    if (afterShift == AfterShift::compares) expectStates(places, reference, "shift");
    count(times, 0x8U, 0xcU);
    expectStates(places, reference, "B3/S23");
    count(times, 0x16dU, 0x185U);
    expectStates(places, reference, "B02356/S0278");
  }
}

/// Compares a world on ranks and devices by compareOn().
template <class Cell>
void compare(const BoolWorld& world, const RankSetup& setup, AfterShift afterShift) {
  SCOPED_TRACE(fmt::format("{} x {}, borders {} {}, outside {}, {}", world.rows, world.columns,
                           static_cast<int>(world.ofRows), static_cast<int>(world.ofColumns),
                           world.outside, fmt::join(setup.more, ", ")));
  onRanks(setup, [&](Mass& mass) { compareOn<Cell>(mass, world, afterShift); });
}

}  // namespace mass::testing
