#include <mass/program/live/answer.hpp>

#include <mass/program/devices_text.hpp>
#include <mass/program/model_run.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace mass::detail::live {
namespace {

using Json = nlohmann::ordered_json;

/// Returns a text in which bytes that are no UTF-8 are replaced.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns a number, or null if it is not finite.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json bound(const std::optional<double>& value) {
  return value ? finite(*value) : Json();
}

/// Returns the present value of a key, as YAML.
std::string valueOf(const Settings& settings, const KeyInfo& key) {
  return std::visit(
      [&](const auto& other) {
        return toYaml(settings.get<std::decay_t<decltype(other)>>(key.name));
      },
      key.defaultValue);
}

Json settingOf(const KeyInfo& key, const Settings& settings) {
  return {{"key", key.name},
          {"about", key.about},
          {"unit", key.unit},
          {"type", key.type()},
          {"low", bound(key.minimum)},
          {"high", bound(key.maximum)},
          {"isAbove", key.aboveMinimum},
          {"choices", key.choices},
          {"value", valueOf(settings, key)}};
}

std::string hexOf(const Rgb& color) {
  return fmt::format("{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::string hexOf(const ColorMap& map) {
  std::string text;
  for (const Rgb& color : map.entries()) text += hexOf(color);
  return text;
}

/// Appends the positions of points, low bytes first.
void appendPoints(const std::vector<Points>& points, std::string& bytes) {
  for (const Points& each : points) {
    for (const auto& at : each.at) {
      for (const unsigned share : at)
        bytes.append({static_cast<char>(share & 0xffU), static_cast<char>(share >> 8U)});
    }
  }
}

/// Returns the number of bits, 1, 2, 4 or 8, that hold each of the indices.
unsigned bitsOf(const std::vector<std::uint8_t>& indices) {
  std::uint8_t all = 0;
  for (const std::uint8_t index : indices) all |= index;
  unsigned bits = 1;
  while (unsigned{all} >> bits != 0) bits *= 2;
  return bits;
}

/// Writes indices of `bits` bits each. The loop over whole bytes is vectorised.
template <unsigned bits>
void writePacked(const std::vector<std::uint8_t>& indices, char* bytes) {
  constexpr std::size_t each = 8 / bits;
  const std::uint8_t* const from = indices.data();
  const auto packed = [&](std::size_t first, std::size_t count) {
    unsigned byte = 0;
    for (std::size_t i = 0; i < count; ++i) byte |= unsigned{from[first + i]} << i * bits;
    return static_cast<char>(byte);
  };
  const std::size_t whole = indices.size() / each;
  for (std::size_t k = 0; k < whole; ++k) bytes[k] = packed(k * each, each);
  if (indices.size() % each > 0) bytes[whole] = packed(whole * each, indices.size() % each);
}

/// Appends indices of `bits` bits each.
void appendPacked(const std::vector<std::uint8_t>& indices, unsigned bits, std::string& bytes) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + (indices.size() * bits + 7) / 8);
  char* const to = bytes.data() + begin;
  if (bits == 1) return writePacked<1>(indices, to);
  if (bits == 2) return writePacked<2>(indices, to);
  if (bits == 4) return writePacked<4>(indices, to);
  std::copy(indices.begin(), indices.end(), to);
}

}  // namespace

std::string describe(const ModelRun& model, ViewHost host) {
  constexpr std::array<const char*, 3> hosts{"program", "caller", "recording"};
  const Settings& settings = model.mass.settings();
  Json live = Json::array();
  for (const KeyInfo& key : settings.schema().keys())
    if (key.isLive) live.push_back(settingOf(key, settings));
  return dumped({{"is", "run"},
                 {"host", hosts.at(static_cast<std::size_t>(host))},
                 {"name", model.name},
                 {"about", model.description},
                 {"devices", devicesText(model.mass.devices())},
                 {"threads", model.mass.devices().threads()},
                 {"places", model.mass.size()},
                 {"timeStep", model.timeStep},
                 {"first", model.firstStep},
                 {"seed", settings.get<std::int64_t>("seed")},
                 {"hasPicture", model.picture != nullptr},
                 {"slices", model.slices ? Json(model.slices->shape) : Json()},
                 {"columns", model.columnNames()},
                 {"settings", live}});
}

