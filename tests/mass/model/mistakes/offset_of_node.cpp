// error: nodes of a network have no neighbours at offsets
#include <mass/mass.hpp>

class Person : public mass::Node {
 public:
  int health = 0;
  using Attributes = mass::Attributes<&Person::health>;

  void meet(const mass::Neighborhood<Person>& near) { health = near(1).health; }
};

void run(mass::Mass& mass, const mass::Graph& graph) {
  mass.createGraph<Person>(graph).callAll<&Person::meet>();
}
