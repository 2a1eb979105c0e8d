#include <mass/mass.hpp>

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

/// A glider on a torus of 8 x 8 cells: it moves one cell down and right in 4 generations, so it is
/// home after 32.
int main() {
  try {
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
    std::cout << "a glider has gone home over " << mass.devices().size() << " devices\n";
  } catch (const mass::Error& error) {
    std::cout << error.what() << '\n';
    return 1;
  }
}
