// Passes arbitrary bytes to the reader of CSV: it must return one value for each cell, or throw
// InputError.
#include "fuzz.hpp"

#include <mass/io/csv_reader.hpp>
#include <mass/support/element_type.hpp>
#include <mass/support/error.hpp>

#include <vector>

namespace {

/// Reads a cell as each type of number.
void readCell(const mass::CsvReader& csv, std::size_t column) {
  for (const auto& row : mass::detail::elementTypes) {
    if (row.type == mass::detail::ElementType::opaque) continue;
    std::vector<char> bytes;
    try {
      csv.read(column, row.type, bytes);
      fuzz::require(bytes.size() == row.size);
    } catch (const mass::InputError&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(fuzz::textOf(data, size));
  try {
    mass::CsvReader csv(file.path());
    fuzz::require(!csv.columns().empty());
    while (csv.next()) {
      for (std::size_t column = 0; column < csv.columns().size(); ++column) readCell(csv, column);
    }
  } catch (const mass::InputError&) {
  }
  return 0;
}
