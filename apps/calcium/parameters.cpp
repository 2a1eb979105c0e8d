#include <apps/calcium/parameters.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace calcium {
namespace {

/// Molecules in 1 um^3 at 1 uM.
constexpr double moleculesPerCubicMicron = 602.214076;

/// Rejects an unstable time step of finite differences.
/// @param fastest largest diffusion coefficient in um^2/ms
/// @param axes number of axes of the world
void requireStability(const mass::Settings& settings, const Clock& clock, double fastest,
                      int axes) {
  const double rate = clock.hopRate(fastest), limit = 0.5 / axes;
  if (rate * clock.timeStep() <= limit * (1 + 1e-12)) return;
  settings.reject(
      "time_step",
      fmt::format(
          "D time_step / spacing^2 is {:.6g}, above {:.6g}, and the method is unstable: the "
          "largest stable time_step is {:.6g} ms",
          rate * clock.timeStep(), limit, limit / rate * 1e3));
}

Kinetics kineticsOf(const mass::Settings& settings, double spacing) {
  const auto number = [&](const char* key) { return settings.get<double>(key); };
  const double volume = std::pow(spacing, 3), cytosol = number("cytosol");
  const double area = number("membrane") * volume;  // um^2
  Kinetics k{};
  k.cytosolic = 1 / (moleculesPerCubicMicron * volume * cytosol);
  k.reticular = 1 / (moleculesPerCubicMicron * volume * (1 - cytosol));
  // 1/(um^2 ms mM) are 1/(um^2 s uM).
  k.release = number("release.strength") * area;
  k.leak = number("leak") * area;
  k.pump = number("pump.rate") * 1e3 * area;
  k.kIp3 = number("release.ip3");
  k.kActivation = number("release.activation");
  k.kInhibition = number("release.inhibition");
  k.kPump = number("pump.half");
  k.tau = number("release.tau") * 1e-3;
  k.openingCalcium = number("threshold.calcium");
  k.openingIp3 = number("threshold.ip3");
  k.openTime = number("threshold.open_time") * 1e-3;
  return k;
}

Form formOf(const mass::Settings& settings) {
  const bool isThreshold = settings.get<std::string>("receptor") == "threshold";
  if (!settings.get<bool>("finite_differences"))
    return isThreshold ? Form::threshold : Form::states;
  if (isThreshold)
    settings.reject("finite_differences",
                    "a receptor with thresholds has no rates of concentrations: set it to false, "
                    "or receptor to states");
  return Form::field;
}

void refuseUnusedKeys(const mass::Settings& settings, Form form) {
  if (form != Form::threshold)
    refuse(settings, {"threshold."}, "only receptor: threshold uses it: leave it out");
  if (form == Form::threshold)
    refuse(settings, {"receptors", "release.inhibition", "release.tau", "initial.free_share"},
           "receptor: threshold has no inhibiting sites: leave it out");
  if (form != Form::field)
    refuse(settings, {"time_step"}, "only finite_differences: true uses it: leave it out");
  if (form == Form::field)
    refuse(settings, {"receptors"}, "finite_differences: true has no numbers: leave it out");
}

/// Returns a length as a number of sites.
/// @throws mass::SettingsError if it is no whole number of sites, at least 2
std::int64_t sitesIn(const mass::Settings& settings, const char* key, double spacing) {
  const double length = settings.get<double>(key), sites = std::round(length / spacing);
  if (sites < 2 || std::abs(sites * spacing - length) > 1e-6 * spacing) {
    settings.reject(key, fmt::format("a whole number of sites of {} um, at least 2, is needed: the "
                                     "nearest is {:.9g} um",
                                     spacing, std::max(sites, 2.0) * spacing));
  }
  if (sites > 1e5) {
    settings.reject(key, fmt::format("these are {} sites of {} um, and the table has a column for "
                                     "each; a dendrite has at most 10^5",
                                     sites, spacing));
  }
  return static_cast<std::int64_t>(sites);
}

/// Rejects concentrations of more molecules in a site than the program counts.
void requireCountable(const mass::Settings& settings, const Kinetics& k) {
  const std::pair<const char*, double> keys[] = {{"initial.calcium", k.cytosolic},
                                                 {"initial.stored", k.reticular},
                                                 {"initial.ip3", k.cytosolic},
                                                 {"stimulus.ip3", k.cytosolic}};
  for (const auto& [key, ofOne] : keys) {
    const double molecules = settings.get<double>(key) / ofOne;
    if (molecules > 1e9)
      settings.reject(key, fmt::format("these are {:.3g} molecules in a site; a site has at most "
                                       "10^9: set a smaller spacing, or finite_differences to true",
                                       molecules));
  }
}

/// Rejects an injection that the run does not reach, unless it injects nothing. A run of no steps
/// reaches none.
/// @param steps number of steps before the injection
void requireReached(const mass::Settings& settings, const Clock& clock, double steps) {
  const std::int64_t end = clock.steps(settings);
  if (end == 0 || steps < static_cast<double>(end)) return;
  if (settings.get<bool>("stimulus.adds") && settings.get<double>("stimulus.ip3") == 0) return;
  settings.reject("stimulus.at",
                  fmt::format("the run ends before, after {} steps, {:.9g} ms: make it longer, or "
                              "set stimulus.adds to true and stimulus.ip3 to 0 for none",
                              end, static_cast<double>(end) * clock.step * 1e3));
}

/// Returns the number of steps before the injection.
std::int64_t stimulusStepOf(const mass::Settings& settings, const Clock& clock) {
  const double at = settings.get<double>("stimulus.at") * 1e-3, steps = std::round(at / clock.step);
  if (std::abs(steps * clock.step - at) > 1e-6 * clock.step) {
    settings.reject(
        "stimulus.at",
        fmt::format("it is no whole number of steps of {:.9g} ms: the nearest is {:.9g} "
                    "ms",
                    clock.step * 1e3, steps * clock.step * 1e3));
  }
  requireReached(settings, clock, steps);
  return static_cast<std::int64_t>(std::min(steps, 0x1p62));
}

}  // namespace

