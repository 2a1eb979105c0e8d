#include <mass/model/rule_arguments.hpp>

#include <mass/model/shared_cuts.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Returns the shape as text, for example "[64, 32]".
std::string shapeOf(const PlacesState& places) {
  const Domain& domain = places.fields->domain();
  return fmt::format("{}",
                     std::span(domain.shape).first(static_cast<std::size_t>(domain.dimensions)));
}

/// Names by the scale of other places: parameters of rules, or functions.
struct NamesByScale {
  const char *same, *finer, *coarser;

  const char* of(Scale scale) const {
    switch (scale) {
      case Scale::finer:
        return finer;
      case Scale::coarser:
        return coarser;
      case Scale::same:
        break;
    }
    return same;
  }
};
constexpr NamesByScale fieldNames{"Field", "FinerField", "CoarserField"};
constexpr NamesByScale resourceNames{"FieldResource", "FinerResource", "CoarserResource"};
constexpr NamesByScale residentsNames{"Residents", "FinerResidents", "CoarserResidents"};
constexpr NamesByScale depositNames{"deposit", "depositOnCoarser", "depositOnFiner"};

/// Returns the ratio of the axes of some places to those of others; 0 for one that is no multiple.
std::array<std::int64_t, 3> ratios(const PlacesState& finer, const PlacesState& coarser) {
  std::array<std::int64_t, 3> ratios{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t fine = finer.fields->domain().shape[axis];
    const std::int64_t coarse = coarser.fields->domain().shape[axis];
    ratios[axis] = fine % coarse == 0 ? fine / coarse : 0;
  }
  return ratios;
}

/// Returns the multiple or divisor of `length` that is nearest to `wanted`, the smaller of two.
std::int64_t nearestFitting(std::int64_t length, std::int64_t wanted) {
  if (wanted >= length) return (wanted + length / 2) / length * length;
  for (std::int64_t distance = 0;; ++distance)
    for (const std::int64_t divisor : {wanted - distance, wanted + distance})
      if (divisor > 0 && length % divisor == 0) return divisor;
}

/// Returns a shape near that of `other` which is a multiple, or a divisor, of that of `reader`.
std::string fittingShape(const PlacesState& other, const PlacesState& reader) {
  const Domain &wanted = other.fields->domain(), &here = reader.fields->domain();
  const auto size = [](const Domain& domain) {
    return static_cast<double>(domain.shape[0]) * static_cast<double>(domain.shape[1]) *
           static_cast<double>(domain.shape[2]);
  };
  const bool isFiner = size(wanted) > size(here);
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(here.dimensions); ++axis) {
    const std::int64_t length = here.shape[axis];
    shape.push_back(nearestFitting(length, isFiner ? std::max(wanted.shape[axis], length)
                                                   : std::min(wanted.shape[axis], length)));
  }
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Returns the scale of some places, compared with others; nothing if neither is a multiple.
std::optional<Scale> scaleOf(const PlacesState& other, const PlacesState& reader) {
  if (other.fields->domain().shape == reader.fields->domain().shape) return Scale::same;
  if (std::ranges::count(ratios(other, reader), 0) == 0) return Scale::finer;
  if (std::ranges::count(ratios(reader, other), 0) == 0) return Scale::coarser;
  return std::nullopt;
}

/// Returns the ratios of rows, lines and columns of places at a scale.
std::array<AxisRatio, 3> axisRatios(const PlacesState& other, Scale scale,
                                    const PlacesState& reader) {
  const auto byAxis = scale == Scale::finer ? ratios(other, reader) : ratios(reader, other);
  std::array<AxisRatio, 3> ratio{};
  std::ranges::transform(byAxis, ratio.begin(), [](std::int64_t value) {
    return AxisRatio(static_cast<std::int32_t>(value));
  });
  if (reader.fields->domain().dimensions == 2) std::swap(ratio[1], ratio[2]);  // lines, columns
  return ratio;
}

/// @throws UsageError if the shapes of places do not fit a scale
/// @param names names of the parameters that take such places
void requireScale(const PlacesState& other, Scale scale, const PlacesState& reader,
                  const NamesByScale& names) {
  const auto fitting = scaleOf(other, reader);
  if (fitting == scale) return;
  if (fitting)
    throw UsageError("a rule on '{}' of shape {} takes '{}' of shape {} as {}: use {}", reader.name,
                     shapeOf(reader), other.name, shapeOf(other), names.of(scale),
                     names.of(*fitting));
  throw UsageError(
      "a rule on '{}' of shape {} got '{}' of shape {}: along all axes, the places of one must be "
      "a multiple of those of the other; {} would fit",
      reader.name, shapeOf(reader), other.name, shapeOf(other), fittingShape(other, reader));
}

