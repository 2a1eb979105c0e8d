// Plaque of a virus in a tissue (Yin & McCaskill, Biophys. J. 61, 1540, 1992): infected cells
// release virus, which diffuses, infects cells beside and decays; the plaque grows at one speed.
#include <mass/mass.hpp>

enum class Cell : std::uint8_t { healthy, infected, dead };

/// Rates in 1/h; diffusivity in cells^2/h.
struct Options {
  std::int64_t size = 256;
  float diffusion = 1, infection = 0.02F, production = 10, clearance = 0.2F, death = 0.1F;
  using Keys = mass::Keys<&Options::size, &Options::diffusion, &Options::infection,
                          &Options::production, &Options::clearance, &Options::death>;
};

class Tissue : public mass::Place<2> {
 public:
  static constexpr auto reads = mass::alongAxes;
  Cell cell = Cell::healthy;
  float virus = 0;
  using Attributes = mass::Attributes<&Tissue::cell, &Tissue::virus>;

  MASS_FN void infect(const mass::Here<2>& here) {
    const auto twice = 2 * here.coordinates() - here.shape();  // from the middle
    if (twice[0] * twice[0] + twice[1] * twice[1] < 50) cell = Cell::infected;
  }
  /// Makes a step of a twentieth of an hour.
  MASS_FN void live(const mass::Neighborhood<Tissue>& near, Options options) {
    constexpr float hours = 0.05F;
    auto random = near.random();
    const float flow = near.sum<&Tissue::virus>(mass::vonNeumann<2>) - 4 * virus;
    const float released = cell == Cell::infected ? options.production : 0;
    const float infection = options.infection * virus;
    virus += hours * (options.diffusion * flow + released - options.clearance * virus);
    if (cell == Cell::healthy && random.bernoulli(hours * infection))
      cell = Cell::infected;
    else if (cell == Cell::infected && random.bernoulli(hours * options.death))
      cell = Cell::dead;
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto options = mass.settings().read<Options>();
  const auto tissue = mass.createPlaces<Tissue>({options.size, options.size});
  tissue.callAll<&Tissue::infect>();
  run.timeStep(180);
  run.advance([=](mass::Steps steps) { tissue.callAll<&Tissue::live>(steps, options); });
  run.observe<&Tissue::cell>(tissue, {"healthy", "infected", "dead"});
  run.observe<&Tissue::virus>(tissue, mass::sum);
  run.picture<&Tissue::cell>(tissue, {"healthy", "infected", "dead"},
                             {{235, 200, 190}, {200, 30, 60}, {60, 50, 60}});
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 1600).add<Options>();
  schema.between("size", 1, 1e5).between("infection", 0, 1e6).between("death", 0, 1e6);
  return mass::runProgram(argc, argv, {"virus_in_tissue", "A plaque of a virus.", schema, setUp});
}
