// Daisyworld (Watson & Lovelock, Tellus 35B, 284, 1983): white and black daisies keep the planet at
// a temperature that suits them while its sun grows brighter.
#include <mass/mass.hpp>

#include <cmath>

enum class Cover : std::uint8_t { ground, white, black };

class Plot : public mass::Place<2> {
 public:
  Cover cover = Cover::ground;
  using Attributes = mass::Attributes<&Plot::cover>;

  MASS_FN static double albedo(Cover of) {
    return of == Cover::white ? 0.75 : of == Cover::black ? 0.25 : 0.5;
  }
  MASS_FN double reflected() const { return albedo(cover); }
  MASS_FN void plant(const mass::Here<2>& here) {
    const double drawn = here.random().uniform<double>();
    cover = drawn < 0.2 ? Cover::white : drawn < 0.4 ? Cover::black : Cover::ground;
  }
  /// Makes a step of a tenth of the unit of time: daisies die, and spread to bare plots beside.
  /// @param temperature of the planet in C @param mean its albedo
  MASS_FN void live(const mass::Neighborhood<Plot>& near, double temperature, double mean) {
    constexpr double step = 0.1, deaths = 0.3, seeds = 1e-4;
    auto random = near.random();
    if (cover != Cover::ground) {
      if (random.bernoulli(step * deaths)) cover = Cover::ground;
      return;
    }
    double drawn = random.uniform<double>();
    for (int k = 1; k <= 2 && drawn >= 0; ++k) {
      const auto kind = static_cast<Cover>(k);
      int beside = 0;
      for (const auto offset : mass::moore<2>) beside += near(offset).cover == kind;
      const double away = 22.5 - (20 * (mean - albedo(kind)) + temperature);
      const double growth = away * away < 306 ? 1 - 0.003265 * away * away : 0;
      drawn -= step * growth * (seeds + beside / 8.0);
      if (drawn < 0) cover = kind;
    }
  }
};

/// Returns the temperature of a planet in C.
double temperatureOf(double luminosity, double albedo) {
  return std::pow(917 * luminosity * (1 - albedo) / 5.67e-8, 0.25) - 273;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto plots = mass.createPlaces<Plot>({size, size});
  plots.callAll<&Plot::plant>();
  auto& luminosity = run.state<double>("luminosity", settings.get<double>("start"));
  const auto mean = [=] { return plots.reduce<&Plot::reflected>(mass::mean); };
  run.step([=, &luminosity, &settings] {
    const double albedo = mean();
    plots.callAll<&Plot::live>(temperatureOf(luminosity, albedo), albedo);
    luminosity += settings.get<double>("brightening");
  });
  run.observe("temperature", [=, &luminosity] { return temperatureOf(luminosity, mean()); });
  run.observe("bare", [&luminosity] { return temperatureOf(luminosity, 0.5); });
  run.observe<&Plot::cover>(plots, {"ground", "white", "black"});
  run.picture<&Plot::cover>(plots, {"ground", "white daisies", "black daisies"},
                            {{150, 120, 90}, {245, 245, 235}, {40, 35, 45}});
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 5000);
  schema.add("size", 128, "plots", "edge of the planet").atLeast(3);
  schema.add("start", 0.7, "", "luminosity of the sun at the start").above(0);
  schema.add("brightening", 0.0002, "1/step", "growth of the luminosity").between(0, 1).live();
  return mass::runProgram(argc, argv, {"daisyworld", "Daisies and their sun.", schema, setUp});
}
