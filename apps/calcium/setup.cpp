#include <apps/calcium/setup.hpp>

#include <apps/calcium/buffer_run.hpp>
#include <apps/calcium/dendrite.hpp>
#include <apps/calcium/dendrite_run.hpp>
#include <apps/calcium/threshold_dendrite.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace calcium {
namespace {

/// Declares the length of a step and of the run, and the column `time` in ms.
void declareTime(mass::Simulation& run, const Clock& clock) {
  run.timeStep(clock.step);
  run.duration(clock.duration);
  run.observe("time",
              [&run, ms = clock.step * 1e3] { return static_cast<double>(run.step()) * ms; });
}

/// Measures the rate of events.
struct EventRate {
  double seconds = 0;  ///< time in advance()

  /// Calls a function and adds its time.
  template <class F>
  void measure(const F& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  /// Returns a line of the summary.
  std::string text(const mass::EventCounts& counts) const {
    const auto events = static_cast<double>(counts.events);
    return fmt::format(
        "  events      {:.4g} million, {:.3g} million/s, {:.3g} executions of a site in a window\n",
        events * 1e-6, seconds > 0 ? events * 1e-6 / seconds : 0,
        counts.placeWindows > 0
            ? static_cast<double>(counts.executions) / static_cast<double>(counts.placeWindows)
            : 0);
  }
};

/// Returns the line of the summary for the events of a run; empty for finite differences.
template <class P>
std::string eventText(const mass::Places<P>& places, const EventRate& rate) {
  if constexpr (requires { typename P::Events; }) {
    return rate.text(places.eventCounts());
  } else {
    return {};
  }
}

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
  const auto rate = std::make_shared<EventRate>();
  const FrontRule rule = frontRuleOf(parameters);
  run.advance([=, &run](mass::Steps steps) {
    rate->measure([&] { dendrite->advance(run.step(), steps); });
  });
  declareTime(run, parameters.clock);
  run.observe("Ca", [=] { return dendrite->template mean<&P::calciumIn>(); });
  run.observe("ER", [=] { return dendrite->template mean<&P::storedIn>(); });
  run.observe("IP3", [=] { return dendrite->template mean<&P::ip3In>(); });
  run.observe("open", [=] { return dendrite->template mean<&P::open>(); });
  run.observe({"front.left", "front.right"}, [=] {
    const auto [left, right] = frontsAt(dendrite->calcium(), rule);
    return std::vector<double>{left, right};
  });
  std::vector<std::string> columns;
  for (std::int64_t site = 0; site < parameters.sites; ++site)
    columns.push_back(fmt::format("Ca.{}", site));
  run.observe(std::move(columns), [=] { return dendrite->calcium(); });
  const auto most = mass.settings().get<double>("output.most");
  run.evaluate([=](const std::filesystem::path& table) {
    return analyzeWave(table, rule, most) + eventText(dendrite->places(), *rate);
  });
  if constexpr (std::is_same_v<P, Dendrite>) {
    run.data<&P::calcium, &P::stored, &P::ip3, &P::s000>(dendrite->places(),
                                                         parameters.clock.spacing);
  } else {
    run.data<&P::calcium, &P::stored, &P::ip3>(dendrite->places(), parameters.clock.spacing);
  }
}

/// Returns a picture of the free calcium in the cell: means over the depth of the cell.
template <class P>
mass::Picture pictureOf(const BufferRun<P>& cell, double most) {
  const auto& shape = cell.arms().shape();
  const auto calcium = cell.places().template download<&P::calcium>();
  mass::Picture picture{{},        shape[1],          shape[2], 0, static_cast<float>(most),
                        "calcium", "molecules a site"};
  for (std::int64_t y = 0; y < shape[1]; ++y) {
    for (std::int64_t x = 0; x < shape[2]; ++x) {
      double sum = 0, sites = 0;
      for (std::int64_t z = 0; z < shape[0]; ++z) {
        if (cell.arms().at({z, y, x}) < 0) continue;
        sum += static_cast<double>(
            calcium[static_cast<std::size_t>(mass::indexOf<3>({z, y, x}, shape))]);
        ++sites;
      }
      picture.values.push_back(static_cast<float>(sites > 0 ? sum / sites : 0));
    }
  }
  return picture;
}

template <class P>
void setUpBuffer(mass::Mass& mass, mass::Simulation& run, const BufferParameters& parameters) {
  const auto cell = std::make_shared<const BufferRun<P>>(mass, parameters);
  const auto rate = std::make_shared<EventRate>();
  const Arms& arms = cell->arms();
  mass::printResult(fmt::format("  cell        {} sites: {}, {} and {} in the arms\n", arms.sites(),
                                arms.sites(0), arms.sites(1), arms.sites(2)));
  run.advance([=](mass::Steps steps) { rate->measure([&] { cell->advance(steps); }); });
  declareTime(run, parameters.clock);
  run.observe("Ca", [=] { return cell->template mean<&P::calcium>(); });
  run.observe("Buf", [=] { return cell->template mean<&P::buffer>(); });
  run.observe("CaBuf", [=] { return cell->template mean<&P::bound>(); });
  for (int arm = 0; arm < 3; ++arm)
    run.observe(fmt::format("Ca.arm{}", arm + 1), [=] { return cell->calciumOf(arm); });
  run.evaluate(
      [=](const std::filesystem::path& /*table*/) { return eventText(cell->places(), *rate); });
  const auto most = mass.settings().get<double>("output.most");
  run.picture([=, high = static_cast<double>(parameters.calciumHigh)] {
    return pictureOf(*cell, most > 0 ? most : high);
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
  const WaveParameters parameters(mass.settings());
  switch (parameters.form) {
    case Form::states:
      return setUpDendrite<Dendrite>(mass, run, parameters);
    case Form::threshold:
      return setUpDendrite<ThresholdDendrite>(mass, run, parameters);
    case Form::field:
      return setUpDendrite<DendriteField>(mass, run, parameters);
  }
}

}  // namespace calcium
