// error: agents on the nodes of a network move along links: use moveAlong
#include <mass/mass.hpp>

class Town : public mass::Node {
 public:
  int size = 0;
  using Attributes = mass::Attributes<&Town::size>;
};

class Walker : public mass::Agent<Town> {
 public:
  int age = 0;
  using Attributes = mass::Attributes<&Walker::age>;

  void walk(mass::Intent<Walker>& intent) { intent.move({1}); }
};

void run(const mass::Agents<Walker>& walkers) {
  walkers.callAll<&Walker::walk>();
}
