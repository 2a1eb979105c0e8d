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
/// Looks now and then whether all devices have as much to do, as the settings `balance.*` say, and
/// writes down what it sees: a table `balance-<places>.csv` for each Places, in `output.folder`
/// where there are tables.
class Balancing {
 public:
  /// What the names of the tables begin with.
  static constexpr std::string_view tablePrefix = "balance-";

  explicit Balancing(Mass& mass);

  /// Steps between looks; 0: there are none, as on a single device.
  std::int64_t every() const { return every_; }
  bool writes() const { return writes_ && every_ > 0; }
  /// Where the tables are: one for each Places there is so far, if there are to be any.
  std::map<std::string, std::filesystem::path> files() const;
  /// Begins the tables. What is created later has none.
  void begin();
  void look(std::int64_t step);
  /// Makes the tables appear under their names.
  void finish();
  /// A line on what was done, for the end of a run; empty without looks.
  std::string report() const;

 private:
  void write(std::int64_t step, const Rebalance& result);

  Mass* mass_;
  std::filesystem::path folder_;
  bool writes_;
  detail::Balance by_;
  double threshold_;
  std::int64_t every_ = 0;
  std::int64_t looks_ = 0, moves_ = 0;
  double seconds_ = 0;
  std::map<std::string, detail::Table> tables_;
};
}  // namespace detail

}  // namespace mass