void refuse(const mass::Settings& settings, const std::vector<std::string>& names,
            const std::string& why) {
  for (const auto& key : settings.schema().keys()) {
    for (const std::string& name : names) {
      const bool matches = name.back() == '.' ? key.name.starts_with(name) : key.name == name;
      if (matches && settings.given(key.name)) settings.reject(key.name, why);
    }
  }
}

Clock::Clock(const mass::Settings& settings)
    : step(settings.get<double>("events.step") * 1e-3),
      duration(settings.get<double>("duration") * 1e-3),
      spacing(settings.get<double>("spacing")),
      longest(settings.get<double>("time_step") * 1e-3) {
  const auto window = settings.get<double>("events.window");
  if (!(window > 0) || settings.get<bool>("finite_differences")) return;
  const double windows = std::max(1.0, std::round(step / window));
  if (std::abs(windows * window - step) > 1e-6 * window) {
    settings.reject("events.step",
                    fmt::format("it is no whole number of windows of {:.9g} s (events.window): the "
                                "nearest is {:.9g} ms",
                                window, windows * window * 1e3));
  }
}

std::int64_t Clock::steps(const mass::Settings& settings) const {
  // Rounded up like the duration in mass::Simulation::duration().
  const double steps = std::ceil(duration / step * (1 - 1e-12));
  if (settings.given("steps") || !(steps > 0)) return settings.get<std::int64_t>("steps");
  return static_cast<std::int64_t>(std::min(steps, 0x1p62));
}

std::int64_t Clock::timeSteps() const {
  return std::max<std::int64_t>(1, std::llround(std::ceil(step / longest * (1 - 1e-9))));
}

