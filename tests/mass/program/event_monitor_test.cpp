#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>
#include <mass/program/event_monitor.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::contains;
using mass::testing::readBytes;
using mass::testing::TemporaryFolder;

/// Molecules that hop and decay, and are born.
class Cell : public mass::Place<2> {
 public:
  std::int32_t molecules = 0;
  using Attributes = mass::Attributes<&Cell::molecules>;
  MASS_FN double decaying() const { return molecules; }
  MASS_FN void decay() { --molecules; }
  MASS_FN double birth() const { return 3; }
  MASS_FN void bear() { ++molecules; }
  using Events = mass::Events<mass::event<&Cell::decaying, &Cell::decay>,
                              mass::event<&Cell::birth, &Cell::bear>, mass::hop<&Cell::molecules>>;
};

class Stone : public mass::Place<1> {
 public:
  int weight = 1;
  using Attributes = mass::Attributes<&Stone::weight>;
};

/// Returns the sums of the columns of a table.
std::map<std::string, double> sumsOf(const std::string& table) {
  std::map<std::string, double> sums;
  std::vector<std::string> names;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    for (std::size_t column = 0; std::getline(words, word, ','); ++column) {
      if (names.size() <= column) {
        names.push_back(word);
      } else {
        sums[names[column]] += std::stod(word);
      }
    }
  }
  return sums;
}

TEST(EventMonitor, RecordsTheWorkOfAllRanks) {
  const TemporaryFolder folder;
  const mass::testing::RankSetup setup{.devices = {1, 2},
                                       .threads = 2,
                                       .more = {"output.folder=" + folder.path().string(),
                                                "output.table_every=1", "events.window=0.025"}};
  mass::testing::onRanks(setup, [&](Mass& mass) {
    const auto cells = mass.createPlaces<Cell>({12, 5});
    EXPECT_EQ(mass.placesNames(true), std::vector<std::string>{cells.name()});
    cells.hopRate<&Cell::molecules>(2.0);
    mass::detail::EventMonitor monitor(mass);
    const bool writes = mass.devices().ranks().isFirst();
    if (writes) monitor.begin("");
    for (int step = 0; step <= 3; ++step) {
      monitor.write(step);
      cells.runEvents(mass::seconds(1));
    }
    monitor.finish();
    const auto reports = mass.eventReports();
    ASSERT_EQ(reports.size(), 1U);
    const mass::EventReport& report = reports[0];
    EXPECT_EQ(report.rules, (std::vector<std::string>{"molecules", "decay", "bear"}));
    EXPECT_EQ(report.events[0] + report.events[1] + report.events[2], report.counts.events);
    // All events but hops change the number of molecules.
    EXPECT_EQ(report.events[2] - report.events[1], cells.reduce<&Cell::molecules>(mass::sum));
    EXPECT_EQ(report.counts.events, monitor.events());
    EXPECT_EQ(report.counts.placeWindows, 60 * static_cast<std::int64_t>(cells.step()));
    EXPECT_EQ(report.counts.executions,
              report.counts.placeWindows + report.counts.byArrivals + report.counts.byChanges);
    EXPECT_LE(report.counts.friendly, report.counts.byArrivals + report.counts.byChanges);
    EXPECT_GT(report.counts.byArrivals, 0);
    EXPECT_GT(report.bytes, 60 * 3 * 4);
    EXPECT_EQ(report.ofDevice.size(), 3U);
    const std::string text = monitor.summary(2.0);
    EXPECT_TRUE(contains(text, "executions")) << text;
    EXPECT_EQ(contains(text, "event table"), writes) << text;
    if (!writes) return;
    auto sums = sumsOf(readBytes(folder / fmt::format("events-{}.csv", cells.name())));
    EXPECT_EQ(sums["step"], 1 + 2 + 3);
    EXPECT_EQ(sums["events.molecules"] + sums["events.decay"] + sums["events.bear"],
              sums["events"]);
    EXPECT_EQ(sums["place_windows"] * 4, static_cast<double>(3 * report.counts.placeWindows));
    EXPECT_GT(sums["events"], 0.5 * static_cast<double>(report.counts.events));
    EXPECT_GT(sums["settling.2"], 0);
  });
}

TEST(EventMonitor, OfPlacesWithoutEvents) {
  Mass mass = mass::testing::makeMass(1);
  (void)mass.createPlaces<Stone>({3});
  mass::detail::EventMonitor monitor(mass);
  EXPECT_TRUE(monitor.files().empty());
  monitor.finish();
  EXPECT_EQ(monitor.summary(1), "");
  EXPECT_EQ(monitor.events(), -1);
}

}  // namespace
