#include <mass/mass.hpp>

#include <iostream>

class Life : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Life::alive>;

  MASS_FN void nextGeneration(const mass::Neighborhood<Life>& near) {
    int living = 0;
    for (auto offset : mass::moore<2>) living += near(offset).alive;
    alive = living == 3 || (alive && living == 2);
  }
};

int main() {
  mass::Mass mass{mass::Settings()};
  auto world = mass.createPlaces<Life>({64, 64});
  world.initialise<&Life::alive>([](const mass::Coordinates<2>& at) {
    return at[0] == 32 && 27 <= at[1] && at[1] < 37;  // ten in a row: the pentadecathlon
  });
  world.callAll<&Life::nextGeneration>(mass::steps(30));
  std::cout << world.reduce<&Life::alive>(mass::sum) << " cells are alive\n";
}
