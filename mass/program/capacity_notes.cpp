#include <mass/program/capacity_notes.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace mass::detail {

CapacityNotes::CapacityNotes(const Mass& mass, std::string program)
    : mass_(mass), program_(std::move(program)) {}

std::string CapacityNotes::take() {
  constexpr std::size_t minBytes = std::size_t{1} << 20;
  const std::vector<AgentCapacity> before = std::exchange(reported_, mass_.agentCapacities());
  std::string lines;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const AgentCapacity& now = reported_[i];
    if (before[i].capacity == 0 || now.capacity <= before[i].capacity || now.bytes < minBytes)
      continue;
    lines += fmt::format(
        "{}: note: agents '{}' exceed the capacity of {}, {}: enlarged to {} agents, {:.1f} MiB\n",
        program_, now.agents, now.device, before[i].capacity, now.capacity,
        static_cast<double>(now.bytes) / 0x1p20);
  }
  return lines;
}

}  // namespace mass::detail
