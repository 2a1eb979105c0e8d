#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mass::detail {

/// Array of a table of agents: one element per row, or several for an array of the agents.
struct TableArray {
  std::string name;
  ElementType type = ElementType::int64;
  std::size_t components = 1;
  std::vector<char> values{};  ///< values of the rows that were read
};

/// Rows of a table of agents in HDF5.
struct TableRows {
  std::filesystem::path file;      ///< with the rows: the table, or a file of the folder beside it
  std::vector<std::int64_t> rows;  ///< their numbers in the file, ascending
  std::vector<TableArray> arrays;
};

/// Reads rows of an AgentTable in HDF5, or of a file with such arrays by another program. An index
/// is read from its files in the folder of its name, and from no others. HDF5 runs in child
/// processes, since the bytes have no checksum.
/// @param step step of the rows; the highest one that has rows if empty. Without rows of that step,
///   all rows of a file are returned.
/// @throws InputError if the file cannot be read, or is no such table
TableRows readTableRows(const std::filesystem::path& table, std::optional<std::int64_t> step);

}  // namespace mass::detail
