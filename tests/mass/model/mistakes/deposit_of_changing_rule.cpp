// error: deposit adds an attribute of agents, or the value of a const function without parameters
#include <mass/mass.hpp>

class Mover;

class Cell : public mass::Place<2> {
 public:
  int value = 0;
  int pair[2] = {0, 0};
  using Attributes = mass::Attributes<&Cell::value, &Cell::pair>;
};

class Mover : public mass::Agent<Cell> {
 public:
  int value = 0;
  using Attributes = mass::Attributes<&Mover::value>;

  void split() { ++value; }
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  const auto movers = mass.createAgents<Mover>(cells, 3);
  (void)movers;
  movers.deposit<&Mover::split, &Cell::value>();
}
