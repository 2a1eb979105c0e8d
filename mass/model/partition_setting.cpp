#include <mass/model/partition_setting.hpp>

#include <mass/io/parse_value.hpp>
#include <mass/partition/parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace mass::detail {
namespace {

constexpr const char* key = "partition";
constexpr const char* cutsKey = "partition.cuts";

/// Largest number of devices that `auto` gives bands of rows.
constexpr int mostBands = 8;

/// Returns the numbers of a text such as "2, 4" with that separator; nothing if it is another one.
std::optional<std::vector<std::int64_t>> numbersIn(std::string_view text, char separator) {
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (!parseValue(text.substr(begin, end - begin), numbers.emplace_back()).empty())
      return std::nullopt;
    begin = end + 1;
  }
  return numbers;
}

std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Returns the parts that a text such as 2x3 or [2, 3, 2] gives; nothing if it is another one.
std::optional<Parts> partsIn(const std::string& given) {
  std::string_view text = given;
  const bool isList = text.starts_with('[') && text.ends_with(']');
  if (isList) text = text.substr(1, text.size() - 2);
  const auto numbers = numbersIn(text, isList ? ',' : 'x');
  constexpr std::int64_t most = 1 << 20;
  if (!numbers || numbers->size() < 2 || numbers->size() > 3 || std::ranges::min(*numbers) < 1 ||
      std::ranges::max(*numbers) > most)
    return std::nullopt;
  const auto along = [&](std::size_t axis) {
    return axis < numbers->size() ? static_cast<int>((*numbers)[axis]) : 1;
  };
  return Parts{along(0), along(1), along(2)};
}

/// Cuts along each axis, of which there are one to three: 0, the first place of each further part,
/// and the length of the axis.
using Cuts = std::vector<std::vector<std::int64_t>>;

/// Returns the cuts that a text such as [[0,100,256],[0,128,256]] gives; nothing if it is another
/// one, or numbers do not ascend from 0.
std::optional<Cuts> cutsIn(std::string_view text) {
  if (!text.starts_with("[[") || !text.ends_with("]]")) return std::nullopt;
  Cuts cuts;
  text = text.substr(2, text.size() - 4);
  while (true) {
    const std::size_t end = text.find("],[");
    const auto numbers = numbersIn(text.substr(0, end), ',');
    if (!numbers || numbers->size() < 2 || numbers->front() != 0 ||
        std::ranges::adjacent_find(*numbers, std::greater_equal<>()) != numbers->end())
      return std::nullopt;
    cuts.push_back(*numbers);
    if (end == std::string_view::npos) break;
    text = text.substr(end + 3);
  }
  return cuts.size() <= 3 ? std::optional(std::move(cuts)) : std::nullopt;
}

/// Returns the cuts of the settings; empty if there are none.
Cuts givenCuts(const Settings& settings) {
  const std::string text = withoutSpaces(settings.get<std::string>(cutsKey));
  if (text.empty()) return {};
  const std::optional<Cuts> cuts = cutsIn(text);
  if (!cuts)
    settings.reject(cutsKey,
                    "must be one to three lists of numbers that ascend from 0 to the length of "
                    "axis 0, of axis 1 and of axis 2, such as [[0, 100, 256], [0, 128, 256]]");
  return *cuts;
}

Parts partsOf(const Cuts& cuts) {
  const auto count = [&](std::size_t axis) {
    return axis < cuts.size() ? static_cast<int>(cuts[axis].size()) - 1 : 1;
  };
  return {count(0), count(1), count(2)};
}

/// Returns the parts as 2 x 3, or 2 x 3 x 2 if axis 2 is cut.
std::string textOf(const Parts& parts) {
  return fmt::format("{} x {}{}", parts.rows, parts.lines,
                     parts.columns > 1 ? fmt::format(" x {}", parts.columns) : "");
}

/// @throws SettingsError unless there are as many parts as devices
void requireDevices(const Settings& settings, const char* name, const Parts& parts,
                    std::size_t devices) {
  const auto count = std::int64_t{parts.rows} * parts.lines * parts.columns;
  if (count == static_cast<std::int64_t>(devices)) return;
  settings.reject(name, fmt::format("{} are {} parts, and there are {} devices: each needs one",
                                    textOf(parts), count, devices));
}

/// @throws SettingsError unless the cuts end with the axes of the places
void requireLengths(const Settings& settings, const Cuts& cuts, const Domain& domain,
                    const std::string& name) {
  for (std::size_t axis = 0; axis < cuts.size(); ++axis) {
    if (cuts[axis].back() == domain.shape[axis]) continue;
    settings.reject(cutsKey, fmt::format("the cuts of axis {} end at {}, and '{}' has {} places "
                                         "along it",
                                         axis, cuts[axis].back(), name, domain.shape[axis]));
  }
}

/// Returns why these places cannot be cut along other axes than the first; empty if they can.
std::string objectionTo(const Parts& parts, const Domain& domain,
                        const std::vector<Component>& components, const std::string& name) {
  if (domain.dimensions < 3)
    return fmt::format(
        "'{}' has {} axes, and only places with 3 can be cut along several: set it to "
        "rows",
        name, domain.dimensions);
  if (haveMultiset(components))
    return fmt::format("'{}' has a Multiset, whose elements need bands of rows: set it to rows",
                       name);
  const bool areThree = parts.columns > 1;
  if (parts.rows > domain.shape[0] || parts.lines > domain.shape[1] ||
      parts.columns > domain.shape[2])
    return fmt::format(
        "{} parts of '{}', which has {} x {}{} places along axes 0{} 1{}: each part "
        "needs one",
        textOf(parts), name, domain.shape[0], domain.shape[1],
        areThree ? fmt::format(" x {}", domain.shape[2]) : "", areThree ? "," : " and",
        areThree ? " and 2" : "");
  return {};
}

