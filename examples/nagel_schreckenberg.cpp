// Traffic (Nagel & Schreckenberg, J. Phys. I 2, 2221, 1992) on ring roads, one in each row. The
// density of cars grows from row to row, so that one run has the fundamental diagram.
#include <mass/mass.hpp>

#include <algorithm>

class Cell : public mass::Place<2> {
 public:
  static constexpr int reach = 5;  // the largest speed
  static constexpr auto reads = mass::alongAxes;
  std::int8_t speed = -1;  // of the car here; -1: there is none
  using Attributes = mass::Attributes<&Cell::speed>;

  MASS_FN void fill(const mass::Here<2>& here) {
    const auto road = static_cast<double>(here.coordinates()[0] + 1);
    if (here.random().bernoulli(road / static_cast<double>(here.shape()[0] + 1))) speed = 0;
  }
  /// Accelerates, brakes behind the next car, and slows down with a probability.
  MASS_FN void drive(const mass::Neighborhood<Cell>& near, int limit, double slowing) {
    if (speed < 0) return;
    int free = 0;
    while (free < limit && near(0, free + 1).speed < 0) ++free;
    const int wanted = std::min(speed + 1, free);
    const bool isSlow = wanted > 0 && near.random().bernoulli(slowing);
    speed = static_cast<std::int8_t>(isSlow ? wanted - 1 : wanted);
  }
  /// Takes the car that arrives.
  MASS_FN void move(const mass::Neighborhood<Cell>& near, int limit) {
    std::int8_t arrived = -1;
    for (int back = 0; back <= limit; ++back)
      if (near(0, -back).speed == back) arrived = static_cast<std::int8_t>(back);
    speed = arrived;
  }
  MASS_FN int cars() const { return speed < 0 ? 0 : 1; }
  MASS_FN int flow() const { return speed < 0 ? 0 : speed; }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto roads = mass.createPlaces<Cell>(
      {settings.get<std::int64_t>("roads"), settings.get<std::int64_t>("length")});
  roads.callAll<&Cell::fill>();
  const auto limit = settings.get<int>("limit");
  run.step([=, slowing = settings.get<double>("slowing")] {
    roads.callAll<&Cell::drive>(limit, slowing);
    roads.callAll<&Cell::move>(limit);
  });
  run.observeRows<&Cell::cars, &Cell::flow>(roads, mass::mean);
  run.picture<&Cell::speed>(roads, -1, static_cast<float>(limit), "heat");
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library();
  schema.add("roads", 120, "", "number of roads").atLeast(1);
  schema.add("length", 400, "places", "length of a road").atLeast(12);
  schema.add("limit", 5, "places/step", "largest speed").between(1, Cell::reach);
  schema.add("slowing", 0.5, "", "probability that a car slows down in a step").between(0, 1);
  return mass::runProgram(argc, argv,
                          {"nagel_schreckenberg", "Cars on ring roads.", schema, setUp});
}
