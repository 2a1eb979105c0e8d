// Oscillation period of the Min system under the clock of events, and beside it under that of
// steps. Events run on CPUs only. At 32 nm a second of the cell has 60 million events at the start,
// and 20 million when most of MinD is on the membrane: 250 s of it take some 2 hours on one thread.
// At 64 nm it has a quarter of the events. The period of a run is the mean of its cycles.

#include "min_period.hpp"

#include <tests/support/make_mass.hpp>
#include <tests/support/temporary_folder.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

namespace {

constexpr rdme::testing::Window window{100, 250};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Returns settings/rdme.yaml, the Min system at 32 nm.
std::string at32Nanometres() {
  return mass::testing::readBytes(std::filesystem::path(MASS_SOURCE_DIR) / "settings/rdme.yaml");
}

/// Returns the same cell with sites of 64 nm, and a time step of 200 us for the same probabilities
/// of a hop.
std::string at64Nanometres() {
  auto yaml = replaced(at32Nanometres(), "[32, 32, 128]", "[16, 16, 64]");
  yaml = replaced(yaml, "spacing: 32 nm", "spacing: 64 nm");
  return replaced(yaml, "timestep: 50 us", "timestep: 200 us");
}

std::string withEvents(const std::string& yaml) {
  const auto at = yaml.find("    timestep:");
  const auto line = yaml.substr(at, yaml.find('\n', at) + 1 - at);
  return replaced(replaced(yaml, line, ""), "model:\n", "model:\n  clock: events\n");
}

/// Returns the period of a model.
rdme::Period periodOf(const std::string& yaml) {
  auto mass = mass::testing::makeMass(1, 0, {}, {"backend=cpu", "threads=0"});
  const auto model = rdme::Model::parse(yaml, "min.yaml");
  return rdme::testing::minPeriod(mass, model, window);
}

/// Expects periods of 26 to 34 s by both clocks.
void expectPeriods(const std::string& yaml) {
  const rdme::Period events = periodOf(withEvents(yaml));
  const rdme::Period steps = periodOf(yaml);
  for (const auto& [clock, period] : {std::pair{"events", events}, std::pair{"steps", steps}}) {
    fmt::print("{}: {:.1f} s, spread {:.1f} s, {} cycles\n", clock, period.mean, period.spread,
               period.cycles);
    EXPECT_GE(period.cycles, 3U) << clock;
    EXPECT_GE(period.mean, 26) << clock;
    EXPECT_LE(period.mean, 34) << clock;
  }
}

TEST(MinEvents, OscillatesAt64Nanometres) {
  expectPeriods(at64Nanometres());
}

TEST(MinEvents, OscillatesAt32Nanometres) {
  expectPeriods(at32Nanometres());
}

}  // namespace
