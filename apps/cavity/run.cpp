#include <apps/cavity/fields.hpp>
#include <apps/cavity/flow.hpp>
#include <apps/cavity/split.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cavity {
namespace {

/// Steps between looks at all so many cells: tables may have a row for every step, and a look takes
/// half as long as a step. With a GPU it takes the host 0.12 to 0.25 ms besides, in
/// which a small world goes a hundred steps; so there are fewer looks at small ones.
std::int64_t stepsALook(std::int64_t cells) {
  constexpr std::int64_t least = 100, most = 4000, cellsALook = std::int64_t{1} << 29;
  return std::clamp(cellsALook / cells, least, most);
}

/// A flow that runs.
struct Running {
  Flow flow;
  std::unique_ptr<Tank> tank;
  mass::Settings settings;
  std::int64_t lastLook = -1;  ///< the step; -1 before the first

  Fields fields() const { return {flow.problem, tank->observed()}; }
};
using Shared = std::shared_ptr<const Running>;

/// Ends a run whose numbers have left all bounds, before anything is written of them.
void requireSound(const Running& run, std::int64_t step) {
  const std::int64_t cell = run.tank->unsound();
  if (cell < 0) return;
  const auto& [nz, ny, nx] = run.flow.problem.cells;
  const std::int64_t z = cell / (nx * ny), y = cell / nx % ny, x = cell % nx;
  throw mass::ModelError(
      "{} the flow has become unstable, first seen at cell {}, {}{}: use more cells, another "
      "collision, or a smaller lattice_speed",
      run.lastLook < 0 ? fmt::format("at step {}", step)
                       : fmt::format("between steps {} and {}", run.lastLook, step),
      x, y, run.flow.problem.dimensions == 3 ? fmt::format(", {}", z) : "");
}

void look(Running& run, std::int64_t step) {
  if (step == run.lastLook) return;
  requireSound(run, step);
  run.lastLook = step;
}

/// Goes on from a step, and looks wherever a look is due: a Simulation asks for as many steps at
/// once as take a tenth of a second, which may be thousands.
void advance(Running& run, std::int64_t step, std::int64_t count) {
  if (run.lastLook < 0) run.lastLook = step;  // of a checkpoint, which was looked at
  const std::int64_t end = step + count, between = stepsALook(run.flow.problem.cellCount());
  while (step < end) {
    const std::int64_t next = std::min(end, (step / between + 1) * between);
    run.tank->advance(mass::steps(next - step));
    step = next;
    if (step % between == 0) look(run, step);
  }
}

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
    const auto& cells = flow.problem.cells;
    std::vector<double> values;
    for (const Probe& probe : flow.probes) {
      const Observed<3> at = running->tank->observedAt(
          (probe.cell[0] * cells[1] + probe.cell[1]) * cells[2] + probe.cell[2]);
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
    if (!(mean < 0.5)) requireSound(*running, run.step());
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
      std::make_shared<Running>(Running{Flow(mass.settings()), nullptr, mass.settings()});
  mass::printResult(running->flow.report());
  running->tank = createTank(mass, running->flow.problem);
  mass::printResult(memoryReport(running->flow.problem, *running->tank));
  if (mass.devices().size() > 1)
    mass::printResult(Split(running->flow.problem, mass.devices().weights()).report());
  running->flow.problem.start = nullptr;
  run.timeStep(running->flow.units.step);
  run.duration(mass.settings().get<double>("duration"));
  run.advance([running, &run](mass::Steps steps) { advance(*running, run.step(), steps.count); });
  run.check([running, &run] { look(*running, run.step()); });
  const Shared shared = running;
  observe(run, shared);
  const auto quantity = mass.settings().get<std::string>("output.quantity");
  run.picture([shared] { return pictureOf(shared->flow, shared->settings, shared->fields()); },
              quantity == "speed" ? "ice" : "gray");
  shared->tank->writeData(run, shared->flow.units.cell,
                          [shared] { return dataOf(shared->flow, shared->fields()); });
}

}  // namespace cavity
