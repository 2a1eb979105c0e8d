// Dissemination of culture (Axelrod, J. Conflict Resolution 41, 203, 1997): villages that have
// something in common become more alike, and yet several cultures remain.
#include <mass/mass.hpp>
#include <set>

class Village : public mass::Place<2> {
 public:
  int features[5] = {};  // each is one of some traits
  using Attributes = mass::Attributes<&Village::features>;

  MASS_FN void settle(const mass::Here<2>& here, int traits) {
    auto random = here.random();
    for (int& trait : features) trait = random.pick(traits);
  }
  MASS_FN int differencesTo(const Village& other) const {
    int count = 0;
    for (int k = 0; k < 5; ++k) count += features[k] != other.features[k];
    return count;
  }
  MASS_FN void meet(const mass::Neighborhood<Village>& near) {
    auto random = near.random();
    if (!random.bernoulli(0.2)) return;  // few act at a time, in the original one
    const Village other = near(mass::vonNeumann<2>[random.pick(4)]);
    const int different = differencesTo(other);
    if (different == 0 || random.pick(5) >= 5 - different) return;
    int copied = random.pick(different);  // this one of the features that differ
    for (int k = 0; k < 5; ++k)
      if (features[k] != other.features[k] && copied-- == 0) features[k] = other.features[k];
  }
  /// Returns the number of neighbours that may change this village, or be changed by it.
  MASS_FN int active(const mass::Neighborhood<Village>& near) const {
    int count = 0;
    for (const auto offset : mass::vonNeumann<2>)
      count += differencesTo(near(offset)) % 5 != 0;  // of five, all are alike, or none
    return count;
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto size = mass.settings().get<std::int64_t>("size");
  const auto land =
      mass.createPlaces<Village>({size, size}, mass::borders<Village>(mass::Border::mirrored));
  land.callAll<&Village::settle>(mass.settings().get<int>("traits"));
  run.step([=] { land.callAll<&Village::meet>(); });
  const auto active = [=] { return land.reduce<&Village::active>(mass::sum); };
  run.observe("active", active);
  run.observe("cultures", [=] {
    const auto cultures = land.download<&Village::features>();
    return std::set(cultures.begin(), cultures.end()).size();
  });
  const auto isSettled = [=] { return active() == 0; };
  run.until("no neighbours can change each other", isSettled, 100);
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library();
  schema.add("size", 10, "villages", "edge of the land").atLeast(2);
  schema.add("traits", 10, "", "traits of a feature at the start").atLeast(1);
  return mass::runProgram(argc, argv, {"axelrod", "Cultures that spread.", schema, setUp});
}
