#include <apps/rdme/setup.hpp>

#include <apps/rdme/analysis/kymograph.hpp>
#include <apps/rdme/lattice/initial_placement.hpp>
#include <apps/rdme/lattice/lattice.hpp>
#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/typography.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rdme {
namespace {

const std::string fullColumn = "full_sites";

/// State of a run.
struct RunState {
  Model model;
  std::unique_ptr<Lattice> lattice;
  std::uint64_t seed = 0;
  std::string file{};              ///< settings file, for messages
  bool fullSitesReported = false;  ///< full sites have been reported
};
using SharedState = std::shared_ptr<const RunState>;

/// Returns advice for a run whose sites are full.
std::string capacityAdvice(const RunState& state) {
  if (state.lattice->capacity() >= maxParticlesPerSite) {
    return "this is the largest capacity: reduce the particles or the spacing";
  }
  return fmt::format("set 'capacity: {}' in the section 'model'{}{}, and restart from step 0",
                     maxParticlesPerSite, state.file.empty() ? "" : " of ", state.file);
}

/// Adds the particles of the stimuli that are due after a number of steps.
void stimulate(const RunState& state, std::int64_t done) {
  for (std::size_t i = 0; i < state.model.stimuli.size(); ++i) {
    const Stimulus& stimulus = state.model.stimuli[i];
    if (stimulus.step != done) continue;
    try {
      state.lattice->add(stimulusPlacement(stimulus, static_cast<std::uint32_t>(i), state.seed));
    } catch (const mass::ModelError& error) {
      throw mass::ModelError("{}: {}", stimulus.where, error.what());
    }
  }
}

/// Returns the number of steps to the next stimulus, at most `steps`.
/// @param done number of steps before these
std::int64_t stepsToStimulus(const Model& model, std::int64_t done, std::int64_t steps) {
  for (const Stimulus& stimulus : model.stimuli)
    if (stimulus.step > done) steps = std::min(steps, stimulus.step - done);
  return steps;
}

/// Advances the model. @throws mass::ModelError if the capacity of a site is exceeded
void advance(const RunState& state, std::int64_t done, mass::Steps steps) {
  const std::int64_t end = done + steps.count;
  try {
    while (done < end) {
      stimulate(state, done);
      const mass::Steps next{stepsToStimulus(state.model, done, end - done)};
      state.lattice->advance(done, next);
      done += next.count;
    }
  } catch (const mass::OverflowError&) {
    throw mass::ModelError(
        "by step {} a site received more than {} particles, its capacity, and the state is lost: "
        "{}",
        end, state.lattice->capacity(), capacityAdvice(state));
  }
}

/// Returns the largest increase in particles by one reaction in a site type, at least 0.
int maxGrowth(const Model& model, int type) {
  std::size_t most = 0;
  for (const Channel& channel : model.channels) {
    if (channel.siteType != type || !(channel.propensity > 0)) continue;
    if (channel.products.size() > channel.reactants.size())
      most = std::max(most, channel.products.size() - channel.reactants.size());
  }
  return static_cast<int>(most);
}

/// True if some reaction increases the number of particles.
bool canGrow(const Model& model) {
  for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type)
    if (maxGrowth(model, type) > 0) return true;
  return false;
}

/// Returns the number of sites that cannot store the products of every reaction of their type. A
/// reaction whose products do not fit does not happen, and is not counted.
std::int64_t countFullSites(const RunState& state) {
  std::int64_t sites = 0;
  for (int type = 1; type < static_cast<int>(state.model.siteTypes.size()); ++type)
    if (const int growth = maxGrowth(state.model, type); growth > 0)
      sites += state.lattice->sitesWithoutRoom(type, growth);
  return sites;
}

/// Returns the number of full sites at a step of `run`, with a warning the first time that there
/// are any.
std::int64_t reportFullSites(RunState& state, const mass::Simulation& run, std::int64_t step) {
  const std::int64_t sites = countFullSites(state);
  if (sites == 0 || std::exchange(state.fullSitesReported, true)) return sites;
  run.warn(fmt::format(
      "{1} sites are full at step {0}, with a capacity of {2} particles each: reactions that "
      "increase the particles do not happen there, so the results deviate from the model; {3}",
      step, sites, state.lattice->capacity(), capacityAdvice(state)));
  return sites;
}