std::map<std::string, std::string> liveValues(const Settings& settings) {
  std::map<std::string, std::string> values;
  for (const KeyInfo& key : settings.schema().keys())
    if (key.isLive) values[key.name] = valueOf(settings, key);
  return values;
}

std::string toJson(const Status& status) {
  Json values = Json::object();
  for (const auto& [key, value] : status.values) values[key] = value;
  return dumped({{"is", "status"},
                 {"step", status.step},
                 {"last", status.lastStep},
                 {"time", finite(status.time)},
                 {"state", status.state},
                 {"rate", finite(status.rate)},
                 {"limit", status.limit},
                 {"viewers", status.viewers},
                 {"isLed", status.isLed},
                 {"isOwn", status.isOwn},
                 {"values", values}});
}

std::string legendOf(const Picture& picture, const Frame& frame) {
  return dumped({{"is", "legend"},
                 {"name", picture.name},
                 {"unit", picture.unit},
                 {"low", finite(picture.low)},
                 {"high", finite(picture.high)},
                 // The last two colours of a scale with absent places are not part of it.
                 {"colors", picture.absent.empty() ? ColorMap::size : ColorMap::size - 2},
                 {"categories", picture.categories},
                 {"palette", hexOf(frame.picture.colorMap)}});
}

std::string toBytes(const Picture& picture, const Frame& frame, std::int64_t number,
                    std::int64_t step, std::int64_t id) {
  const auto& [box, block, drawn, slice, points] = frame;
  const unsigned bits = bitsOf(drawn.image.pixels);
  Json fields{{"id", id},
              {"number", number},
              {"step", step},
              {"places", {picture.rows, picture.columns}},
              {"box", {box.top, box.left, box.rows, box.columns}},
              {"block", block},
              {"size", {drawn.image.width, drawn.image.height}},
              {"bits", bits}};
  if (slice.axis >= 0) fields["slice"] = {slice.axis, slice.at};
  for (const Points& each : points)
    fields["points"].push_back(
        {{"name", each.name}, {"color", hexOf(each.color)}, {"count", each.at.size()}});
  const std::string header = dumped(fields);
  std::string bytes;
  bytes.reserve(4 + header.size() + drawn.image.pixels.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>(header.size() >> shift & 0xffU);
  bytes += header;
  appendPacked(drawn.image.pixels, bits, bytes);
  appendPoints(points, bytes);
  return bytes;
}

std::string valueText(std::optional<float> value, const ValueRequest& request, std::int64_t step) {
  Json number;
  if (value) number = std::isfinite(*value) ? Json(*value) : Json(fmt::format("{}", *value));
  return dumped({{"is", "value"},
                 {"step", step},
                 {"place", {request.row, request.column}},
                 {"value", number}});
}

std::string valueText(const Picture& picture, const ValueRequest& request, std::int64_t step) {
  std::optional<float> value;
  if (request.row < picture.rows && request.column < picture.columns) {
    const auto at = static_cast<std::size_t>(request.row * picture.columns + request.column);
    const bool isAbsent = at < picture.absent.size() && picture.absent[at];
    if (at < picture.values.size() && !isAbsent) value = picture.values[at];
  }
  return valueText(value, request, step);
}

std::string rowsText(const Curves& curves, const CurvesRequest& request) {
  const auto& rows = curves.rows();
  const bool isKnown = request.generation == curves.generation() &&
                       request.from <= static_cast<std::int64_t>(rows.size());
  const std::int64_t from = isKnown ? request.from : 0;
  Json steps = Json::array(), values = Json::array();
  std::for_each(rows.begin() + from, rows.end(), [&](const Curves::Row& row) {
    steps.push_back(row.step);
    Json line = Json::array();
    for (const double value : row.values) line.push_back(finite(value));
    values.push_back(std::move(line));
  });
  return dumped({{"is", "curves"},
                 {"generation", curves.generation()},
                 {"from", from},
                 {"steps", std::move(steps)},
                 {"rows", std::move(values)}});
}

std::string hashText(std::int64_t step, std::uint64_t hash) {
  return dumped({{"is", "hash"}, {"step", step}, {"hash", fmt::format("{:016x}", hash)}});
}

std::string noteText(const std::string& text, bool isError) {
  return dumped({{"is", "note"}, {"text", text}, {"isError", isError}});
}

}  // namespace mass::detail::live
