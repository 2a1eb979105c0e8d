#include <mass/model/schedule_checkpoint.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace mass::detail {
namespace {

/// Returns the name of a value or array of a checkpoint that belongs to the events of places.
std::string item(const PlacesState& places, const char* name) {
  return places.name + ".schedule." + name;
}

/// Returns the names of the scheduled rules as text.
std::string rulesOf(const PlacesState& places) {
  return fmt::format("{}", fmt::join(places.scheduleKernel().names, ", "));
}

/// Returns a value of a header. @throws CheckpointError if it is missing
template <class Map>
const auto& valueIn(const Map& map, const PlacesState& places, const char* name) {
  const auto found = map.find(item(places, name));
  if (found == map.end())
    throw CheckpointError(
        "the checkpoint has no '{}': it was written by another version of the model",
        item(places, name));
  return found->second;
}

/// Returns the arrays of the counts of places and of the events.
std::vector<ArrayInfo> arraysOf(const PlacesState& places, std::uint64_t pending) {
  return {
      {item(places, "counts"),
       ElementType::opaque,
       sizeof(PlaceCounts),
       {static_cast<std::uint64_t>(placesIn(*places.fields))}},
      {item(places, "events"), ElementType::opaque, places.scheduleKernel().eventBytes, {pending}}};
}

}  // namespace

ScheduleCheckpoint::ScheduleCheckpoint(const std::vector<std::shared_ptr<PlacesState>>& all) {
  for (const auto& places : all)
    if (places->schedule != nullptr) items_.push_back({places.get(), places->schedule->record()});
}

void ScheduleCheckpoint::addTo(CheckpointHeader& header) const {
  for (const auto& [places, record] : items_) {
    header.numbers[item(*places, "now")] = record.now;
    if (record.callEnd) header.numbers[item(*places, "callEnd")] = *record.callEnd;
    header.counters[item(*places, "scheduled")] = record.scheduled;
    header.counters[item(*places, "hash")] = record.hash;
    header.counters[item(*places, "pending")] = record.pending;
    header.texts[item(*places, "rules")] = rulesOf(*places);
  }
}

void ScheduleCheckpoint::write(RankCheckpointWriter& file) const {
  for (const auto& [places, record] : items_) {
    const auto add = [&, hash = record.hash](const ArrayInfo& array, const auto& values) {
      const auto bytes = std::as_bytes(std::span(values));
      file.add(array, hash, [&](std::int64_t first, std::int64_t count, char* packed) {
        const std::size_t row = array.rowBytes(), begin = static_cast<std::size_t>(first) * row;
        if (begin < bytes.size())  // the first rank has the events
          std::memcpy(packed, bytes.data() + begin, static_cast<std::size_t>(count) * row);
      });
    };
    const auto arrays = arraysOf(*places, record.pending);
    add(arrays[0], record.counts);
    add(arrays[1], record.events);
  }
}

std::vector<ArrayInfo> scheduleArrays(const PlacesState& places, const CheckpointHeader& header) {
  if (places.schedule == nullptr) return {};
  if (const std::string& written = valueIn(header.texts, places, "rules");
      written != rulesOf(places))
    throw CheckpointError(
        "the checkpoint has events of '{}' with the rules {}; this model has {}: it was written by "
        "another version of the model",
        places.name, written, rulesOf(places));
  return arraysOf(places, valueIn(header.counters, places, "pending"));
}

void restoreSchedule(const RankCheckpoint& file, PlacesState& places) {
  const auto arrays = scheduleArrays(places, file.header());
  if (arrays.empty()) return;
  const CheckpointHeader& header = file.header();
  ScheduleRecord record;
  record.now = valueIn(header.numbers, places, "now");
  if (const auto end = header.numbers.find(item(places, "callEnd")); end != header.numbers.end())
    record.callEnd = end->second;
  record.scheduled = static_cast<std::uint32_t>(valueIn(header.counters, places, "scheduled"));
  record.hash = valueIn(header.counters, places, "hash");
  record.pending = valueIn(header.counters, places, "pending");
  const std::vector<char> counts = file.allRows(arrays[0]), events = file.allRows(arrays[1]);
  record.counts.resize(counts.size() / sizeof(PlaceCounts));
  std::memcpy(record.counts.data(), counts.data(), counts.size());
  record.events.resize(events.size());
  std::transform(events.begin(), events.end(), record.events.begin(),
                 [](char byte) { return static_cast<std::byte>(byte); });
  auto clock = makeSchedule(places);
  if (const double lookahead = places.schedule->lookahead(); lookahead > 0)
    clock->setLookahead(lookahead);
  clock->restore(record);
  places.schedule = std::move(clock);
}

}  // namespace mass::detail
