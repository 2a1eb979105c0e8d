// Poisson's equation on a square by conjugate gradients (Hestenes & Stiefel, J. Res. NBS 49, 409,
// 1952): -(u_xx + u_yy) = f, u = 0 at the walls, and f = 1, by the 5-point formula.
#include <mass/mass.hpp>

/// Unknown u, residual r and search direction p of a place; `slope` is the operator applied to p.
class Cell : public mass::Place<2> {
 public:
  static constexpr auto reads = mass::alongAxes;
  double u = 0, r = 0, p = 0, slope = 0;
  using Attributes = mass::Attributes<&Cell::u, &Cell::r, &Cell::p, &Cell::slope>;

  /// Begins with u = 0 and f = 1, times the square of the spacing.
  MASS_FN void begin(double spacing) { r = p = spacing * spacing; }
  MASS_FN void differ(const mass::Neighborhood<Cell>& near) {
    slope = 4 * p - near.sum<&Cell::p>(mass::vonNeumann<2>);
  }
  MASS_FN void descend(double length) {
    u += length * p;
    r -= length * slope;
  }
  MASS_FN void turn(double share) { p = r + share * p; }
  MASS_FN double energy() const { return p * slope; }
  MASS_FN double squared() const { return r * r; }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto cells =
      mass.createPlaces<Cell>({size, size}, mass::borders<Cell>(mass::Border::fixed));
  cells.callAll<&Cell::begin>(1 / static_cast<double>(size + 1));
  const auto residual = [=] { return cells.reduce<&Cell::squared>(mass::sum); };
  run.step([=] {
    const double before = residual();
    cells.callAll<&Cell::differ>(mass::writes<&Cell::slope>);
    cells.callAll<&Cell::descend>(before / cells.reduce<&Cell::energy>(mass::sum));
    cells.callAll<&Cell::turn>(residual() / before);
  });
  run.observe("residual", residual);
  run.observe<&Cell::u>(cells, mass::maximum, {"highest"});
  const double enough = settings.get<double>("tolerance") * residual();
  run.until("the residual is small", [=] { return residual() <= enough; });
  run.picture<&Cell::u>(cells, 0, 0.075F, "viridis");
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library();
  schema.add("size", 127, "places", "edge of the square").atLeast(2);
  schema.add("tolerance", 1e-20, "", "squared residual at the end, as a share").between(0, 1);
  return mass::runProgram(
      argc, argv,
      {"conjugate_gradients", "Poisson's equation by conjugate gradients.", schema, setUp});
}
