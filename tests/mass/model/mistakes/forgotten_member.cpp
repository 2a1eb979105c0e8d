// error: a data member of this class is missing in its Attributes
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
 public:
  int value = 0;
  bool forgotten = false;
  using Attributes = mass::Attributes<&Cell::value>;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)cells;
}
