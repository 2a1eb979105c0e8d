#include <mass/program/host_state.hpp>

#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mass::detail {
namespace {

/// First part of the names of counters of a checkpoint that hold these numbers.
constexpr std::string_view prefix = "simulation.state.";

/// Returns the name of the counter of a number, which has its type.
std::string counterOf(const std::string& name, const HostState::Value& value) {
  constexpr std::array<const char*, std::variant_size_v<HostState::Value>> types{"bool", "integer",
                                                                                 "number"};
  return std::string(prefix) + types.at(value.index()) + '.' + name;
}

/// Returns a value as 64 bits.
std::uint64_t bitsOf(const HostState::Value& value) {
  return std::visit(
      [](auto number) -> std::uint64_t {
        if constexpr (std::is_same_v<decltype(number), double>)
          return std::bit_cast<std::uint64_t>(number);
        else
          return static_cast<std::uint64_t>(number);
      },
      value);
}

/// Sets a value to that of 64 bits, in its type.
void setBits(HostState::Value& value, std::uint64_t bits) {
  std::visit(
      [bits](auto& number) {
        using T = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<T, double>)
          number = std::bit_cast<double>(bits);
        else
          number = static_cast<T>(bits);
      },
      value);
}

}  // namespace

HostState::Value& HostState::add(const std::string& name, Value initial) {
  if (name.empty()) throw UsageError("Simulation::state: a number needs a name");
  const auto [entry, isNew] = values_.emplace(name, initial);
  if (!isNew) throw UsageError("Simulation::state: there are two numbers '{}'", name);
  return entry->second;
}

double HostState::number(const std::string& name) const {
  return std::visit([](auto value) { return static_cast<double>(value); }, values_.at(name));
}

void HostState::save(std::map<std::string, std::uint64_t>& counters) const {
  for (const auto& [name, value] : values_) counters[counterOf(name, value)] = bitsOf(value);
}

void HostState::requireIn(const std::map<std::string, std::uint64_t>& counters,
                          const std::filesystem::path& file) const {
  std::size_t found = 0;
  for (const auto& [name, value] : values_) {
    if (!counters.contains(counterOf(name, value)))
      throw CheckpointError(
          "{} has no value of the run's number '{}': it was written by another version",
          file.string(), name);
  }
  for (const auto& [name, bits] : counters) found += name.starts_with(prefix) ? 1U : 0U;
  if (found != values_.size())
    throw CheckpointError("{} has {} numbers of a run; this program has {}", file.string(), found,
                          values_.size());
}

void HostState::restore(const std::map<std::string, std::uint64_t>& counters) {
  for (auto& [name, value] : values_) setBits(value, counters.at(counterOf(name, value)));
}

std::uint64_t HostState::addTo(std::uint64_t hash) const {
  for (const auto& [name, value] : values_) {
    hash = hashBytes(name.data(), name.size(), hash);
    hash = mix(hash ^ bitsOf(value));
  }
  return hash;
}

}  // namespace mass::detail
