// Epidemic by contacts (Kermack & McKendrick, Proc. R. Soc. A 115, 700, 1927, with an incubation
// period): each day everybody visits a square drawn at random and meets those who are there.
#include <mass/mass.hpp>

enum class Health : std::uint8_t { susceptible, exposed, infectious, recovered };

struct Options {
  std::int64_t people = 30000, squares = 100;
  double infection = 0.1, onset = 0.2, recovery = 0.15;
  using Keys = mass::Keys<&Options::people, &Options::squares, &Options::infection, &Options::onset,
                          &Options::recovery>;
};

class Square : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

class Person : public mass::Agent<Square> {
 public:
  static constexpr int travel = mass::anywhere;
  Health health = Health::susceptible;
  using Attributes = mass::Attributes<&Person::health>;

  MASS_FN void live(const mass::Residents<Person>& here, mass::Intent<Person>& intent,
                    Options daily) {
    auto random = intent.random();
    double escape = 1;
    for (const Person other : here)
      escape *= other.health == Health::infectious ? 1 - daily.infection : 1;
    const double chance[] = {1 - escape, daily.onset, daily.recovery, 0};
    if (intent.step() == 0 && intent.id() < 30) health = Health::exposed;
    const auto stage = static_cast<int>(health);
    if (random.bernoulli(chance[stage])) health = static_cast<Health>(stage + 1);
    const auto edge = static_cast<std::uint32_t>(intent.shape()[0]);
    intent.moveTo({random.below(edge), random.below(edge)});
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto options = mass.settings().read<Options>();
  const auto squares = mass.createPlaces<Square>({options.squares, options.squares});
  const auto people = mass.createAgents<Person>(squares, options.people);
  run.step([=] {
    people.callAll<&Person::live>(people, options);
    people.manageAll();
  });
  run.observe<&Person::health>(people, {"susceptible", "exposed", "infectious", "recovered"});
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 300).add<Options>();
  schema.between("people", 0, 1e9).between("squares", 1, 1e5).between("infection", 0, 1);
  schema.between("onset", 0, 1).between("recovery", 0, 1);
  return mass::runProgram(argc, argv, {"seir", "An epidemic by contacts.", schema, setUp});
}