/// Returns the index of the species of `output.profile_of`; -1 if it names none.
int profileSpecies(const mass::Settings& settings, const Model& model) {
  const auto name = settings.get<std::string>("output.profile_of");
  if (name.empty()) return -1;
  if (const auto found = findName(plainText(name), model.species)) return *found;
  const auto nearest = mass::nearestName(name, model.species);
  settings.reject(
      "output.profile_of",
      fmt::format("no such species{}", nearest.empty() ? "" : ": did you mean '" + nearest + "'?"));
}

/// Returns the number of sites in each layer along z where a species may be.
std::vector<double> sitesPerLayer(const Model& model, int species) {
  const auto layer = static_cast<std::size_t>(model.sites[1] * model.sites[2]);
  std::vector<double> sites(static_cast<std::size_t>(model.sites[0]));
  for (std::size_t i = 0; i < sites.size() * layer; ++i) {
    const int type = model.types.empty() ? 1 : model.types[i];
    if (model.isAllowed(species, type)) sites[i / layer] += 1;
  }
  return sites;
}

/// True if the table has a column for a species in a site type: there are several types, and the
/// species may be in this one.
bool isCountedIn(const Model& model, int species, int type) {
  return model.siteTypes.size() >= 3 && model.isAllowed(species, type);
}

/// Registers the columns of the table: time, numbers of particles, and overflows.
void observeCounts(mass::Simulation& run, const SharedState& state) {
  run.observe("time",
              [state, &run] { return static_cast<double>(run.step()) * state->model.timeStep; });
  const Model& model = state->model;
  for (int species = 0; species < static_cast<int>(model.species.size()); ++species) {
    const std::string& name = model.species[static_cast<std::size_t>(species)];
    run.observe(name,
                [state, species] { return static_cast<double>(state->lattice->count(species)); });
    for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type) {
      if (!isCountedIn(model, species, type)) continue;
      run.observe(name + "." + model.siteTypes[static_cast<std::size_t>(type)],
                  [state, species, type] {
                    return static_cast<double>(state->lattice->countIn(species, type));
                  });
    }
  }
  if (model.clock == Clock::events) return;
  run.observe("overflows",
              [state] { return static_cast<double>(state->lattice->overflowedWords()); });
}

/// Returns the summary of the column of full sites; empty if there were none.
std::string fullSiteSummary(const std::filesystem::path& table) {
  mass::CsvReader reader(table);
  const auto& columns = reader.columns();
  const auto column = static_cast<std::size_t>(
      std::find(columns.begin(), columns.end(), fullColumn) - columns.begin());
  std::int64_t most = 0, rows = 0, full = 0;
  while (reader.next()) {
    const auto sites = std::llround(reader.number<double>(column));
    most = std::max<std::int64_t>(most, sites);
    full += sites > 0 ? 1 : 0;
    ++rows;
  }
  if (most == 0) return {};
  return fmt::format(
      "  WARNING     full sites suppress reactions: {} of {} rows of the table have some, at most "
      "{}\n",
      full, rows, most);
}

/// Draws the kymograph of a species, measures its oscillation, and returns the summary of both.
std::string analyzeProfile(const std::filesystem::path& table, const Model& model, int species,
                           double from, std::int64_t balanceEvery) {
  const std::string& name = model.species[static_cast<std::size_t>(species)];
  auto kymograph = Kymograph::read(table, name + ".z", model.timeStep);
  if (kymograph.times.empty()) return {};  // restarted at its last step, in a new folder
  auto file = table;
  if (balanceEvery > 0) {
    kymograph.readCuts(file.replace_filename("balance-sites.csv"), model.timeStep, balanceEvery);
  }
  file.replace_filename(fmt::format("{}-{}.png", table.stem().string(), name));
  writeKymograph(kymograph, sitesPerLayer(model, species), file);
  std::string text = fmt::format("  kymograph   {}\n", file.string());
  const Period period = oscillationPeriod(kymograph, from);
  if (period.cycles == 0) return text + fmt::format("  period      no oscillation of {}\n", name);
  return text + fmt::format("  period      {:.3g} s, spread {:.3g} s, {} cycles of {}\n",
                            period.mean, period.spread, period.cycles, name);
}

