#include <mass/program/event_monitor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace mass::detail {

namespace {

/// Column of the table that is a count of all devices.
struct CountColumn {
  const char* name;
  std::int64_t EventCounts::*count;
};
constexpr CountColumn countColumns[] = {
    {"events", &EventCounts::events},
    {"candidates", &EventCounts::candidates},
    {"strips", &EventCounts::strips},
    {"many_strips", &EventCounts::manyStrips},
    {"place_windows", &EventCounts::placeWindows},
    {"executions", &EventCounts::executions},
    {"by_arrivals", &EventCounts::byArrivals},
    {"by_changes", &EventCounts::byChanges},
    {"friendly", &EventCounts::friendly},
    {"windows", &EventCounts::windows},
    {"rounds", &EventCounts::rounds},
    {"exchanged", &EventCounts::exchanged},
};
/// Likewise, for scheduled events.
constexpr CountColumn scheduleColumns[] = {
    {"events", &EventCounts::events},       {"executions", &EventCounts::executions},
    {"undone", &EventCounts::undone},       {"stragglers", &EventCounts::stragglers},
    {"cancelled", &EventCounts::cancelled}, {"exchanged", &EventCounts::exchanged},
    {"rounds", &EventCounts::rounds},
};
std::span<const CountColumn> countColumnsOf(const EventReport& report) {
  if (report.isScheduled) return scheduleColumns;
  return countColumns;
}
/// Column of the table that is a time of a device.
struct TimeColumn {
  const char* name;
  double EventCounts::*seconds;
};
constexpr TimeColumn timeColumns[] = {{"drawing", &EventCounts::drawing},
                                      {"settling", &EventCounts::settling},
                                      {"waiting", &EventCounts::waiting}};

/// Returns the names of the columns. Rules of one name are numbered.
std::vector<std::string> columnsOf(const EventReport& report) {
  std::vector<std::string> columns;
  for (const CountColumn& column : countColumnsOf(report)) columns.emplace_back(column.name);
  std::map<std::string, int> used;
  for (std::string rule : report.rules) {
    std::replace(rule.begin(), rule.end(), ',', ';');
    const int number = ++used[rule];
    columns.push_back("events." + rule + (number == 1 ? "" : fmt::format("#{}", number)));
  }
  for (std::size_t device = 0; device < report.ofDevice.size(); ++device)
    for (const TimeColumn& column : timeColumns)
      columns.push_back(fmt::format("{}.{}", column.name, device));
  return columns;
}

/// Returns the work between two reports, by column.
std::vector<double> differences(const EventReport& report, const EventReport& last) {
  std::vector<double> values;
  for (const CountColumn& column : countColumnsOf(report))
    values.push_back(static_cast<double>(report.counts.*column.count - last.counts.*column.count));
  for (std::size_t rule = 0; rule < report.events.size(); ++rule)
    values.push_back(static_cast<double>(report.events[rule] - last.events[rule]));
  for (std::size_t device = 0; device < report.ofDevice.size(); ++device)
    for (const TimeColumn& column : timeColumns)
      values.push_back(report.ofDevice[device].*column.seconds -
                       last.ofDevice[device].*column.seconds);
  return values;
}

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}
double ratio(std::int64_t part, std::int64_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

/// Returns the line of the summary on the number of events, and on those of the most frequent
/// rules.
std::string textOfRules(const EventReport& report, double computeSeconds) {
  const double millions = 1e-6 * static_cast<double>(report.counts.events);
  std::string text = fmt::format("  events      {:.4g} million, {:.3g} million/s", millions,
                                 ratio(millions, computeSeconds));
  std::vector<std::size_t> rules;
  for (std::size_t rule = 0; rule < report.rules.size(); ++rule) rules.push_back(rule);
  std::ranges::sort(rules, std::greater<>(), [&](std::size_t rule) { return report.events[rule]; });
  for (std::size_t i = 0; i < std::min<std::size_t>(rules.size(), 4); ++i)
    text += fmt::format("{} {} {:.3g} %", i == 0 ? ":" : ",", report.rules[rules[i]],
                        100 * ratio(report.events[rules[i]], report.counts.events));
  return text + '\n';
}

/// Returns the lines of the summary for some places with scheduled events.
std::string textOfSchedule(const EventReport& report, double computeSeconds) {
  const EventCounts& all = report.counts;
  return textOfRules(report, computeSeconds) +
         fmt::format(
             "  executions  {:.4g} of an event; {:.3g} % rolled back, by {} events that came late "
             "and {} that were cancelled\n"
             "  schedule    {} events pending, {:.3g} % sent to other threads; hash {:016x}; "
             "{:.3g} bytes a place\n",
             ratio(all.executions, all.events), 100 * ratio(all.undone, all.executions),
             all.stragglers, all.cancelled, report.pending, 100 * ratio(all.exchanged, all.events),
             all.hash, ratio(report.bytes, report.size));
}

/// Returns the lines of the summary for some places.
std::string textOf(const EventReport& report, std::int64_t places, double computeSeconds) {
  const EventCounts& all = report.counts;
  std::string text = textOfRules(report, computeSeconds);
  text += fmt::format("  window      {:.6g} us, with {:.3g} hops of the fastest particle\n",
                      report.windowSeconds * 1e6, report.hopsInWindow);
  if (report.hopsInWindow > 5)
    text +=
        "  WARNING: a window has more than 5 hops of the fastest particle, so places are executed "
        "many times: set events.window smaller, or leave it out\n";
  text += fmt::format(
      "  executions  {:.4g} of a place in a window; {:.3g} % repeated as more arrived, {:.3g} % "
      "as "
      "other than expected, {:.3g} % in vain\n",
      ratio(all.executions, all.placeWindows), 100 * ratio(all.byArrivals, all.executions),
      100 * ratio(all.byChanges, all.executions), 100 * ratio(all.friendly, all.executions));
  text += fmt::format(
      "  windows     {:.3g} rounds, {:.3g} lists from other threads a window and thread; {:.3g} "
      "candidates, {:.3g} strips a place; many strips in {:.2g} % of executions\n",
      ratio(all.rounds, all.windows), ratio(all.exchanged, all.windows),
      ratio(all.candidates, all.placeWindows), ratio(all.strips, all.placeWindows),
      100 * ratio(all.manyStrips, all.executions));
  const double seconds = all.drawing + all.settling + all.waiting;
  return text + fmt::format(
                    "  threads     {:.3g} % drawing, {:.3g} % executing, {:.3g} % waiting; "
                    "{:.3g} bytes a place\n",
                    100 * ratio(all.drawing, seconds), 100 * ratio(all.settling, seconds),
                    100 * ratio(all.waiting, seconds), ratio(report.bytes, places));
}

}  // namespace

