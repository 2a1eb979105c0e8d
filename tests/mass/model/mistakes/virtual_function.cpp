// error: a class of places or agents has no virtual functions
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
 public:
  int value = 0;
  using Attributes = mass::Attributes<&Cell::value>;
  virtual void next() {}
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)cells;
}