/// Returns the number of devices of each host if it is the same for all and those of a host are
/// consecutive; 0 otherwise, and for a single host.
int devicesOfEachHost(const DeviceConfig& devices) {
  std::vector<int> counts;
  std::vector<std::string> hosts;
  for (int device = 0; device < devices.size(); ++device) {
    const std::string host = devices.ranks().host(devices.rankOf(device));
    if (hosts.empty() || hosts.back() != host) {
      if (std::ranges::count(hosts, host) > 0) return 0;
      hosts.push_back(host);
      counts.push_back(0);
    }
    ++counts.back();
  }
  const bool areEqual = std::ranges::min(counts) == std::ranges::max(counts);
  return hosts.size() > 1 && areEqual ? counts.front() : 0;
}

/// Sets the order of the devices: each host owns the tile of blocks with which it sends least to
/// others, if there is any; of equal ones, that with most parts along axis 0.
void setOrder(Domain& domain, const Parts& parts, const DeviceConfig& devices) {
  const int ofHost = devicesOfEachHost(devices);
  double least = std::numeric_limits<double>::infinity();
  for (int rows = ofHost; rows >= 1; --rows) {
    for (int lines = ofHost / rows; lines >= 1; --lines) {
      const std::array tile{rows, lines, ofHost / rows / lines};
      if (rows * lines * tile[2] != ofHost || parts.rows % rows != 0 || parts.lines % lines != 0 ||
          parts.columns % tile[2] != 0)
        continue;
      const double sent = placesSent(
          domain.shape, {parts.rows / rows, parts.lines / lines, parts.columns / tile[2]});
      if (sent >= least) continue;
      least = sent;
      domain.tile = tile;
    }
  }
}

}  // namespace

void addPartitionKeys(Schema& schema) {
  schema
      .add(key, "rows", "",
           "division of 3-D places among the devices: rows = bands along axis 0; parts along axes "
           "0, 1 and 2, as 2x4 or [2, 2, 2] for 8 devices; auto = rows up to 8 devices, else the "
           "parts that send least, along axis 2 if the others send more than 1.25 times as much")
      .orList()
      .withoutEffectOnResults();
  KeyInfo cuts{
      cutsKey, "", "places",
      "first place of each part along axis 0, along axis 1 and along axis 2, and the length of "
      "the axis, instead of `partition` and `weights`: [[0, 100, 256], [0, 128, 256]]; a single "
      "list cuts axis 0; empty = by these"};
  schema.add(std::move(cuts.withWholeName().orList().withoutEffectOnResults()));
}

std::vector<double> deviceWeights(const Settings& settings, std::size_t devices) {
  auto weights = settings.get<std::vector<double>>("weights");
  const Cuts cuts = givenCuts(settings);
  if (cuts.empty()) return weights;
  if (!weights.empty() || settings.get<std::string>(key) != "rows")
    settings.reject(cutsKey, "gives the parts themselves: leave out 'partition' and 'weights'");
  const Parts parts = partsOf(cuts);
  requireDevices(settings, cutsKey, parts, devices);
  const auto size = [&](std::size_t axis, int part) {
    if (axis >= cuts.size()) return 1.0;
    const auto number = static_cast<std::size_t>(part);
    return static_cast<double>(cuts[axis][number + 1] - cuts[axis][number]);
  };
  std::vector<double> sizes;
  for (int row = 0; row < parts.rows; ++row)
    for (int line = 0; line < parts.lines; ++line)
      for (int column = 0; column < parts.columns; ++column)
        sizes.push_back(size(0, row) * size(1, line) * size(2, column));
  return sizes;
}

void setPartition(Domain& domain, const std::vector<Component>& components, const std::string& name,
                  const Settings& settings, const DeviceConfig& devices) {
  const Cuts cuts = givenCuts(settings);
  const std::string text = withoutSpaces(settings.get<std::string>(key));
  const bool isAuto = text == "auto";
  const bool mayBeBlocks = devices.size() > mostBands && !devices.areMixed();
  if (cuts.empty() && (text == "rows" || (isAuto && !mayBeBlocks))) return;
  const char* const given = cuts.empty() ? key : cutsKey;
  const std::optional<Parts> parts = !cuts.empty() ? partsOf(cuts)
                                     : isAuto
                                         ? partsFor(domain.shape, devices.size(), domain.borders)
                                         : partsIn(text);
  if (!parts)
    settings.reject(key, "must be rows, auto, or parts along axes 0, 1 and 2 such as 2x4 or 2x2x2");
  requireDevices(settings, given, *parts, static_cast<std::size_t>(devices.size()));
  requireLengths(settings, cuts, domain, name);
  const bool areBlocks = parts->lines > 1 || parts->columns > 1;
  if (!areBlocks) return;
  const std::string objection = objectionTo(*parts, domain, components, name);
  if (devices.areMixed())
    settings.reject(given,
                    "cuts several axes, and ranks of processors beside ranks of GPUs need bands "
                    "of rows: set it to rows");
  if (!objection.empty()) {
    if (isAuto) return;
    settings.reject(given, objection);
  }
  domain.parts = {parts->lines, parts->columns};
  domain.tile = {1, parts->lines, parts->columns};
  if (cuts.empty()) setOrder(domain, *parts, devices);  // given cuts have the order of the devices
}

}  // namespace mass::detail
