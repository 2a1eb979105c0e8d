// Daisyworld (Watson & Lovelock, Tellus 35B, 284, 1983): white and black daisies keep the planet at
// a temperature that suits them while its sun grows brighter.
#include <cmath>
#include <mass/mass.hpp>

enum Cover : std::uint8_t { ground, white, black };

class Plot : public mass::Place<2> {
 public:
  Cover cover = ground;
  using Attributes = mass::Attributes<&Plot::cover>;

  MASS_FN double albedo() const { return cover == white ? 0.75 : cover == black ? 0.25 : 0.5; }
  /// Makes a step of a tenth of the unit of time: daisies die, and spread to bare plots beside.
  MASS_FN void live(const mass::Neighborhood<Plot>& near, double celsius, double mean) {
    auto random = near.random();
    if (cover != ground) {
      if (random.bernoulli(0.1 * 0.3)) cover = ground;
      return;
    }
    double chance = -random.uniform<double>();
    for (int k = white; k <= black; ++k) {
      Plot daisy;
      daisy.cover = static_cast<Cover>(k);
      int beside = 0;
      for (const auto offset : mass::moore<2>) beside += near(offset).cover == daisy.cover;
      const double cold = 22.5 - celsius - 20 * (mean - daisy.albedo());
      chance += 0.1 * std::fmax(0, 1 - 0.003265 * cold * cold) * (1e-4 + beside / 8.0);
      if (cover == ground && chance > 0) cover = daisy.cover;
    }
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto plots = mass.createPlaces<Plot>({size, size});
  auto& luminosity = run.state<double>("luminosity", settings.get<double>("start"));
  const auto albedo = [=] { return plots.reduce<&Plot::albedo>(mass::mean); };
  const auto celsius = [&luminosity](double mean) {  // of a planet
    return std::pow(917 * luminosity * (1 - mean) / 5.67e-8, 0.25) - 273;
  };
  run.step([=, &luminosity, &settings] {
    plots.callAll<&Plot::live>(celsius(albedo()), albedo());
    luminosity += settings.get<double>("brightening");
  });
  run.observe("temperature", [=] { return celsius(albedo()); });
  run.observe("bare", [=] { return celsius(0.5); });
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