/// @throws UsageError if the shape of the places on which agents live does not fit a scale
void requireScale(const AgentsState& agents, Scale scale, const PlacesState& reader) {
  const PlacesState& home = *agents.home;
  const auto fitting = scaleOf(home, reader);
  if (fitting == scale) return;
  throw UsageError(
      "a rule on '{}' of shape {} got agents '{}', which live on '{}' of shape {}: {}", reader.name,
      shapeOf(reader), agents.name, home.name, shapeOf(home),
      fitting ? fmt::format("use a parameter {}", residentsNames.of(*fitting))
              : "both must have the same shape, or one a multiple of the other along all axes");
}

/// @throws UsageError if an axis is too long for AxisRatio
void requireShortAxes(const PlacesState& places) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (std::ranges::max(places.fields->domain().shape) <= most) return;
  throw UsageError(
      "'{}' of shape {} cannot be used with coarser places: each axis may have {} places at most",
      places.name, shapeOf(places), most);
}

/// @throws UsageError if agents on the nodes of a network are given to a rule of others
void requireOneNetwork(const AgentsState& agents, const PlacesState& reader) {
  const PlacesState& home = *agents.home;
  const bool areGrids = home.fields->links() == nullptr && reader.fields->links() == nullptr;
  if (areGrids || &home == &reader) return;
  throw UsageError(
      "a rule on '{}' got agents '{}', which live on '{}': with a network, both must be the same",
      reader.name, agents.name, home.name);
}

/// @throws UsageError if rules of some places cannot use finer or coarser ones
void requireScalable(const PlacesState& other, Scale scale, const PlacesState& reader) {
  if (scale == Scale::same) return;
  requireRowCuts(reader, "rules that use finer or coarser places");
  requireShortAxes(scale == Scale::finer ? other : reader);
}

/// Makes each device own the same part of places that a rule uses and of its own places.
void alignPlaces(PlacesState& other, Scale scale, PlacesState& reader, const NamesByScale& names) {
  requireSameMass(other, reader);
  requireAllPlaces(other, "rules of other places");
  requireAllPlaces(reader, "rules that use other places");
  requireGrid(other, "rules of other places");
  requireGrid(reader, "rules that use other places");
  requireScale(other, scale, reader, names);
  requireScalable(other, scale, reader);
  shareCuts(other, reader);
}

/// Returns the fields of places with a byte or more for each element, for rules of others.
/// @param writes the rule changes them
PlaceFields& byteFields(const PlacesState& places, bool writes) {
  return places.fields->areBits() ? places.fields->asBytes(writes) : *places.fields;
}

/// Returns the view of a field on a device.
FieldView viewOf(const PlaceFields& fields, int device) {
  FieldView view{.layout = fields.layout(device), .firstRow = fields.rows(device).begin};
  for (int component = 0; component < fields.components(); ++component)
    view.components.push_back(fields.frontBuffer(component, device));
  return view;
}

}  // namespace

void requireSameMass(const PlacesState& other, const PlacesState& reader) {
  if (other.engine == reader.engine) return;
  throw UsageError("a rule on '{}' got '{}', which belong to another Mass: create both with one",
                   reader.name, other.name);
}

std::int64_t requestCapacity(std::int64_t callers, int most, const PlacesState& reader) {
  if (callers <= std::numeric_limits<std::int32_t>::max() / most) return callers * most;
  throw UsageError(
      "a rule on '{}' makes up to {} requests in each of {} calls on a device, but at most 2^31 - "
      "1 "
      "are possible: use more devices, or a lower maximum of Births or Give",
      reader.name, most, callers);
}

void requireSameShape(const AgentsState& agents, const PlacesState& reader) {
  requireSameMass(*agents.home, reader);
  requireOneNetwork(agents, reader);
  const PlacesState& home = *agents.home;
  if (home.fields->domain().shape == reader.fields->domain().shape) return;
  throw UsageError(
      "a rule on '{}' of shape {} got agents '{}', which live on '{}' of shape {}: both must have "
      "the same shape",
      reader.name, shapeOf(reader), agents.name, home.name, shapeOf(home));
}

void requireDeposit(const AgentsState& agents, const PlacesState& places, Scale scale) {
  const PlacesState& home = *agents.home;
  requireSameMass(home, places);
  if (home.fields->links() != nullptr || places.fields->links() != nullptr) return;
  const auto fitting = scaleOf(home, places);
  if (fitting == scale) return;
  throw UsageError(
      "{} of agents '{}', which live on '{}' of shape {}, on '{}' of shape {}: {}",
      depositNames.of(scale), agents.name, home.name, shapeOf(home), places.name, shapeOf(places),
      fitting ? fmt::format("use {}", depositNames.of(*fitting))
              : "both must have the same shape, or one a multiple of the other along all axes");
}

