// Model that compiles. With MISTAKES it has one mistake of each kind that the compiler must reject.

#include <mass/model/mass.hpp>

class Mover;

class Cell : public mass::Place<2> {
 public:
  int value = 0;
  int pair[2] = {0, 0};
  using Attributes = mass::Attributes<&Cell::value, &Cell::pair>;

  void add(int amount) { value += amount; }
  int twice() const { return 2 * value; }
  void look(const mass::NeighborSums<Mover>&) {}
};

class Other : public mass::Place<2> {
 public:
  int value = 0;
#ifdef MISTAKES
  bool forgotten = false;
#endif
  using Attributes = mass::Attributes<&Other::value>;
};

class Site : public mass::Place<2> {
 public:
  mass::Multiset<4, 1> particles;
  using Attributes = mass::Attributes<&Site::particles>;

#ifdef MISTAKES
  mass::Multiset<4, 1> reacted(const mass::Scatter<Site>&) const {
    return particles;
  }
#else
  mass::Multiset<4, 1> reacted() const {
    return particles;
  }
#endif
  void hop(const mass::Scatter<Site>& out, mass::Element particle) const {
    out.send({}, particle.value);
  }
};

class Mover : public mass::Agent<Cell> {
 public:
#ifdef MISTAKES
  static constexpr int offspring = 256;
#else
  static constexpr int offspring = 255;
#endif
  int value = 0;
  using Attributes = mass::Attributes<&Mover::value>;

  void split(mass::Intent<Mover>& intent) {
    intent.spawn(*this);
  }
  int request(mass::Intent<Mover>& intent) const {
    return intent.move({1, 0}) ? 1 : 0;
  }
};

void run(mass::Mass& mass) {
  auto places = mass.createPlaces<Cell>({8, 8});
  auto others = mass.createPlaces<Other>({8, 8});  // a data member is missing
  places.callAll<&Cell::add>(1);
  auto sites = mass.createPlaces<Site>({8, 8});
  sites.callAll<&Site::reacted, &Site::hop>(mass::steps(1));  // both send
  auto movers = mass.createAgents<Mover>(places, 3);
  movers.callAll<&Mover::split>();  // too many children
  movers.deposit<&Mover::value, &Cell::value>();
#ifdef MISTAKES
  places.callAll<&Cell::add>(1, 2);               // too many arguments
  places.callAll<&Cell::twice>();                 // a reading rule
  (void)places.reduce<&Cell::add>(mass::sum, 1);  // a changing rule
  (void)places.download<&Other::value>();         // attribute of another class
  (void)movers.map<&Mover::request>();            // a reading rule with an Intent
  movers.deposit<&Mover::split, &Cell::value>();  // a changing rule
  movers.deposit<&Mover::value, &Cell::pair>();   // target is no number
  places.callAll<&Cell::look>(movers);            // NeighborSums in a rule of places
#endif
}
