// error: a pointer is no attribute
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
 public:
  const int* other = nullptr;
  using Attributes = mass::Attributes<&Cell::other>;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)cells;
}
