#include <mass/model/any_places.hpp>

#include <mass/memory/agent_io.hpp>
#include <mass/memory/field_io.hpp>
#include <mass/model/agent_coordinates.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>
#include <utility>

namespace mass {
namespace detail {
namespace {

std::vector<AnyPlaces::Attribute> listed(const std::vector<AttributeInfo>& attributes) {
  std::vector<AnyPlaces::Attribute> list;
  for (const AttributeInfo& info : attributes)
    list.push_back({info.name, info.valueType, info.valueSize, info.components, info.isArray});
  return list;
}

/// Returns an attribute by name. @param owner name of the places or agents
/// @throws UsageError if there is none
const AttributeInfo& attributeNamed(std::span<const AttributeInfo> attributes,
                                    std::string_view name, const std::string& owner) {
  const auto found = std::ranges::find(attributes, name, &AttributeInfo::name);
  if (found != attributes.end()) return *found;
  std::vector<std::string> names;
  for (const AttributeInfo& info : attributes) names.push_back(info.name);
  throw UsageError("'{}' has no attribute '{}'; it has {}", owner, name, fmt::join(names, ", "));
}

/// Calls copy(component, values) for each component, with memory for `count` stored elements, and
/// decodes them.
template <class Copy>
void readComponents(const AttributeInfo& info, std::size_t count, void* values, Copy&& copy) {
  std::vector<char> stored(info.decode ? count * info.elementSize : 0);
  for (int k = 0; k < info.components; ++k) {
    char* const to =
        static_cast<char*>(values) + static_cast<std::size_t>(k) * count * info.valueSize;
    copy(info.firstComponent + k, info.decode ? stored.data() : to);
    if (info.decode) info.decode(stored.data(), to, count);
  }
}

/// Calls copy(component, values) for each component, with its `count` elements encoded.
template <class Copy>
void writeComponents(const AttributeInfo& info, std::size_t count, const void* values,
                     Copy&& copy) {
  std::vector<char> stored(info.encode ? count * info.elementSize : 0);
  for (int k = 0; k < info.components; ++k) {
    const char* const from =
        static_cast<const char*>(values) + static_cast<std::size_t>(k) * count * info.valueSize;
    if (info.encode) info.encode(from, stored.data(), count);
    copy(info.firstComponent + k, info.encode ? stored.data() : from);
  }
}

/// @throws UsageError if `device` is none of this rank, `component` is none of the attribute, or
/// its elements are stored in another form
void requireBand(const AttributeInfo& info, int component, int device, const DeviceConfig& devices,
                 const std::string& owner) {
  if (device < 0 || device >= devices.size())
    throw UsageError("'{}' has no device {}: devices are 0 to {}", owner, device,
                     devices.size() - 1);
  if (!devices.isLocal(device))
    throw UsageError("device {} of '{}' belongs to another rank: read() copies its values", device,
                     owner);
  if (component < 0 || component >= info.components)
    throw UsageError("attribute '{}' of '{}' has no component {}: they are 0 to {}", info.name,
                     owner, component, info.components - 1);
  if (info.decode != nullptr)
    throw UsageError("attribute '{}' of '{}' is stored in another form: read() decodes it",
                     info.name, owner);
}

/// Box of places in rows, lines and columns.
struct Corners {
  std::array<std::int64_t, 3> low{0, 0, 0}, high{1, 1, 1};

  std::size_t places() const {
    std::int64_t places = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) places *= high[axis] - low[axis];
    return static_cast<std::size_t>(places);
  }
};

/// Returns the axes of Layout that the axes of a world have: a row of a 2-D world is one line, and
/// the places of a mask are rows.
std::vector<std::size_t> layoutAxes(const PlacesState& places) {
  const int dimensions = places.mask ? 1 : places.fields->domain().dimensions;
  if (dimensions == 1) return {0};
  if (dimensions == 2) return {0, 2};
  return {0, 1, 2};
}

/// @throws UsageError if `box` is not inside the world
Corners cornersOf(const PlacesState& places, const AnyPlaces::Box& box) {
  const Domain& domain = places.fields->domain();
  const auto axes = layoutAxes(places);
  if (box.low.size() != axes.size() || box.high.size() != axes.size())
    throw UsageError("a box of '{}' needs {} coordinates for each corner; it has {} and {}",
                     places.name, axes.size(), box.low.size(), box.high.size());
  Corners corners;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (box.low[axis] < 0 || box.low[axis] > box.high[axis] || box.high[axis] > domain.shape[axis])
      throw UsageError("the box [{}, {}) along axis {} of '{}' is not inside [0, {})",
                       box.low[axis], box.high[axis], axis, places.name, domain.shape[axis]);
    corners.low[axes[axis]] = box.low[axis];
    corners.high[axes[axis]] = box.high[axis];
  }
  return corners;
}

}  // namespace
}  // namespace detail

