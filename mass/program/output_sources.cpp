#include <mass/program/output_sources.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mass::detail {

void AgentTableSource::begin(const std::string& run) {
  table = AgentTable::open(file, columns, std::nullopt, run);
}

std::string AgentTableSource::resume(std::int64_t lastStep, const std::string& list,
                                     const std::string& run) {
  table = AgentTable::open(file, columns, AgentTable::Resumed{lastStep, lastRow, list}, run);
  return table->note();
}

void AgentTableSource::write(std::int64_t step, const FiniteCheck& check) {
  const AgentFrame frame = rows();
  requireFinite(check, step, name, frame);
  if (table) table->add(step, frame.rows, frame.arrays);
}

void AgentTableSource::flush() {
  if (!table) return;
  table->flush();
  lastRow = table->lastRow();
}

void requireFinite(const FiniteCheck& check, std::int64_t step, const std::string& name,
                   const AgentFrame& frame) {
  check.requireArrays(step, frame.arrays, frame.rows, [&](std::size_t row) {
    const auto isId = [](const FieldArray& array) { return array.name == "id"; };
    const auto ids = std::find_if(frame.arrays.begin(), frame.arrays.end(), isId);
    return fmt::format("agent {} of '{}'", static_cast<const std::uint64_t*>(ids->data)[row], name);
  });
}

}  // namespace mass::detail
