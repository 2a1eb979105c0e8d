// error: a class of places or agents must have `public: using Attributes
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
  int value = 0;
  using Attributes = mass::Attributes<&Cell::value>;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)cells;
}
