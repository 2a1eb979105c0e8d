#include <apps/lbm/solver/stability_monitor.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>

namespace lbm {
namespace {

/// Returns the steps between checks of a world of `cells` cells. A check takes half as long as a
/// step; on a GPU it also takes the host 0.12 to 0.25 ms, the time of a hundred steps of a small
/// world, so small worlds are checked less often.
std::int64_t stepsPerCheck(std::int64_t cells) {
  constexpr std::int64_t least = 100, most = 4000, cellsPerCheck = std::int64_t{1} << 29;
  return std::clamp(cellsPerCheck / cells, least, most);
}

/// Longest time to recompute a run, from a restore point to a failed check.
constexpr double maxRewindSeconds = 60;

std::string textOf(const std::array<std::int64_t, 3>& cell, int dimensions) {
  return fmt::format("{}, {}{}", cell[2], cell[1],
                     dimensions == 3 ? fmt::format(", {}", cell[0]) : "");
}

std::string textOf(const DivergedRegion& region, const LatticeCase& lattice) {
  const std::string low = textOf(region.low, lattice.dimensions);
  if (region.count == 1) return "in cell " + low;
  return fmt::format("in {} cells from {} to {}", region.count, low,
                     textOf(region.high, lattice.dimensions));
}

/// Returns the checkpoint file of a run, by the same defaults as mass::Simulation.
std::filesystem::path checkpointOf(const mass::Settings& settings) {
  const std::filesystem::path file = settings.get<std::string>("checkpoint.file"),
                              folder = settings.get<std::string>("output.folder");
  return file.empty() ? folder / "checkpoint.h5" : file;
}

}  // namespace

// mass::Simulation asks for as many steps at once as take a tenth of a second: up to thousands.
void StabilityMonitor::advance(std::int64_t step, std::int64_t count) {
  if (began_ == Clock::time_point{}) {
    began_ = Clock::now();
    first_ = step;
    lastCheck_ = std::max(lastCheck_, step);  // the state of a checkpoint has been checked
  }
  const std::int64_t end = step + count, between = stepsPerCheck(lattice_->cellCount());
  while (step < end) {
    const std::int64_t next = std::min(end, (step / between + 1) * between);
    solver_->advance(mass::steps(next - step));
    step = next;
    if (step % between == 0) check(step);
  }
}

void StabilityMonitor::check(std::int64_t step) {
  if (step == lastCheck_) return;
  const double mach = solver_->maxSpeed() * std::numbers::sqrt3;
  if (!std::isfinite(mach)) fail(step);
  lastCheck_ = step;
  if (mach > maxMach && !std::exchange(hasWarned_, true)) warnOfSpeed(mach, step);
}

void StabilityMonitor::warnOfSpeed(double mach, std::int64_t step) {
  warn_(fmt::format(
      "at step {} the Mach number has reached {:.3g} in some cell; above {} compressibility errors "
      "are large: use a smaller lattice_speed",
      step, mach, maxMach));
}

void StabilityMonitor::fail(std::int64_t step) {
  const DivergedRegion found = solver_->divergedRegion();
  const std::string when = lastCheck_ < 0
                               ? fmt::format("at step {}", step)
                               : fmt::format("between steps {} and {}", lastCheck_, step);
  const auto origin = locateDivergence(step);
  throw mass::ModelError(
      "{} the flow has become unstable, {}: use more cells, another collision, or a smaller "
      "lattice_speed",
      when,
      origin ? fmt::format("first at step {}, {}", origin->step, textOf(origin->cells, *lattice_))
             : "by then " + textOf(found, *lattice_));
}

std::optional<std::int64_t> StabilityMonitor::lastRestorePoint(std::int64_t step) const {
  const auto every = mass_->settings().get<std::int64_t>("checkpoint.every");
  const std::int64_t last = every > 0 ? (step - 1) / every * every : 0;
  if (last > first_) return last;
  return first_ == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
}

void StabilityMonitor::rewind(std::int64_t step) {
  if (step == 0) {
    solver_->start(*mass_, *lattice_);
  } else {
    (void)mass_->restoreCheckpoint(checkpointOf(mass_->settings()), programName);
  }
}

std::optional<StabilityMonitor::DivergedStep> StabilityMonitor::locateDivergence(
    std::int64_t step) {
  const auto from = lastRestorePoint(step);
  if (!from || lastCheck_ < *from) return {};
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const auto share = static_cast<double>(step - *from) / static_cast<double>(step - first_);
  if (!(seconds * share < maxRewindSeconds)) return {};
  try {
    rewind(*from);
    solver_->advance(mass::steps(lastCheck_ - *from));
    for (std::int64_t at = lastCheck_ + 1; at <= step; ++at) {
      solver_->advance(mass::steps(1));
      if (!std::isfinite(solver_->maxSpeed())) return DivergedStep{at, solver_->divergedRegion()};
    }
  } catch (const mass::Error&) {
    // For instance, the checkpoint was removed. The divergence is the error to report.
  }
  return {};
}

}  // namespace lbm