/// Registers the columns of `output.profile_of`. Returns the function that evaluates them after the
/// run.
std::function<std::string(const std::filesystem::path&)> observeProfile(mass::Mass& mass,
                                                                        mass::Simulation& run,
                                                                        const SharedState& state) {
  const int species = profileSpecies(mass.settings(), state->model);
  if (species < 0) return [](const std::filesystem::path&) { return std::string{}; };
  const auto& types = state->model.siteTypes;
  std::vector<std::string> columns;
  for (std::int64_t z = 0; z < state->model.sites[0]; ++z) {
    const std::string layer = fmt::format("z{}", z);
    const auto namesake = std::find(types.begin(), types.end(), layer);
    if (namesake != types.end() &&
        isCountedIn(state->model, species, static_cast<int>(namesake - types.begin()))) {
      mass.settings().reject(
          "output.profile_of",
          fmt::format(
              "the table would have two columns of the same name, for the layer and the site "
              "type '{}': rename the site type",
              layer));
    }
    columns.push_back(state->model.species[static_cast<std::size_t>(species)] + "." + layer);
  }
  run.observe(std::move(columns), [state, species] {
    const auto counts = state->lattice->profile(species);
    return std::vector<double>(counts.begin(), counts.end());
  });
  const auto from = mass.settings().get<double>("output.period_from");
  const auto every =
      mass.devices().size() > 1 ? mass.settings().get<std::int64_t>("balance.every") : 0;
  return [state, species, from, every](const std::filesystem::path& table) {
    return analyzeProfile(table, state->model, species, from, every);
  };
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  auto state = std::make_shared<RunState>();
  state->model = Model::fromSettings(mass.settings());
  state->seed = mass.settings().get<std::uint64_t>("seed");
  const bool isSteps = state->model.clock == Clock::steps;
  run.describe(state->model.report());
  mass.requireOnRestart("clock", isSteps ? "steps" : "events");
  // Species and site types of a checkpoint are indices into these lists.
  mass.requireOnRestart("list of species", joinNames(state->model.species));
  mass.requireOnRestart("list of site types", joinNames(state->model.siteTypes));
  // Times and concentrations of the whole table are multiples of these.
  mass.requireOnRestart("timestep", fmt::format("{:.9g} us", state->model.timeStep * 1e6));
  mass.requireOnRestart("spacing", fmt::format("{:.9g} nm", state->model.spacing * 1e9));
  state->lattice = createLattice(mass, state->model);
  run.describe(state->lattice->clockText());
  if (isSteps)
    mass.requireOnRestart("room for particles in a site",
                          fmt::format("{}", state->lattice->capacity()));
  state->file = mass.settings().file().string();
  const bool grows = isSteps && canGrow(state->model);
  // Without a table, full sites are looked for after each call of advance().
  const bool checksFullSites =
      grows && mass.settings().get<std::int64_t>("output.table_every") == 0;
  run.timeStep(state->model.timeStep);
  run.advance([state, checksFullSites, &run](mass::Steps steps) {
    advance(*state, run.step(), steps);
    if (checksFullSites) (void)reportFullSites(*state, run, run.step() + steps.count);
  });
  observeCounts(run, state);
  if (grows) {
    run.observe(fullColumn, [state, &run] {
      return static_cast<double>(reportFullSites(*state, run, run.step()));
    });
  }
  run.evaluate([state, grows,
                ofProfile = observeProfile(mass, run, state)](const std::filesystem::path& table) {
    return ofProfile(table) + (grows ? fullSiteSummary(table) : std::string{}) +
           state->lattice->workText();
  });
  state->lattice->writeData(run, state->model);
}

}  // namespace rdme
