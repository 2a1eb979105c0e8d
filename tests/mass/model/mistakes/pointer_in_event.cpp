// error: a scheduled event has no pointers: they have no meaning after a roll-back
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
 public:
  int count = 0;
  using Attributes = mass::Attributes<&Cell::count>;
  void add(const int* number) { count += *number; }
  using Events = mass::Events<mass::scheduled<&Cell::add>>;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  const int number = 1;
  cells.schedule<&Cell::add>(mass::seconds(1), 0, &number);
}
