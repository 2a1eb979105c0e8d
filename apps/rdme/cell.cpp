#include <apps/rdme/cell.hpp>

#include <apps/rdme/lattice.hpp>
#include <apps/rdme/oscillation.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace rdme {
namespace {

/// A model that runs.
struct Cell {
  Model model;
  std::unique_ptr<Lattice> lattice;
};
using Shared = std::shared_ptr<const Cell>;

/// The number of the species whose numbers along z are wanted; -1 when none are.
int profiled(const mass::Settings& settings, const Model& model) {
  const auto name = settings.get<std::string>("output.profile_of");
  if (name.empty()) return -1;
  const auto found = std::find(model.species.begin(), model.species.end(), name);
  if (found == model.species.end()) {
    const auto nearest = mass::nearestName(name, model.species);
    settings.reject("output.profile_of",
                    fmt::format("there is no such species{}",
                                nearest.empty() ? "" : ": did you mean '" + nearest + "'?"));
  }
  return static_cast<int>(found - model.species.begin());
}

/// Sites in every layer along z where a species may be.
std::vector<double> sitesOf(const Model& model, int species) {
  const auto layer = static_cast<std::size_t>(model.sites[1] * model.sites[2]);
  std::vector<double> sites(static_cast<std::size_t>(model.sites[0]));
  for (std::size_t i = 0; i < sites.size() * layer; ++i) {
    const int type = model.types.empty() ? 1 : model.types[i];
    if (model.mayBe(species, type)) sites[i / layer] += 1;
  }
  return sites;
}

void observeCounts(mass::Simulation& run, const Shared& cell) {
  run.observe("time",
              [cell, &run] { return static_cast<double>(run.step()) * cell->model.timeStep; });
  const Model& model = cell->model;
  for (int species = 0; species < static_cast<int>(model.species.size()); ++species) {
    const std::string& name = model.species[static_cast<std::size_t>(species)];
    run.observe(name,
                [cell, species] { return static_cast<double>(cell->lattice->count(species)); });
    for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type) {
      if (model.siteTypes.size() < 3 || !model.mayBe(species, type)) continue;
      run.observe(name + "." + model.siteTypes[static_cast<std::size_t>(type)],
                  [cell, species, type] {
                    return static_cast<double>(cell->lattice->countIn(species, type));
                  });
    }
  }
  run.observe("overflows", [cell] { return static_cast<double>(cell->lattice->spilled()); });
}

/// The picture of a species along z over time, and how it swings.
std::string evaluate(const std::filesystem::path& table, const Model& model, int species,
                     double from, std::int64_t balanceEvery) {
  const std::string& name = model.species[static_cast<std::size_t>(species)];
  auto course = SpaceTime::read(table, name + ".z", model.timeStep);
  auto file = table;
  if (balanceEvery > 0) {
    course.readCuts(file.replace_filename("balance-sites.csv"), model.timeStep, balanceEvery);
  }
  file.replace_filename(fmt::format("{}-{}.png", table.stem().string(), name));
  paint(course, sitesOf(model, species), file);
  std::string text = fmt::format("  space-time  {}\n", file.string());
  const Period period = periodOf(course, from);
  if (period.cycles == 0) return text + fmt::format("  period      none of {} seen\n", name);
  return text + fmt::format("  period      {:.1f} s, spread {:.1f} s, {} cycles of {}\n",
                            period.mean, period.spread, period.cycles, name);
}

void observeProfile(mass::Mass& mass, mass::Simulation& run, const Shared& cell) {
  const int species = profiled(mass.settings(), cell->model);
  if (species < 0) return;
  std::vector<std::string> columns;
  for (std::int64_t z = 0; z < cell->model.sites[0]; ++z) {
    columns.push_back(
        fmt::format("{}.z{}", cell->model.species[static_cast<std::size_t>(species)], z));
  }
  run.observe(std::move(columns), [cell, species] {
    const auto counts = cell->lattice->profile(species);
    return std::vector<double>(counts.begin(), counts.end());
  });
  const auto from = mass.settings().get<double>("output.period_from");
  const auto every =
      mass.devices().size() > 1 ? mass.settings().get<std::int64_t>("balance.every") : 0;
  run.evaluate([cell, species, from, every](const std::filesystem::path& table) {
    return evaluate(table, cell->model, species, from, every);
  });
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  auto made = std::make_shared<Cell>();
  made->model = Model::of(mass.settings());
  mass::printResult(made->model.report());
  made->lattice = createLattice(mass, made->model);
  const Shared cell = made;
  run.timeStep(cell->model.timeStep);
  run.advance([made, &run](mass::Steps steps) { made->lattice->advance(run.step(), steps); });
  observeCounts(run, cell);
  observeProfile(mass, run, cell);
  cell->lattice->writeData(run, cell->model);
}

}  // namespace rdme
