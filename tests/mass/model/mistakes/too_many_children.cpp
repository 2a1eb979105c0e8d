// error: a class of agents with children must declare their maximum number, 1 to 255
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

  static constexpr int offspring = 256;
  void split(mass::Intent<Mover>& intent) { intent.spawn(*this); }
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  const auto movers = mass.createAgents<Mover>(cells, 3);
  (void)movers;
  movers.callAll<&Mover::split>();
}