DendriteParameters::DendriteParameters(const mass::Settings& settings)
    : form(formOf(settings)),
      clock(settings),
      calciumDiffusion(settings.get<double>("calcium_diffusion")),
      ip3Diffusion(settings.get<double>("ip3_diffusion")),
      kinetics(kineticsOf(settings, clock.spacing)),
      initial{settings.get<double>("initial.calcium"), settings.get<double>("initial.stored"),
              settings.get<double>("initial.ip3"), settings.get<double>("initial.free_share"),
              settings.get<int>("receptors")},
      stimulus{settings.get<double>("stimulus.ip3"), settings.get<bool>("stimulus.adds")},
      stimulusStep(stimulusStepOf(settings, clock)) {
  refuseUnusedKeys(settings, form);
  if (form != Form::field) requireCountable(settings, kinetics);
}

WaveParameters::WaveParameters(const mass::Settings& settings)
    : DendriteParameters(settings),
      sites(sitesIn(settings, "length", clock.spacing)),
      stimulusWidth(settings.get<double>("stimulus.width") / clock.spacing),
      level(settings.get<double>("front.level")),
      meanOver(settings.get<double>("front.mean_over")) {
  refuse(settings, {"buffer."}, "the model 'wave' has no buffer: leave it out");
  refuse(settings, {"swc.", "stimulus.center"}, "only the model 'neuron' uses it: leave it out");
  if (stimulusWidth > static_cast<double>(sites))
    settings.reject("stimulus.width", fmt::format("the dendrite is {:.9g} um long",
                                                  static_cast<double>(sites) * clock.spacing));
  if (form == Form::field)
    requireStability(settings, clock, std::max(calciumDiffusion, ip3Diffusion), 1);
}

bool WaveParameters::isStimulated(const mass::Coordinates<1>& site) const {
  const double middle = 0.5 * static_cast<double>(sites - 1);
  return 2 * std::abs(static_cast<double>(site[0]) - middle) < stimulusWidth;
}

TimeStep WaveParameters::fieldStep() const {
  const double step = clock.timeStep();
  return {step, clock.hopRate(calciumDiffusion) * step, clock.hopRate(ip3Diffusion) * step};
}

std::int64_t WaveParameters::meanReach() const {
  return std::llround((meanOver / clock.spacing - 1) / 2);
}

BufferParameters::BufferParameters(const mass::Settings& settings)
    : clock(settings),
      isField(settings.get<bool>("finite_differences")),
      armLength(settings.get<double>("buffer.arm_length")),
      armDiameter(settings.get<double>("buffer.arm_diameter")),
      calciumDiffusion(settings.get<double>("calcium_diffusion")),
      bufferDiffusion(settings.get<double>("buffer.diffusion")),
      rates{settings.get<double>("buffer.binding") * 1e3,
            settings.get<double>("buffer.unbinding") * 1e3},
      calciumHigh(settings.get<std::int64_t>("buffer.calcium_high")),
      calciumLow(settings.get<std::int64_t>("buffer.calcium_low")),
      buffer(settings.get<std::int64_t>("buffer.molecules")) {
  refuse(settings,
         {"release.", "pump.", "threshold.", "initial.", "stimulus.", "front.", "swc.", "receptor",
          "receptors", "leak", "membrane", "cytosol", "length", "ip3_diffusion"},
         "the model 'buffer' does not use it: leave it out");
  if (!isField)
    refuse(settings, {"time_step"}, "only finite_differences: true uses it: leave it out");
  if (isField) requireStability(settings, clock, std::max(calciumDiffusion, bufferDiffusion), 3);
  if (armDiameter > armLength)
    settings.reject("buffer.arm_diameter", fmt::format("an arm is {:.9g} um long", armLength));
  const double box = 6 * armLength * armLength * armDiameter / std::pow(clock.spacing, 3);
  if (box > 1e8)
    settings.reject("spacing",
                    fmt::format("the box around the arms has about {:.2g} sites; at most "
                                "10^8 are possible",
                                box));
}

}  // namespace calcium
