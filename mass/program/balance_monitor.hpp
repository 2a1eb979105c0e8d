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

namespace mass {

namespace detail {
/// Balances the load of the devices of a run, as the settings `balance.*` say. Each check adds a
/// row (imbalance, expected imbalance, rows of each device) to the table `balance-<places>.csv` of
/// each Places, in `output.folder`. There are no tables if `output.table_every` is 0.
class BalanceMonitor : public PlacesTableSink {
 public:
  /// Prefix of the names of the tables.
  static constexpr std::string_view tablePrefix = "balance-";

  /// Declares the settings keys `balance.*`.
  static void addKeys(Schema& schema);

  /// Reads the settings of `mass`, which must outlive this.
  explicit BalanceMonitor(Mass& mass);

  /// Steps between two checks; 0: no checks, as on a single device.
  std::int64_t every() const override { return every_; }
  /// True if checks write tables.
  bool writes() const { return writes_ && isActive(); }
  /// Begins the tables of all Places created so far.
  /// @throws OutputError if a table cannot be written
  void begin(const std::string& run) override;
  /// Checks the balance at `step`, moves rows if needed, and adds a row to each table.
  void write(std::int64_t step) override;
  void finish() override;
  /// Returns time, number of checks and tables.
  std::string report() const override;

 private:
  std::vector<std::string> tabled() const override;
  void add(std::int64_t step, const Rebalance& result);

  Mass* mass_;
  bool writes_;
  Balance by_;
  double threshold_;
  std::int64_t every_ = 0;
  std::int64_t checks_ = 0, moves_ = 0;
  double seconds_ = 0;
  std::map<std::string, detail::Table> tables_;
};
}  // namespace detail

}  // namespace mass
