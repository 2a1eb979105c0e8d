#include <apps/lbm/case/flow_case.hpp>
#include <apps/lbm/output/fields.hpp>
#include <apps/lbm/output/partition_report.hpp>
#include <apps/lbm/setup.hpp>
#include <apps/lbm/solver/stability_monitor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lbm {
namespace {

/// Objects that the outputs of a run refer to.
struct RunState {
  FlowCase flow;
  std::unique_ptr<Solver> solver;
  std::unique_ptr<StabilityMonitor> monitor;
  mass::Settings settings;
};
using Shared = std::shared_ptr<const RunState>;

/// Adds the columns of the probes to the table.
void observeProbes(mass::Simulation& run, const Shared& state) {
  if (state->flow.probes.empty()) return;
  const int dimensions = state->flow.lattice.dimensions;
  std::vector<std::string> columns;
  for (const Probe& probe : state->flow.probes) {
    for (const char* const what : {".u", ".v", ".w"}) {
      if (dimensions == 3 || what[1] != 'w') columns.push_back(probe.name + what);
    }
    columns.push_back(probe.name + (state->flow.inSi ? ".p" : ".density"));
  }
  run.observe(std::move(columns), [state, dimensions] {
    const FlowCase& flow = state->flow;
    std::vector<double> values;
    for (const Probe& probe : flow.probes) {
      std::array<std::int64_t, 3> beyond = probe.cell;
      for (std::int64_t& along : beyond) ++along;
      const Macroscopic<3> at = state->solver->macroscopic(probe.cell, beyond).front();
      for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
        values.push_back(at.velocity[2 - i] * (flow.inSi ? flow.units.speed() : 1));
      values.push_back(flow.inSi ? (at.density - 1) * flow.units.pressure() : at.density);
    }
    return values;
  });
}

/// Adds all columns to the table.
void observe(mass::Simulation& run, const Shared& state) {
  const FlowCase& flow = state->flow;
  run.observe("time", [state, &run] {
    return static_cast<double>(run.step()) * (state->flow.inSi ? state->flow.units.step : 1);
  });
  run.observe("mass", [state] { return 1 + state->solver->excess(); });
  const double energy =
      flow.inSi ? flow.units.density * flow.units.speed() * flow.units.speed() : 1;
  run.observe("energy", [state, &run, energy] {
    const double mean = state->solver->energy();
    // Rows are written between checks: checks here too if the energy shows that cells diverge.
    if (!(mean < 0.5)) state->monitor->check(run.step());
    return mean * energy;
  });
  if (!flow.lattice.solid.empty()) {
    const double force = flow.inSi ? flow.units.force(flow.lattice.dimensions) : 1;
    std::vector<std::string> columns{"force_x", "force_y"};
    if (flow.lattice.dimensions == 3) columns.emplace_back("force_z");
    run.observe(columns, [state, force, count = columns.size()] {
      const auto push = state->solver->obstacleForce();
      std::vector<double> values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(push[2 - i] * force);
      return values;
    });
  }
  observeProbes(run, state);
}

/// Returns the line that a run prints about the memory of all devices together.
std::string memoryReport(const LatticeCase& lattice, const Solver& solver) {
  const auto bytes = static_cast<double>(solver.bytes());
  return fmt::format("  memory      {:.1f} MiB, {:.4g} bytes a cell\n", bytes / 0x1p20,
                     bytes / static_cast<double>(lattice.cellCount()));
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  auto state = std::make_shared<RunState>(
      RunState{FlowCase(mass.settings()), nullptr, nullptr, mass.settings()});
  run.describe(state->flow.report());
  state->solver = createSolver(mass, state->flow.lattice);
  run.describe(memoryReport(state->flow.lattice, *state->solver));
  if (mass.devices().size() > 1)
    run.describe(PartitionReport(state->flow.lattice, mass.places().front().parts()).report());
  state->monitor =
      std::make_unique<StabilityMonitor>(mass, state->flow.lattice, *state->solver,
                                         [&run](const std::string& warning) { run.warn(warning); });
  run.formerName("cavity");
  run.timeStep(state->flow.units.step);
  run.duration(mass.settings().get<double>("duration"));
  run.advance(
      [state, &run](mass::Steps steps) { state->monitor->advance(run.step(), steps.count); });
  run.check([state, &run] { state->monitor->check(run.step()); });
  const Shared shared = state;
  observe(run, shared);
  const auto quantity = mass.settings().get<std::string>("output.quantity");
  run.picture(
      [shared] {
        return pictureOf(shared->flow, shared->settings, [&](const auto& low, const auto& high) {
          return shared->solver->macroscopic(low, high);
        });
      },
      quantity == "speed" ? "ice" : "coolwarm");
  if (const auto& lattice = shared->flow.lattice; lattice.dimensions == 3) {
    const mass::Shape<3> shape{lattice.cells[0], lattice.cells[1], lattice.cells[2]};
    run.slices(shape, [shared](int axis, std::int64_t at) {
      const auto observed = [&](const auto& low, const auto& high) {
        return shared->solver->macroscopic(low, high);
      };
      return sliceOf(shared->flow, shared->settings, observed, static_cast<std::size_t>(axis), at);
    });
  }
  shared->solver->writeData(run, shared->flow.units.cell, [shared] {
    return dataOf(shared->flow, {shared->flow.lattice, shared->solver->macroscopic()});
  });
}

}  // namespace lbm
