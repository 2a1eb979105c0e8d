#pragma once

#include <mass/io/table.hpp>
#include <mass/model/mass.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace mass {

namespace detail {
/// Balances the load of the devices of a run, as the settings `balance.*` say. Each check adds a
/// row (imbalance, expected imbalance, rows of each device) to the table `balance-<places>.csv` of
/// each Places, in `output.folder`. There are no tables if `output.table_every` is 0.
class BalanceMonitor {
 public:
  /// Prefix of the names of the tables.
  static constexpr std::string_view tablePrefix = "balance-";

  /// Declares the settings keys `balance.*`.
  static void addKeys(Schema& schema);

  /// Reads the settings of `mass`, which must outlive this.
  explicit BalanceMonitor(Mass& mass);

  /// Steps between two checks; 0: no checks, as on a single device.
  std::int64_t every() const { return every_; }
  /// True if checks write tables.
  bool writes() const { return writes_ && every_ > 0; }
  /// Path of the table of each Places created so far, by name; empty if checks write no tables.
  std::map<std::string, std::filesystem::path> files() const;
  /// Begins the tables of all Places created so far.
  /// @throws OutputError if a table cannot be written
  void begin();
  /// Checks the balance at `step`, moves rows if needed, and adds a row to each table.
  void rebalance(std::int64_t step);
  /// Publishes the tables under their names.
  void finish();
  /// Returns lines for the summary of a run: time, number of checks and tables; empty without
  /// checks.
  std::string report() const;

 private:
  void write(std::int64_t step, const Rebalance& result);

  Mass* mass_;
  std::filesystem::path folder_;
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
