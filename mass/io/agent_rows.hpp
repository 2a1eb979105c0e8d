#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Rows of a file of agents: a CSV file, or an AgentTable in HDF5. The contents of a file select
/// the format.
class AgentRows {
 public:
  /// Opens a file and reads the names of its columns.
  /// @param step step of the rows to return; the last one that has rows if empty. Rows of other
  ///   steps may be returned too, since a CSV file is not searched.
  /// @throws InputError if the file cannot be read, or is neither CSV nor a table of agents
  static std::unique_ptr<AgentRows> open(const std::filesystem::path& file,
                                         std::optional<std::int64_t> step);

  AgentRows() = default;
  AgentRows(const AgentRows&) = delete;
  AgentRows& operator=(const AgentRows&) = delete;
  virtual ~AgentRows() = default;

  /// Returns the names of the columns.
  virtual const std::vector<std::string>& columns() const = 0;
  /// Reads the next row.
  /// @return false at the end
  /// @throws InputError if a line of a CSV file does not have one cell per column
  virtual bool next() = 0;
  /// Appends the bytes of a number of the current row to `into`.
  /// @param column index of the column, from 0
  /// @param type type of the number; not opaque
  /// @throws InputError if it is no number of that type
  virtual void read(std::size_t column, ElementType type, std::vector<char>& into) const = 0;
  /// Returns the number of the current row, for nameOf().
  virtual std::int64_t row() const = 0;
  /// Returns the name of a row for messages: "line 7".
  virtual std::string nameOf(std::int64_t row) const = 0;
  /// Reports an error in the current row.
  /// @throws InputError with the file and the row, always
  [[noreturn]] virtual void fail(std::string_view message) const = 0;
};

}  // namespace mass::detail