void requireFittingUses(std::span<const PlacesUse> uses, const PlacesState& reader) {
  const PlacesUse* coarser = nullptr;
  for (const PlacesUse& use : uses) {
    if (!use.isTaken) continue;
    const bool isField = std::ranges::any_of(
        uses, [&](const PlacesUse& other) { return !other.isTaken && other.places == use.places; });
    if (isField)
      throw UsageError(
          "a rule of agents on '{}' takes from '{}' and reads them as a field, which would change "
          "meanwhile: use two rules, or left() of the resource",
          reader.name, use.places->name);
    if (use.scale != Scale::coarser) continue;
    if (coarser == nullptr) coarser = &use;
    if (coarser->places->fields->domain().shape != use.places->fields->domain().shape)
      throw UsageError(
          "a rule of agents on '{}' takes from coarser places '{}' of shape {} and '{}' of shape "
          "{}: both must have the same shape; use two rules",
          reader.name, coarser->places->name, shapeOf(*coarser->places), use.places->name,
          shapeOf(*use.places));
  }
}

void align(const AnyAgentSource& agents, PlacesState& reader) {
  PlacesState& home = *agents.agents->home;
  if (&home == &reader && agents.scale == Scale::same) return;
  requireSameMass(home, reader);
  requireOneNetwork(*agents.agents, reader);
  requireScale(*agents.agents, agents.scale, reader);
  if (agents.scale != Scale::same) {
    requireGrid(reader, "rules that use finer or coarser places");
    requireAllPlaces(reader, "rules that use finer or coarser places");
  }
  requireScalable(home, agents.scale, reader);
  shareCuts(home, reader);
}

void align(const FieldSource& field, PlacesState& reader) {
  if (field.places.get() == &reader) {
    throw UsageError(
        "a rule on '{}' got these places themselves as a field: it reads them by its Neighborhood",
        reader.name);
  }
  alignPlaces(*field.places, field.scale, reader, fieldNames);
}

void align(const AnyResourceSource& resource, PlacesState& reader) {
  requireAlone(*reader.engine, "a rule that takes from other places");
  if (resource.places.get() == &reader) {
    throw UsageError(
        "a rule of agents got '{}', the places on which they live, as a {}: it takes from them by "
        "a Resource, without an argument",
        reader.name, resourceNames.of(resource.scale));
  }
  alignPlaces(*resource.places, resource.scale, reader, resourceNames);
}

void setViews(AnyAgentSource& agents, const PlacesState& reader) {
  AgentsState& state = *agents.agents;
  state.engine->agentExecutor->refreshGhosts(*state.fields);
  state.views.update(*state.fields);  // a rule may be given these agents twice
  agents.byDevice = state.views.byDevice.data();
  if (agents.scale != Scale::same) agents.ratio = axisRatios(*state.home, agents.scale, reader);
  state.fields->hasIntents = state.fields->hasIntents || agents.isPrey;
}

void setViews(FieldSource& field, const PlacesState& reader) {
  const PlacesState& places = *field.places;
  PlaceFields& fields = byteFields(places, false);
  places.engine->dispatcher.refreshGhosts(fields);
  const auto ratio = axisRatios(places, field.scale, reader);
  field.byDevice.resize(static_cast<std::size_t>(fields.devices().size()));
  for (const int device : fields.devices().local()) {
    FieldView& view = field.byDevice[static_cast<std::size_t>(device)];
    view = viewOf(fields, device);
    view.ratio = ratio;
  }
}

void setViews(AnyResourceSource& resource, const PlacesState& reader) {
  const PlacesState& places = *resource.places;
  PlaceFields& fields = byteFields(places, true);
  const auto ratio = axisRatios(places, resource.scale, reader);
  resource.byDevice.resize(static_cast<std::size_t>(fields.devices().size()));
  for (const int device : fields.devices().local()) {
    ResourceView& view = resource.byDevice[static_cast<std::size_t>(device)];
    view.layout = fields.layout(device);
    view.firstRow = fields.rows(device).begin;
    std::ranges::copy(ratio, view.ratio);
    view.data = fields.frontBuffer(resource.component, device);
  }
}

void finish(AnyResourceSource& resource) {
  byteFields(*resource.places, true).refreshPadding(resource.component);
}

}  // namespace mass::detail