std::vector<std::int64_t> AnyPlaces::shape() const {
  const auto& lengths = population_->fields->domain().shape;
  const auto axes = detail::layoutAxes(*population_).size();
  return {lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(axes)};
}

std::int64_t AnyPlaces::size() const {
  std::int64_t size = 1;
  for (const std::int64_t length : shape()) size *= length;
  return size;
}

std::vector<AnyPlaces::Attribute> AnyPlaces::attributes() const {
  return detail::listed(population_->attributes);
}

void AnyPlaces::read(std::string_view attribute, void* values) const {
  read(attribute, {std::vector<std::int64_t>(shape().size(), 0), shape()}, values);
}

void AnyPlaces::read(std::string_view attribute, const Box& box, void* values) const {
  const auto& info = detail::attributeNamed(population_->attributes, attribute, name());
  const detail::Corners corners = detail::cornersOf(*population_, box);
  if (corners.places() == 0) return;
  detail::readComponents(info, corners.places(), values, [&](int component, void* stored) {
    readBox(*population_->fields, component, corners.low, corners.high, stored);
  });
}

void AnyPlaces::write(std::string_view attribute, const void* values) const {
  const auto& info = detail::attributeNamed(population_->attributes, attribute, name());
  detail::requireAlone(*population_->engine, "an assignment");
  detail::PlaceFields& fields = *population_->fields;
  const auto rows = writtenRows(fields);
  const auto places = static_cast<std::size_t>(size());
  const std::size_t placesOfRow = places / static_cast<std::size_t>(fields.domain().shape[0]);
  const std::size_t first = static_cast<std::size_t>(rows.begin) * placesOfRow;
  detail::writeComponents(info, places, values, [&](int component, const char* stored) {
    writeRows(fields, component, rows.begin, rows.size(), stored + first * info.elementSize);
    fields.refreshPadding(component);
  });
}

void AnyPlaces::write(std::string_view attribute, const Box& box, const void* values) const {
  const auto& info = detail::attributeNamed(population_->attributes, attribute, name());
  detail::requireAlone(*population_->engine, "an assignment");
  const detail::Corners part = detail::cornersOf(*population_, box);
  const auto &low = part.low, &high = part.high;
  if (part.places() == 0) return;
  detail::PlaceFields& fields = *population_->fields;
  // Whole rows, of which those of the box are replaced.
  const std::int64_t lines = linesOfRow(fields.domain()), columns = columnsOfLine(fields.domain());
  const detail::Corners whole{{low[0], 0, 0}, {high[0], lines, columns}};
  std::vector<char> rows(whole.places() * info.elementSize);
  const auto bytesOfLine = static_cast<std::size_t>(high[2] - low[2]) * info.elementSize;
  detail::writeComponents(info, part.places(), values, [&](int component, const char* stored) {
    readRows(fields, component, low[0], high[0] - low[0], rows.data());
    for (std::int64_t row = 0; row < high[0] - low[0]; ++row) {
      for (std::int64_t line = low[1]; line < high[1]; ++line, stored += bytesOfLine) {
        const std::int64_t place = (row * lines + line) * columns + low[2];
        std::memcpy(rows.data() + static_cast<std::size_t>(place) * info.elementSize, stored,
                    bytesOfLine);
      }
    }
    writeRows(fields, component, low[0], high[0] - low[0], rows.data());
    fields.refreshPadding(component);
  });
}

