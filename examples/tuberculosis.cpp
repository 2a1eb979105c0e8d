// Tuberculosis by the rules of MASS's benchmark, a short form of those of Segovia-Juarez et al.
// (J. Theor. Biol. 231, 357, 2004): immune cells climb a chemokine to the bacteria in a lung.
#include <mass/mass.hpp>

enum class State : std::uint8_t { resting, infected, activated, chronic, burst };

class Lung : public mass::Place<2> {
 public:
  int chemokine = -1;  // 0 to 2; outside the lung, there is less
  bool bacteria = false, vessel = true;
  using Attributes = mass::Attributes<&Lung::chemokine, &Lung::bacteria, &Lung::vessel>;

  MASS_FN void lay(const mass::Here<2>& here) {
    chemokine = 0, bacteria = true;
    for (int axis = 0; axis < 2; ++axis) {
      const auto at = here.coordinates()[axis], size = here.shape()[axis], quarter = size / 4;
      bacteria = bacteria && (at == size / 2 - 1 || at == size / 2);
      vessel = vessel && (at == quarter - 1 || at == size - quarter);
    }
  }
  /// Macrophages secrete chemokine; bacteria grow every ten days; vessels bring cells.
  template <class Macrophage, class TCell>
  MASS_FN void live(const mass::Neighborhood<Lung>& near, const mass::Neighbors<Macrophage>& cells,
                    const mass::Births<Macrophage>& macrophages, const mass::Births<TCell>& tcells,
                    int firstDay) {
    auto random = near.random();
    const int day = static_cast<int>(near.step()) - 1;
    if (chemokine > 0) --chemokine;
    for (int row = -1; row <= 1; ++row)
      for (int column = -1; column <= 1; ++column) {
        bacteria = bacteria || (day > 0 && day % 10 == 0 && near(row, column).bacteria);
        for (const Macrophage& cell : cells(row, column)) {
          bacteria = bacteria || cell.state == State::burst;
          if (cell.state != State::activated) chemokine = 2;
        }
      }
    if (vessel && random.bernoulli(0.5)) macrophages.add();  // if no other is there
    if (vessel && day > firstDay && random.bernoulli(0.5)) tcells.add();
  }
};

/// Moves to one of the places around with the most chemokine.
template <class Cell>
MASS_FN void climb(const mass::Neighborhood<Lung>& near, mass::Intent<Cell>& intent) {
  auto random = intent.random();
  int most = 0, count = 0;
  mass::Offset<2> best{0, 0};
  for (const auto offset : mass::moore<2>) {
    const int chemokine = near(offset).chemokine;
    if (chemokine > most) most = chemokine, count = 0;
    if (chemokine == most && random.pick(++count) == 0) best = offset;
  }
  intent.move(best);
}

class TCell : public mass::Agent<Lung> {
 public:
  static constexpr std::int64_t capacity = 1;
  using Attributes = mass::Attributes<>;

  MASS_FN void move(const mass::Neighborhood<Lung>& near, mass::Intent<TCell>& intent) {
    climb(near, intent);
  }
};

class Macrophage : public mass::Agent<Lung> {
 public:
  static constexpr std::int64_t capacity = 1;
  State state = State::resting;
  int inside = 0;  // bacteria
  using Attributes = mass::Attributes<&Macrophage::state, &Macrophage::inside>;

  MASS_FN void move(const mass::Neighborhood<Lung>& near, mass::Intent<Macrophage>& intent) {
    if (state == State::burst) return intent.kill();
    climb(near, intent);
  }
  MASS_FN void live(const mass::Resource<&Lung::bacteria>& bacteria,
                    const mass::Residents<TCell>& tcells) {
    if (state == State::resting || state == State::activated) {
      if (state == State::resting && bacteria.left()) state = State::infected, inside = 1;
      return bacteria.set(false);
    }
    inside += 2;
    if (state == State::chronic && (!tcells.empty() || inside >= 100)) state = State::burst;
    if (state == State::infected && inside > 75) state = State::chronic;
    if (state == State::infected && !tcells.empty()) state = State::activated, inside = 0;
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto firstDay = settings.get<int>("t_cells_from");
  const auto lung = mass.createPlaces<Lung>({size, size}, mass::borders<Lung>(mass::Border::fixed));
  const auto macrophages =
      mass.createAgents<Macrophage>(lung, settings.get<std::int64_t>("macrophages"));
  const auto tcells = mass.createAgents<TCell>(lung, 0);
  lung.callAll<&Lung::lay>();
  run.timeStep(86400);
  run.step([=] {
    lung.callAll<&Lung::live<Macrophage, TCell>>(macrophages, macrophages, tcells, firstDay);
    macrophages.callAll<&Macrophage::move>();
    tcells.callAll<&TCell::move>();
    macrophages.manageAll();
    tcells.manageAll();
    macrophages.callAll<&Macrophage::live>(tcells);
  });
  run.observe<&Lung::bacteria>(lung, mass::sum);
  run.observe<&Macrophage::state>(macrophages,
                                  {"resting", "infected", "activated", "chronic", "burst"});
  run.observe("t_cells", [=] { return tcells.size(); });
  run.picture<&Lung::bacteria>(lung, {"tissue", "bacteria"}, {{245, 225, 220}, {60, 40, 60}});
  const std::vector<std::string> states{"resting", "infected", "activated", "chronic", "burst"};
  run.layer<&Macrophage::state>(
      macrophages, states,
      {{60, 170, 80}, {235, 200, 40}, {60, 190, 230}, {150, 60, 160}, {200, 30, 60}});
  run.layer(tcells, {40, 70, 220});
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 200);
  schema.add("size", 100, "places", "edge of the lung").atLeast(4);
  schema.add("macrophages", 100, "", "macrophages at the start").atLeast(0);
  schema.add("t_cells_from", 10, "days", "time from which vessels bring T cells").atLeast(0);
  return mass::runProgram(argc, argv, {"tuberculosis", "Immune cells in a lung.", schema, setUp});
}
