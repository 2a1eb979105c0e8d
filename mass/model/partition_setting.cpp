#include <mass/model/partition_setting.hpp>

#include <mass/io/parse_value.hpp>
#include <mass/partition/parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace mass::detail {
namespace {

constexpr const char* key = "partition";

/// Largest number of devices that `auto` gives bands of rows.
constexpr int mostBands = 8;

/// Returns the parts that a text such as 2x3 gives; nothing if it is another one.
std::optional<Parts> partsIn(const std::string& text) {
  const std::size_t cross = text.find('x');
  Parts parts;
  if (cross == std::string::npos || !parseValue(text.substr(0, cross), parts.rows).empty() ||
      !parseValue(text.substr(cross + 1), parts.lines).empty() || parts.rows < 1 || parts.lines < 1)
    return std::nullopt;
  return parts;
}

/// Returns why these places cannot be cut along axis 1; empty if they can.
std::string objectionTo(const Parts& parts, const Domain& domain,
                        const std::vector<Component>& components, const std::string& name) {
  if (domain.dimensions < 3)
    return fmt::format(
        "'{}' has {} axes, and only places with 3 can be cut along two: set it to "
        "rows",
        name, domain.dimensions);
  if (std::ranges::any_of(components, [](const Component& component) {
        return component.storage == Storage::multiset;
      }))
    return fmt::format("'{}' has a Multiset, whose elements need bands of rows: set it to rows",
                       name);
  if (parts.rows > domain.shape[0] || parts.lines > domain.shape[1])
    return fmt::format(
        "{} x {} parts of '{}', which has {} x {} places along axes 0 and 1: each "
        "part needs one",
        parts.rows, parts.lines, name, domain.shape[0], domain.shape[1]);
  return {};
}

}  // namespace

void addPartitionKey(Schema& schema) {
  schema
      .add(key, "rows", "",
           "division of 3-D places among the devices: rows = bands along axis 0; parts along axes "
           "0 and 1, as 2x4 for 8 devices; auto = rows up to 8 devices, else the parts that send "
           "least")
      .withoutEffectOnResults();
}

void setPartition(Domain& domain, const std::vector<Component>& components, const std::string& name,
                  const Settings& settings, const DeviceConfig& devices) {
  const auto text = settings.get<std::string>(key);
  if (text == "rows") return;
  const bool isAuto = text == "auto";
  if (isAuto && devices.size() <= mostBands) return;
  const std::optional<Parts> parts =
      isAuto ? leastSending({domain.shape[0], domain.shape[1]}, devices.size()) : partsIn(text);
  if (!parts) settings.reject(key, "must be rows, auto, or parts along axes 0 and 1 such as 2x4");
  if (parts->rows * parts->lines != devices.size())
    settings.reject(
        key, fmt::format("{} x {} are {} parts, and there are {} devices: each needs "
                         "one",
                         parts->rows, parts->lines, parts->rows * parts->lines, devices.size()));
  if (parts->lines == 1) return;
  const std::string objection = objectionTo(*parts, domain, components, name);
  if (!objection.empty()) {
    if (isAuto) return;
    settings.reject(key, objection);
  }
  domain.lineParts = parts->lines;
}

}  // namespace mass::detail
