// error: of two rules as one, the first is `Multiset f(args...) const`
#include <mass/mass.hpp>

class Cell : public mass::Place<2> {
 public:
  mass::Multiset<4, 1> particles;
  using Attributes = mass::Attributes<&Cell::particles>;

  mass::Multiset<4, 1> reacted(const mass::Scatter<Cell>&) const { return particles; }
  void hop(const mass::Scatter<Cell>& out, mass::Element particle) const {
    out.send({}, particle.value);
  }
};

void run(mass::Mass& mass) {
  const auto cells = mass.createPlaces<Cell>({8, 8});
  cells.callAll<&Cell::reacted, &Cell::hop>(mass::steps(1));
}
