// error: an attribute is a number, an enum, or an array or struct of them
#include <mass/mass.hpp>

#include <string>

class Cell : public mass::Place<2> {
 public:
  std::string value;
  using Attributes = mass::Attributes<&Cell::value>;
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  (void)cells;
}
