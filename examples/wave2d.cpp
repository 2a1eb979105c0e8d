// Wave equation (MASS's Wave2D: Chuang & Fukuda, 2013): a square of water is lifted in the middle
// of a basin, or all of it in the form of a standing wave.
#include <mass/mass.hpp>

#include <numbers>

class Water : public mass::Place<2> {
 public:
  static constexpr auto reads = mass::alongAxes;
  float height = 0, before = 0;
  using Attributes = mass::Attributes<&Water::height, &Water::before>;

  /// Lifts the water. @param isMode in the form of the lowest mode, of height 1, not as a square
  MASS_FN void lift(const mass::Here<2>& here, bool isMode) {
    float share[2];  // from 0 at the wall before the first place to 1 at that after the last
    for (int axis = 0; axis < 2; ++axis)
      share[axis] = static_cast<float>(here.coordinates()[axis] + 1) /
                    static_cast<float>(here.shape()[axis] + 1);
    const auto isInside = [](float x) { return x > 0.4F && x < 0.6F; };
    if (isMode)
      height = mass::sinPi(share[0]) * mass::sinPi(share[1]);
    else if (isInside(share[0]) && isInside(share[1]))
      height = 20;
  }
  /// Makes a step. @param courant square of (speed * time step / spacing), at most 1 / 2
  /// @param isFirst the water has been at rest
  MASS_FN void swing(const mass::Neighborhood<Water>& near, float courant, bool isFirst) {
    const float force = courant * (near.sum<&Water::height>(mass::vonNeumann<2>) - 4 * height);
    const float now = height;
    height += isFirst ? force / 2 : height - before + force;
    before = now;
  }
  MASS_FN double highest() const { return height < 0 ? -height : height; }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto courant = settings.get<float>("courant");
  const auto water =
      mass.createPlaces<Water>({size, size}, mass::borders<Water>(mass::Border::fixed));
  water.callAll<&Water::lift>(settings.get<bool>("mode"));
  run.step([=] { water.callAll<&Water::swing>(courant, water.step() == 1); });
  run.observe<&Water::highest>(water, mass::maximum);
  run.observe<&Water::height>(water, mass::mean, {"mean"});
  run.picture<&Water::height>(water, -5, 5, "coolwarm");
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library();
  schema.add("size", 200, "places", "edge of the basin").atLeast(3);
  schema.add("courant", 0.25, "", "(speed * time step / spacing)^2").between(0, 0.5);
  schema.add("mode", false, "", "begins with a standing wave of height 1");
  return mass::runProgram(argc, argv, {"wave2d", "Waves in a basin.", schema, setUp});
}
