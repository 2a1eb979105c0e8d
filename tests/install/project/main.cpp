#include <mass/mass.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

/// A cell of the Game of Life, as a user would write it.
class Cell : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Cell::alive>;

  MASS_FN void next(const mass::Neighborhood<Cell>& near) {
    int living = 0;
    for (auto offset : mass::moore<2>) living += near(offset).alive;
    alive = living == 3 || (alive && living == 2);
  }
};

/// Throws a mass::Error unless exceptions of the library arrive as what they are.
void requireExceptions() {
  int caught = 0;
  try {
    mass::Settings().set("devises=2");
  } catch (const mass::SettingsError&) {
    ++caught;
  }
  try {
    mass::readByteArray("no such file", "", std::vector<std::int64_t>{1});
  } catch (const mass::InputError&) {
    ++caught;
  }
  try {
    mass::ColorMap::named("no such map");
  } catch (const mass::Error&) {
    ++caught;
  }
  if (caught != 3) throw mass::Error("only {} of 3 exceptions were caught", caught);
}

/// A glider on a torus of 8 x 8 cells: it moves one cell down and right in 4 generations, so it is
/// home after 32.
int main() {
  try {
    requireExceptions();
    mass::Settings settings;
    settings.set("backend=cpu");
    settings.set("devices=2");
    mass::Mass mass(settings);
    auto world = mass.createPlaces<Cell>({8, 8});
    std::vector<bool> glider(64);
    for (const unsigned cell : {1, 10, 16, 17, 18}) glider[cell] = true;
    world.upload<&Cell::alive>(glider);

    world.callAll<&Cell::next>(mass::steps(4));
    const auto moved = world.download<&Cell::alive>();
    for (const unsigned cell : {10, 19, 25, 26, 27}) {
      if (!moved[cell]) throw mass::Error("cell {} is dead after 4 generations", cell);
    }
    world.callAll<&Cell::next>(mass::steps(28));
    if (world.download<&Cell::alive>() != glider) throw mass::Error("the glider is not home");
    std::cout << "a glider has gone home over " << mass.devices().size() << " devices\n"
              << "state hash " << mass.hash() << '\n';
  } catch (const mass::Error& error) {
    std::cout << error.what() << '\n';
    return 1;
  }
}
