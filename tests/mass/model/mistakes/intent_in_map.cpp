// error: a rule that only reads its place or agent has no Intent
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

  int request(mass::Intent<Mover>& intent) const { return intent.move({1, 0}) ? 1 : 0; }
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  const auto movers = mass.createAgents<Mover>(cells, 3);
  (void)movers;
  (void)movers.map<&Mover::request>();
}