AnyPlaces::Band AnyPlaces::band(std::string_view attribute, int component, int device) const {
  const auto& info = detail::attributeNamed(population_->attributes, attribute, name());
  detail::PlaceFields& fields = *population_->fields;
  detail::requireBand(info, component, device, fields.devices(), name());
  if (fields.areBits())
    throw UsageError("attribute '{}' of '{}' is stored as bits: read() returns its values",
                     info.name, name());
  if (fields.areOrdered())
    throw UsageError("the nodes '{}' are stored in another order: read() returns their values",
                     name());
  if (fields.areBlocks())
    throw UsageError("the places '{}' are cut along several axes: read() returns their values",
                     name());
  const int number = info.firstComponent + component;
  const detail::Layout layout = fields.layoutOf(number, device);
  const auto bytes = static_cast<std::int64_t>(info.elementSize);
  const auto* const buffer = static_cast<const char*>(fields.frontBuffer(number, device));
  Band band{buffer + layout.at(0, 0, 0) * bytes, fields.devices().device(device).gpu(),
            fields.rows(device).begin};
  const std::array<std::int64_t, 3> shape{layout.rows, layout.lines, layout.columns};
  const std::array<std::int64_t, 3> strides{layout.rowStride, layout.pitch, 1};
  for (const std::size_t axis : detail::layoutAxes(*population_)) {
    band.shape.push_back(shape[axis]);
    band.strides.push_back(strides[axis] * bytes);
  }
  return band;
}

std::vector<AnyPlaces::Part> AnyPlaces::parts() const {
  const detail::PlaceFields& fields = *population_->fields;
  const detail::DeviceConfig& devices = fields.devices();
  std::vector<std::set<int>> neighbors(static_cast<std::size_t>(devices.size()));
  for (const detail::GhostCopy& copy : fields.ghostPlan())
    if (copy.fromDevice != copy.toDevice)
      neighbors[static_cast<std::size_t>(copy.toDevice)].insert(copy.fromDevice);
  std::vector<Part> parts;
  for (int device = 0; device < devices.size(); ++device) {
    const detail::Layout& layout = fields.layout(device);
    const std::array<std::int64_t, 3> first{fields.rows(device).begin, fields.lines(device).begin,
                                            fields.columns(device).begin};
    const std::array<std::int64_t, 3> size{layout.rows, layout.lines, layout.columns};
    const auto& others = neighbors[static_cast<std::size_t>(device)];
    Part& part = parts.emplace_back(Part{devices.rankOf(device),
                                         devices.ranks().host(devices.rankOf(device)),
                                         {},
                                         {},
                                         {others.begin(), others.end()}});
    for (const std::size_t axis : detail::layoutAxes(*population_)) {
      part.first.push_back(first[axis]);
      part.size.push_back(size[axis]);
    }
  }
  return parts;
}

std::int64_t AnyAgents::size() const {
  return population_->synchronizedFields().alive();
}

std::vector<AnyPlaces::Attribute> AnyAgents::attributes() const {
  return detail::listed(population_->attributes);
}

std::vector<std::uint64_t> AnyAgents::ids() const {
  return agentIds(population_->synchronizedFields());
}

std::vector<std::vector<std::int64_t>> AnyAgents::coordinates() const {
  return detail::coordinatesByAxis(population_->home->fields->domain(),
                                   agentPlaces(population_->synchronizedFields()));
}

void AnyAgents::read(std::string_view attribute, void* values) const {
  const auto& info = detail::attributeNamed(population_->attributes, attribute, name());
  const detail::AgentFields& agents = population_->synchronizedFields();
  const auto count = static_cast<std::size_t>(agents.alive());
  detail::readComponents(info, count, values, [&](int component, void* stored) {
    readAgents(agents, componentColumn(agents, component), stored);
  });
}

void AnyAgents::write(std::string_view attribute, const void* values) const {
  const auto& info = detail::attributeNamed(population_->attributes, attribute, name());
  detail::requireAlone(*population_->engine, "an assignment");
  detail::AgentFields& agents = population_->synchronizedFields();
  const auto count = static_cast<std::size_t>(agents.alive());
  detail::writeComponents(info, count, values, [&](int component, const char* stored) {
    writeAgents(agents, component, stored);
  });
}

AnyPlaces::Band AnyAgents::band(std::string_view attribute, int component, int device) const {
  const auto& info = detail::attributeNamed(population_->attributes, attribute, name());
  const detail::AgentFields& agents = population_->synchronizedFields();
  const detail::DeviceConfig& devices = agents.places().devices();
  detail::requireBand(info, component, device, devices, name());
  std::int64_t first = 0;
  for (int before = 0; before < device; ++before) first += agents.band(before).own;
  const detail::AgentBand& band = agents.band(device);
  const auto number =
      static_cast<std::size_t>(info.firstComponent) + static_cast<std::size_t>(component);
  return {band.front[number].data(),
          devices.device(device).gpu(),
          first,
          {band.own},
          {static_cast<std::int64_t>(info.elementSize)}};
}

}  // namespace mass
