#include <apps/calcium/setup.hpp>

#include <apps/calcium/buffer_run.hpp>
#include <apps/calcium/dendrite.hpp>
#include <apps/calcium/dendrite_run.hpp>
#include <apps/calcium/front.hpp>
#include <apps/calcium/neuron_setup.hpp>
#include <apps/calcium/observation.hpp>
#include <apps/calcium/projection.hpp>
#include <apps/calcium/threshold_dendrite.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace calcium {
namespace {

FrontRule frontRuleOf(const WaveParameters& parameters) {
  return {parameters.clock.spacing,
          static_cast<double>(parameters.stimulusStep) * parameters.clock.step * 1e3,
          parameters.level, parameters.meanReach()};
}

/// Draws the space-time picture, measures the fronts, and returns the summary of both.
std::string analyzeWave(const std::filesystem::path& table, const FrontRule& rule, double most) {
  const Profile profile = Profile::read(table);
  if (profile.times.empty()) return {};  // restarted at its last step, in a new folder
  auto file = table;
  file.replace_filename(table.stem().string() + "-space-time.png");
  writeSpaceTime(profile, most, file);
  return fmt::format(
      "  space-time  {}\n  largest     {:.4g} uM of calcium after the injection\n  "
      "front       {}\n",
      file.string(), profile.largest(rule.from), measureFronts(profile, rule).text());
}

template <class P>
void setUpDendrite(mass::Mass& mass, mass::Simulation& run, const WaveParameters& parameters) {
  const auto dendrite = std::make_shared<const DendriteRun<P>>(mass, parameters);
  const FrontRule rule = frontRuleOf(parameters);
  run.advance([=, &run](mass::Steps steps) { dendrite->advance(run.step(), steps); });
  declareTime(run, parameters.clock);
  observeMeans(run, dendrite);
  run.observe({"front.left", "front.right"}, [=] {
    const auto [left, right] = frontsAt(dendrite->calcium(), rule);
    return std::vector<double>{left, right};
  });
  std::vector<std::string> columns;
  for (std::int64_t site = 0; site < parameters.sites; ++site)
    columns.push_back(fmt::format("Ca.{}", site));
  run.observe(std::move(columns), [=] { return dendrite->calcium(); });
  const auto most = mass.settings().get<double>("output.most");
  run.evaluate([=](const std::filesystem::path& table) { return analyzeWave(table, rule, most); });
  declareData(run, *dendrite, parameters.clock.spacing);
}

/// Returns a picture of the free calcium in the cell: means over the depth of the cell.
template <class P>
mass::Picture pictureOf(const BufferRun<P>& cell, double most) {
  mass::Picture picture = projected(cell.arms().shape(), cell.arms().indices(), cell.calcium(),
                                    most, "molecules a site");
  picture.absent.clear();  // the colour of 0 there
  return picture;
}

template <class P>
void setUpBuffer(mass::Mass& mass, mass::Simulation& run, const BufferParameters& parameters) {
  const auto cell = std::make_shared<const BufferRun<P>>(mass, parameters);
  const Arms& arms = cell->arms();
  for (int arm = 0; arm < 3; ++arm) {
    if (arms.sites(arm) == 0)
      mass.settings().reject(
          "spacing", fmt::format("arm {} of the cell has no site: set a smaller one", arm + 1));
  }
  run.describe(fmt::format("  cell        {} sites: {}, {} and {} in the arms\n", arms.sites(),
                           arms.sites(0), arms.sites(1), arms.sites(2)));
  run.advance([=](mass::Steps steps) { cell->advance(steps); });
  declareTime(run, parameters.clock);
  run.observe("Ca", [=] { return cell->template mean<&P::calcium>(); });
  run.observe("Buf", [=] { return cell->template mean<&P::buffer>(); });
  run.observe("CaBuf", [=] { return cell->template mean<&P::bound>(); });
  for (int arm = 0; arm < 3; ++arm)
    run.observe(fmt::format("Ca.arm{}", arm + 1), [=] { return cell->calciumOf(arm); });
  const auto most = mass.settings().get<double>("output.most");
  run.picture([=, high = static_cast<double>(parameters.calciumHigh)] {
    return pictureOf(*cell, most > 0 ? most : high);
  });
  run.slices(arms.shape(),
             [=, high = static_cast<double>(parameters.calciumHigh)](int axis, std::int64_t at) {
               return sliced(cell->arms().shape(), cell->arms().indices(), cell->calcium(), axis,
                             at, most > 0 ? most : high, "molecules a site");
             });
  run.data<&P::calcium, &P::buffer, &P::bound, &P::arm>(cell->places(), parameters.clock.spacing);
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  if (mass.settings().get<std::string>("model") == "buffer") {
    const BufferParameters parameters(mass.settings());
    return parameters.isField ? setUpBuffer<BufferField>(mass, run, parameters)
                              : setUpBuffer<BufferSite>(mass, run, parameters);
  }
  if (mass.settings().get<std::string>("model") == "neuron") return setUpNeuron(mass, run);
  const WaveParameters parameters(mass.settings());
  switch (parameters.form) {
    case Form::states:
      return setUpDendrite<Dendrite<1>>(mass, run, parameters);
    case Form::threshold:
      return setUpDendrite<ThresholdDendrite<1>>(mass, run, parameters);
    case Form::field:
      return setUpDendrite<DendriteField>(mass, run, parameters);
  }
}

}  // namespace calcium
