#pragma once

#include <mass/io/table.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/places_table_sink.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Records the work of Places::runEvents in a run. Each row of the table `events-<places>.csv` of a
/// Places, in `output.folder`, has the counts and seconds since the row before. There are no tables
/// if `output.table_every` is 0.
class EventMonitor : public PlacesTableSink {
 public:
  /// Prefix of the names of the tables.
  static constexpr std::string_view tablePrefix = "events-";

  /// @param mass has created its Places; must outlive this
  explicit EventMonitor(const Mass& mass);

  std::int64_t every() const override { return every_; }
  /// Makes this rank write the tables of all Places with events.
  void begin(const std::string& run) override;
  /// Adds a row to each table, but at the first call.
  /// @throws OutputError if a table cannot be written
  void write(std::int64_t step) override;
  /// Returns the number of events since the start of the run; -1 if no class of Places has any. All
  /// ranks call it together.
  std::int64_t events() const;
  void finish() override;
  /// Returns lines on the events for the summary of a run; empty without events.
  std::string summary(double computeSeconds) const;

 private:
  std::vector<std::string> tabled() const override;

  const Mass* mass_;
  std::int64_t every_;
  std::int64_t first_ = -1;  ///< step of the first call of write(); -1: none
  std::map<std::string, std::filesystem::path> files_;  ///< tables that this rank writes
  std::map<std::string, Table> tables_;
  std::map<std::string, EventReport> last_;  ///< at the last row
  std::vector<EventReport> reports_;         ///< at the end
};

}  // namespace mass::detail
