// error: an array attribute must have one dimension
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
 public:
  float values[2][3] = {};
  using Attributes = mass::Attributes<&Cell::values>;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)cells;
}
