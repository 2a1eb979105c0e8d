// Dissemination of culture (Axelrod, J. Conflict Resolution 41, 203, 1997): people who have
// something in common become more alike, and yet several cultures remain.
#include <mass/mass.hpp>

#include <set>

/// A person, or village, with five features, each one of some traits.
class Village : public mass::Place<2> {
 public:
  static constexpr int features = 5;
  std::uint8_t traits[features] = {};
  using Attributes = mass::Attributes<&Village::traits>;

  MASS_FN void settle(const mass::Here<2>& here, int kinds) {
    mass::Random random = here.random();
    for (auto& trait : traits) trait = static_cast<std::uint8_t>(below(random, kinds));
  }
  static MASS_FN int below(mass::Random& random, int bound) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(bound)));
  }
  /// Returns the traits as one number.
  MASS_FN std::uint64_t culture() const {
    std::uint64_t number = 0;
    for (const auto trait : traits) number = number * 256 + trait;
    return number;
  }
  MASS_FN int alike(const Village& other) const {
    int equal = 0;
    for (int k = 0; k < features; ++k) equal += traits[k] == other.traits[k];
    return equal;
  }
  /// Meets a neighbour, with a probability of their likeness, and takes over a trait. A few
  /// villages are active at a time, for in the original it is one.
  MASS_FN void meet(const mass::Neighborhood<Village>& near) {
    mass::Random random = near.random();
    if (!random.bernoulli(0.2)) return;
    const Village other = near(mass::vonNeumann<2>[below(random, 4)]);
    const int equal = alike(other);
    if (equal == features || below(random, features) >= equal) return;
    int differing = below(random, features - equal);
    for (int k = 0; k < features; ++k)
      if (traits[k] != other.traits[k] && differing-- == 0) traits[k] = other.traits[k];
  }
  /// Returns the number of neighbours that may change this village, or be changed by it.
  MASS_FN int active(const mass::Neighborhood<Village>& near) const {
    int count = 0;
    for (const auto offset : mass::vonNeumann<2>) {
      const int equal = alike(near(offset));
      count += equal > 0 && equal < features;
    }
    return count;
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto land =
      mass.createPlaces<Village>({size, size}, mass::borders<Village>(mass::Border::mirrored));
  land.callAll<&Village::settle>(settings.get<int>("traits"));
  run.step([=] { land.callAll<&Village::meet>(); });
  const auto active = [=] { return land.reduce<&Village::active>(mass::sum); };
  run.observe("active", active);
  run.observe("cultures", [=] {
    const auto cultures = land.map<&Village::culture>();
    return std::set(cultures.begin(), cultures.end()).size();
  });
  run.until(
      "no neighbours can change each other", [=] { return active() == 0; }, 100);
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library();
  schema.add("size", 10, "villages", "edge of the land").atLeast(2);
  schema.add("traits", 10, "", "traits of a feature at the start").between(1, 255);
  return mass::runProgram(argc, argv, {"axelrod", "Cultures that spread.", schema, setUp});
}
