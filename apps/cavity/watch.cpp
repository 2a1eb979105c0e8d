#include <apps/cavity/watch.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>

namespace cavity {
namespace {

/// Steps between looks at all so many cells: tables may have a row for every step, and a look takes
/// half as long as a step. With a GPU it takes the host 0.12 to 0.25 ms besides, in
/// which a small world goes a hundred steps; so there are fewer looks at small ones.
std::int64_t stepsALook(std::int64_t cells) {
  constexpr std::int64_t least = 100, most = 4000, cellsALook = std::int64_t{1} << 29;
  return std::clamp(cellsALook / cells, least, most);
}

/// How long to go for what went wrong once more.
constexpr double mostSecondsAgain = 60;

std::string textOf(const std::array<std::int64_t, 3>& cell, int dimensions) {
  return fmt::format("{}, {}{}", cell[2], cell[1],
                     dimensions == 3 ? fmt::format(", {}", cell[0]) : "");
}

std::string textOf(const Broken& broken, const Problem& problem) {
  const std::string low = textOf(broken.low, problem.dimensions);
  if (broken.count == 1) return "in cell " + low;
  return fmt::format("in {} cells from {} to {}", broken.count, low,
                     textOf(broken.high, problem.dimensions));
}

/// As the library names it.
std::filesystem::path checkpointOf(const mass::Settings& settings) {
  const std::filesystem::path file = settings.get<std::string>("checkpoint.file"),
                              folder = settings.get<std::string>("output.folder");
  return file.empty() ? folder / "checkpoint.h5" : file;
}

}  // namespace

/// A Simulation asks for as many steps at once as take a tenth of a second, which may be thousands.
void Watch::advance(std::int64_t step, std::int64_t count) {
  if (began_ == Clock::time_point{}) {
    began_ = Clock::now();
    first_ = step;
    lastLook_ = std::max(lastLook_, step);  // of a checkpoint, which was looked at
  }
  const std::int64_t end = step + count, between = stepsALook(flow_->problem.cellCount());
  while (step < end) {
    const std::int64_t next = std::min(end, (step / between + 1) * between);
    tank_->advance(mass::steps(next - step));
    step = next;
    if (step % between == 0) look(step);
  }
}

void Watch::look(std::int64_t step) {
  if (step == lastLook_) return;
  const double mach = tank_->fastest() * std::numbers::sqrt3;
  if (!std::isfinite(mach)) fail(step);
  lastLook_ = step;
  if (mach > mostMach && !std::exchange(hasWarned_, true)) warn(mach, step);
}

void Watch::warn(double mach, std::int64_t step) {
  mass::printError(
      fmt::format("cavity: warning: by step {} the flow has come to a Mach number of {:.3g} "
                  "somewhere, above {}, where it is too compressible: a smaller lattice_speed "
                  "makes it less\n",
                  step, mach, mostMach));
}

void Watch::fail(std::int64_t step) {
  const Broken found = tank_->broken();
  const std::string when = lastLook_ < 0 ? fmt::format("at step {}", step)
                                         : fmt::format("between steps {} and {}", lastLook_, step);
  const auto origin = goAgain(step);
  throw mass::ModelError(
      "{} the flow has become unstable, {}: use more cells, another collision, or a smaller "
      "lattice_speed",
      when,
      origin
          ? fmt::format("first at step {}, {}", origin->step, textOf(origin->cells, flow_->problem))
          : "by then " + textOf(found, flow_->problem));
}

/// The last step before this one that there is a way back to: that of the run's last checkpoint, or
/// the start.
std::optional<std::int64_t> Watch::before(std::int64_t step) const {
  const auto every = mass_->settings().get<std::int64_t>("checkpoint.every");
  const std::int64_t last = every > 0 ? (step - 1) / every * every : 0;
  if (last > first_) return last;
  return first_ == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
}

void Watch::goBack(std::int64_t step) {
  if (step == 0) {
    tank_->start(*mass_, flow_->problem);
  } else {
    (void)mass_->restoreCheckpoint(checkpointOf(mass_->settings()), "cavity");
  }
}

/// Goes once more to what was seen at a step, and looks at each step from the last look on. All is
/// as it was: steps give the same bits.
std::optional<Watch::Break> Watch::goAgain(std::int64_t step) {
  const auto from = before(step);
  if (!from || lastLook_ < *from) return {};
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const auto share = static_cast<double>(step - *from) / static_cast<double>(step - first_);
  if (!(seconds * share < mostSecondsAgain)) return {};
  try {
    goBack(*from);
    tank_->advance(mass::steps(lastLook_ - *from));
    for (std::int64_t at = lastLook_ + 1; at <= step; ++at) {
      tank_->advance(mass::steps(1));
      if (!std::isfinite(tank_->fastest())) return Break{at, tank_->broken()};
    }
  } catch (
      const mass::Error&) {  // such as of a checkpoint that was removed: the flow is what broke
  }
  return {};
}

}  // namespace cavity