EventMonitor::EventMonitor(const Mass& mass)
    : PlacesTableSink(mass, tablePrefix, "the table of events"),
      mass_(&mass),
      every_(mass.placesNames(true).empty()
                 ? 0
                 : mass.settings().get<std::int64_t>("output.table_every")) {}

std::vector<std::string> EventMonitor::tabled() const {
  return every_ > 0 ? mass_->placesNames(true) : std::vector<std::string>{};
}

void EventMonitor::begin(const std::string&) {
  for (const auto& [places, file] : tableFiles()) files_.emplace(places, file);
}

void EventMonitor::write(std::int64_t step) {
  for (EventReport& report : mass_->eventReports()) {
    const auto file = files_.find(report.places);
    const auto last = last_.find(report.places);
    if (file != files_.end() && last != last_.end() && step > first_) {
      const auto table = tables_.try_emplace(report.places, file->second, columnsOf(report)).first;
      table->second.add(step, differences(report, last->second));
    }
    last_[report.places] = std::move(report);
  }
  if (first_ < 0) first_ = step;
}

std::int64_t EventMonitor::events() const {
  const std::vector<EventReport> reports = mass_->eventReports();
  std::int64_t sum = reports.empty() ? -1 : 0;
  for (const EventReport& report : reports) sum += report.counts.events;
  return sum;
}

void EventMonitor::finish() {
  for (auto& [places, table] : tables_) table.finish();
  reports_ = mass_->eventReports();
}

std::string EventMonitor::summary(double computeSeconds) const {
  std::string text;
  for (const EventReport& report : reports_) {
    if (report.isScheduled) text += textOfSchedule(report, computeSeconds);
    if (report.counts.placeWindows == 0) continue;
    text += textOf(report, report.size, computeSeconds);
  }
  for (const auto& [places, table] : tables_)
    text += fmt::format("  event table {}\n", table.path().string());
  return text;
}

}  // namespace mass::detail
