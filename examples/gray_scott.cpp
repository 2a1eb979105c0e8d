// Gray-Scott patterns (Pearson, Science 261, 189, 1993) on a grid with grazers: each tile of a
// coarser grid, 8 x 8 places, has a herd that lives on the pattern below it.
#include <mass/mass.hpp>

class Tile : public mass::Place<2> {
 public:
  float herd = 0.0001F;
  using Attributes = mass::Attributes<&Tile::herd>;

  MASS_FN void graze(const mass::FinerField<class Chemical>& chemical, float growth);
};

class Chemical : public mass::Place<2> {
 public:
  float u = 1, v = 0;  // concentrations of the substrate and of the pattern
  using Attributes = mass::Attributes<&Chemical::u, &Chemical::v>;

  /// Makes a step of 1 s; diffusivities 2e-5 and 1e-5 m^2/s, spacing 0.01 m.
  MASS_FN void react(const mass::Neighborhood<Chemical>& near, const mass::CoarserField<Tile>& tile,
                     float feed, float kill) {
    const float flowU = near.sum<&Chemical::u>(mass::vonNeumann<2>) - 4 * u;
    const float flowV = near.sum<&Chemical::v>(mass::vonNeumann<2>) - 4 * v;
    const float reaction = u * v * v;
    u += 0.2F * flowU - reaction + feed * (1 - u);
    v += 0.1F * flowV + reaction - (feed + kill + tile().herd) * v;
  }
};

MASS_FN void Tile::graze(const mass::FinerField<Chemical>& chemical, float growth) {
  float food = 0;
  for (const Chemical place : chemical) food += place.v;
  herd += herd * (growth * food - 0.02F);
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("tiles");
  const auto chemical = mass.createPlaces<Chemical>({8 * size, 8 * size});
  const auto tiles = mass.createPlaces<Tile>({size, size});
  chemical.initialise<&Chemical::v>([](const auto& at) {  // in some squares
    return (5 * (at[0] / 8) + 3 * (at[1] / 8)) % 11 == 0 ? 0.25F : 0.0F;
  });
  run.step([=, &settings] {  // of a herd: 10 s
    const auto feed = settings.get<float>("feed"), kill = settings.get<float>("kill");
    chemical.callAll<&Chemical::react>(mass::steps(10), tiles, feed, kill);
    tiles.callAll<&Tile::graze>(chemical, settings.get<float>("growth"));
  });
  run.observe<&Chemical::v>(chemical, mass::sum);
  run.observe<&Tile::herd>(tiles, mass::sum, {"herds"});
  run.picture<&Chemical::v>(chemical, 0, 0.4F, "viridis");
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library();
  schema.add("tiles", 32, "tiles", "edge of the world").atLeast(2);
  schema.add("feed", 0.037, "1/s", "feed rate F").between(0, 1).live();
  schema.add("kill", 0.058, "1/s", "removal rate k").between(0, 1).live();
  schema.add("growth", 0.002, "", "growth of a herd for each unit of food").between(0, 1).live();
  return mass::runProgram(argc, argv, {"gray_scott", "A pattern and its grazers.", schema, setUp});
}
