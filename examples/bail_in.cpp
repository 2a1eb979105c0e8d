// Contagion among banks (Gai & Kapadia, Proc. R. Soc. A 466, 2401, 2010): a bank fails if it loses
// more than its capital on failed debtors. In a bail-in, it loses a part (`loss`) of claims only.
#include <mass/mass.hpp>
#include <random>

struct Options {
  std::int64_t systems = 100, banks = 1000;
  double debtors = 3, claims = 0.2, capital = 0.04, loss = 1;
  using Keys = mass::Keys<&Options::systems, &Options::banks, &Options::debtors, &Options::claims,
                          &Options::capital, &Options::loss>;
};

class Bank : public mass::Node {
 public:
  bool hasFailed = false;
  using Attributes = mass::Attributes<&Bank::hasFailed>;

  MASS_FN void value(const mass::Links<Bank>& debtors, const mass::Here<1>& here, Options given) {
    int failed = 0;
    for (const auto debtor : debtors) failed += debtor.node().hasFailed ? 1 : 0;
    const double lost = failed == 0 ? 0 : given.claims * given.loss * failed / debtors.size();
    hasFailed |= lost > given.capital || (here.step() == 0 && here.index() % given.banks == 0);
  }
};

/// Returns links of banks to their debtors, at random in each system.
mass::Graph claimsIn(const Options& given, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto bank = [&] { return static_cast<std::int64_t>(random() >> 1) % given.banks; };
  const auto claims = static_cast<std::int64_t>(given.debtors * static_cast<double>(given.banks));
  std::vector<mass::Graph::Edge> edges;
  for (std::int64_t i = 0; i < given.systems * claims; ++i)
    edges.push_back({i / claims * given.banks + bank(), i / claims * given.banks + bank()});
  const mass::Graph::Options options{mass::Graph::Direction::directed, mass::Graph::SelfLoops::drop,
                                     mass::Graph::Duplicates::merge};
  return {given.systems * given.banks, edges, {}, options};
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto given = mass.settings().read<Options>();
  const auto seed = mass.settings().get<std::uint64_t>("seed");
  const auto banks = mass.createGraph<Bank>(claimsIn(given, seed));
  run.step([=] { banks.callAll<&Bank::value>(given); });
  const auto share = [](auto some, auto all) { return 100.0 / double(all) * double(some); };
  run.observe("failed",
              [=] { return share(banks.reduce<&Bank::hasFailed>(mass::sum), banks.size()); });
  run.observe("contagions", [=] {  // systems in which more than 5 % have failed
    std::vector<std::int64_t> failed(static_cast<std::size_t>(given.systems));
    for (std::size_t number = 0; const bool it : banks.download<&Bank::hasFailed>())
      failed[number++ * failed.size() / std::size_t(banks.size())] += it ? 20 : 0;
    return share(std::ranges::count_if(failed, [=](auto n) { return n > given.banks; }),
                 given.systems);
  });
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 50).add<Options>();
  schema.between("systems", 1, 1e6).between("banks", 1, 1e6).between("debtors", 0, 1000);
  return mass::runProgram(argc, argv, {"bail_in", "Contagion among banks.", schema, setUp});
}
