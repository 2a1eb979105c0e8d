// Epidemic on a network (Newman, Phys. Rev. E 66, 016128, 2002; Pastor-Satorras & Vespignani, Phys.
// Rev. Lett. 86, 3200, 2001): people are ill for some days and infect those to whom they have
// links.
#include <mass/mass.hpp>

struct Options {
  std::int64_t people = 100000, contacts = 6, cases = 100;
  int days = 5;
  double infection = 0.1;
  bool hubs = true;
  using Keys = mass::Keys<&Options::people, &Options::contacts, &Options::cases, &Options::days,
                          &Options::infection, &Options::hubs>;
};

class Person : public mass::Node {
 public:
  std::int32_t days = -1;  // left of the illness; 0 if it is over, -1 before it
  using Attributes = mass::Attributes<&Person::days>;

  MASS_FN bool isSusceptible() const { return days < 0; }
  MASS_FN bool isIll() const { return days > 0; }
  MASS_FN bool isRecovered() const { return days == 0; }

  MASS_FN void live(const mass::Links<Person>& contacts, const mass::Here<1>& here, Options daily) {
    double escape = 1;
    for (const auto contact : contacts)
      if (contact.node().isIll()) escape *= 1 - daily.infection;
    if (isIll()) --days;
    const bool isFirst =
        here.step() == 0 && here.index() * daily.cases % daily.people < daily.cases;
    if (isSusceptible() && (isFirst || here.random().bernoulli(1 - escape))) days = daily.days;
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto options = mass.settings().read<Options>();
  const auto seed = mass.settings().get<std::uint64_t>("seed");
  const auto mean = static_cast<double>(options.contacts);
  const auto all = static_cast<double>(options.people);
  const auto people = mass.createGraph<Person>(
      options.hubs ? mass::barabasiAlbertGraph(options.people, options.contacts / 2, seed)
                   : mass::erdosRenyiGraph(options.people, mean / (all - 1), seed));
  run.step([=] { people.callAll<&Person::live>(options); });
  run.observe("susceptible", [=] { return people.reduce<&Person::isSusceptible>(mass::sum); });
  run.observe("ill", [=] { return people.reduce<&Person::isIll>(mass::sum); });
  run.observe("recovered", [=] { return people.reduce<&Person::isRecovered>(mass::sum); });
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 100).add<Options>();
  schema.between("people", 2, 1e9).between("contacts", 2, 1e6).between("cases", 0, 1e9);
  schema.between("days", 1, 1e9).between("infection", 0, 1);
  return mass::runProgram(argc, argv,
                          {"sir_on_network", "An epidemic on a network.", schema, setUp});
}
