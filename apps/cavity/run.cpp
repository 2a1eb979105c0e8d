#include <apps/cavity/fields.hpp>
#include <apps/cavity/flow.hpp>
#include <apps/cavity/split.hpp>
#include <apps/cavity/watch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cavity {
namespace {

/// A flow that runs.
struct Running {
  Flow flow;
  std::unique_ptr<Tank> tank;
  std::unique_ptr<Watch> watch;
  mass::Settings settings;
};
using Shared = std::shared_ptr<const Running>;

void observeProbes(mass::Simulation& run, const Shared& running) {
  if (running->flow.probes.empty()) return;
  const int dimensions = running->flow.problem.dimensions;
  std::vector<std::string> columns;
  for (const Probe& probe : running->flow.probes) {
    for (const char* const what : {".u", ".v", ".w"}) {
      if (dimensions == 3 || what[1] != 'w') columns.push_back(probe.name + what);
    }
    columns.push_back(probe.name + (running->flow.inSi ? ".p" : ".density"));
  }
  run.observe(std::move(columns), [running, dimensions] {
    const Flow& flow = running->flow;
    std::vector<double> values;
    for (const Probe& probe : flow.probes) {
      std::array<std::int64_t, 3> beyond = probe.cell;
      for (std::int64_t& along : beyond) ++along;
      const Observed<3> at = running->tank->observed(probe.cell, beyond).front();
      for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
        values.push_back(at.velocity[2 - i] * (flow.inSi ? flow.units.speed() : 1));
      values.push_back(flow.inSi ? (at.density - 1) * flow.units.pressure() : at.density);
    }
    return values;
  });
}

void observe(mass::Simulation& run, const Shared& running) {
  const Flow& flow = running->flow;
  run.observe("time", [running, &run] {
    return static_cast<double>(run.step()) * (running->flow.inSi ? running->flow.units.step : 1);
  });
  run.observe("mass", [running] { return 1 + running->tank->excess(); });
  const double energy =
      flow.inSi ? flow.units.density * flow.units.speed() * flow.units.speed() : 1;
  run.observe("energy", [running, &run, energy] {
    const double mean = running->tank->energy();
    // Rows come more often than looks, and need not show what is as good as broken.
    if (!(mean < 0.5)) running->watch->look(run.step());
    return mean * energy;
  });
  if (!flow.problem.solid.empty()) {
    const double force = flow.inSi ? flow.units.force(flow.problem.dimensions) : 1;
    std::vector<std::string> columns{"force_x", "force_y"};
    if (flow.problem.dimensions == 3) columns.emplace_back("force_z");
    run.observe(columns, [running, force, count = columns.size()] {
      const auto push = running->tank->push();
      std::vector<double> values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(push[2 - i] * force);
      return values;
    });
  }
  observeProbes(run, running);
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  auto running =
      std::make_shared<Running>(Running{Flow(mass.settings()), nullptr, nullptr, mass.settings()});
  mass::printResult(running->flow.report());
  running->tank = createTank(mass, running->flow.problem);
  mass::printResult(memoryReport(running->flow.problem, *running->tank));
  if (mass.devices().size() > 1)
    mass::printResult(Split(running->flow.problem, mass.devices().weights()).report());
  running->watch = std::make_unique<Watch>(mass, running->flow, *running->tank);
  run.timeStep(running->flow.units.step);
  run.duration(mass.settings().get<double>("duration"));
  run.advance(
      [running, &run](mass::Steps steps) { running->watch->advance(run.step(), steps.count); });
  run.check([running, &run] { running->watch->look(run.step()); });
  const Shared shared = running;
  observe(run, shared);
  const auto quantity = mass.settings().get<std::string>("output.quantity");
  run.picture(
      [shared] {
        return pictureOf(shared->flow, shared->settings, [&](const auto& low, const auto& high) {
          return shared->tank->observed(low, high);
        });
      },
      quantity == "speed" ? "ice" : "gray");
  shared->tank->writeData(run, shared->flow.units.cell, [shared] {
    return dataOf(shared->flow, {shared->flow.problem, shared->tank->observed()});
  });
}

}  // namespace cavity
