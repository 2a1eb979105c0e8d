// error: the type of an attribute must have no padding bytes
#include <mass/mass.hpp>

struct Empty {};

class Cell : public mass::Place<2> {
 public:
  Empty value;
  using Attributes = mass::Attributes<&Cell::value>;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)cells;
}
