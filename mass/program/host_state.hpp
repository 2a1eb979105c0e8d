#pragma once

#include <mass/support/export.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace mass::detail {

/// Numbers of the host that a run keeps besides places and agents, by name. All ranks have the same
/// values.
class MASS_EXPORT HostState {
 public:
  using Value = std::variant<bool, std::int64_t, double>;

  /// Adds a number. @return its value, at an address that stays
  /// @throws UsageError if the name is empty or taken
  Value& add(const std::string& name, Value initial);
  /// True if there is no number.
  bool isEmpty() const { return values_.empty(); }

  /// Returns a value as a column of the table.
  double number(const std::string& name) const;
  /// Adds the values to the counters of a checkpoint.
  void save(std::map<std::string, std::uint64_t>& counters) const;
  /// @param counters counters of a checkpoint @param file names it in messages
  /// @throws CheckpointError if the checkpoint lacks a number or has another one
  void requireIn(const std::map<std::string, std::uint64_t>& counters,
                 const std::filesystem::path& file) const;
  /// Replaces the values by those of a checkpoint. @pre requireIn() has accepted it
  void restore(const std::map<std::string, std::uint64_t>& counters);
  /// Returns the hash of places, agents and the numbers; `hash` without numbers.
  /// @param hash hash of places and agents
  std::uint64_t addTo(std::uint64_t hash) const;

 private:
  std::map<std::string, Value> values_;
};

}  // namespace mass::detail
