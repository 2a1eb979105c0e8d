#include <mass/io/table.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

namespace mass::detail {

Table::Table(std::filesystem::path path, const std::vector<std::string>& columns)
    : Table(ResumableCsv(std::move(path), columns), columns.size()) {}

Table::Table(ResumableCsv rows, std::size_t columns) : rows_(std::move(rows)), columns_(columns) {}

Table Table::resume(std::filesystem::path path, const std::vector<std::string>& columns,
                    std::int64_t lastStep, std::int64_t lastRow) {
  return Table(ResumableCsv::resume(std::move(path), columns, RowsPerStep::one, lastStep, lastRow),
               columns.size());
}

void Table::add(std::int64_t step, std::span<const double> values) {
  if (values.size() != columns_) {
    throw UsageError("the table '{}' has {} columns beside the step, the row has {} values",
                     rows_.path().string(), columns_, values.size());
  }
  fmt::memory_buffer row;
  fmt::format_to(std::back_inserter(row), "{}", step);
  for (const double value : values) fmt::format_to(std::back_inserter(row), ",{}", value);
  row.push_back('\n');
  rows_.add(step, std::string_view(row.data(), row.size()));
}

}  // namespace mass::detail
