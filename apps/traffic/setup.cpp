#include <apps/traffic/setup.hpp>

#include <vector>

namespace traffic {
namespace {

Plan planOf(const mass::Settings& settings) {
  const Plan plan{.inflow = settings.get<double>("inflow"),
                  .cycle = settings.get<double>("signal.cycle"),
                  .green = settings.get<double>("signal.green"),
                  .offset = settings.get<double>("signal.offset"),
                  .headway = settings.get<double>("headway"),
                  .travel = settings.get<double>("travel"),
                  .turns = settings.get<double>("turns")};
  if (plan.green > plan.cycle / 2) settings.reject("signal.green", "is above half of signal.cycle");
  return plan;
}

/// Returns the columns of the table, from the vehicles until a time.
/// @param time s
std::vector<double> observed(const mass::Places<Crossing>& grid, double time) {
  const auto sumOf = [](auto value) { return static_cast<double>(value); };
  const double entered = sumOf(grid.reduce<&Crossing::entered>(mass::sum));
  const double left = sumOf(grid.reduce<&Crossing::left>(mass::sum));
  const double waiting = sumOf(grid.reduce<&Crossing::rowQueue>(mass::sum)) +
                         sumOf(grid.reduce<&Crossing::columnQueue>(mass::sum));
  const double arrived = sumOf(grid.reduce<&Crossing::arrived>(mass::sum));
  const double waits = grid.reduce<&Crossing::waits>(mass::sum);
  const double journeys = grid.reduce<&Crossing::journeys>(mass::sum);
  // The integral of the number of vehicles: each one is present from its entry until it leaves.
  const double integral = time * (entered - left) + grid.reduce<&Crossing::moments>(mass::sum);
  const double mean = time > 0 ? integral / time : 0;
  const double rate = time > 0 ? entered / time : 0;
  const double journey = left > 0 ? journeys / left : 0;
  const double little = rate * journey;
  return {entered - left, waiting, arrived > 0 ? waits / arrived : 0, journey,
          mean,           rate,    little > 0 ? mean / little : 0};
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const Plan plan = planOf(settings);
  auto options = mass::borders<Crossing>(mass::Border::fixed);
  options.name = "crossings";
  const auto grid = mass.createPlaces<Crossing>(
      {settings.get<std::int64_t>("rows"), settings.get<std::int64_t>("columns")}, options);
  grid.lookahead(mass::seconds(plan.travel));
  grid.scheduleAll<&Crossing::open>(mass::seconds(0));

  const auto step = settings.get<double>("events.step");
  run.events(grid, mass::seconds(step), plan);
  run.observe("time", [=, &run] { return static_cast<double>(run.step()) * step; });
  run.observe({"vehicles", "waiting", "wait", "journey", "mean_vehicles", "rate", "little"},
              [=, &run] { return observed(grid, static_cast<double>(run.step()) * step); });
  run.picture<&Crossing::rowQueue>(grid, 0, static_cast<float>(settings.get<double>("output.most")),
                                   "heat", "vehicles");
  run.data<&Crossing::rowQueue, &Crossing::columnQueue, &Crossing::arrived, &Crossing::waits>(grid);
}

}  // namespace traffic
