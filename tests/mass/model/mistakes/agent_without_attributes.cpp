// error: a class of places or agents must have `public: using Attributes
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};
class Mover : public mass::Agent<Cell> {
 public:
  int value = 0;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)mass.createAgents<Mover>(cells, 3);
}
