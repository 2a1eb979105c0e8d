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
#include <span>
#include <string>

namespace mass::detail {
namespace {

/// Returns the shape as text, for example "[64, 32]".
std::string shapeOf(const PlacesState& places) {
  const Domain& domain = places.fields->domain();
  return fmt::format("{}",
                     std::span(domain.shape).first(static_cast<std::size_t>(domain.dimensions)));
}

/// Returns the name of the parameter that takes a field of a scale.
const char* parameterOf(Scale scale) {
  switch (scale) {
    case Scale::finer:
      return "FinerField";
    case Scale::coarser:
      return "CoarserField";
    case Scale::same:
      break;
  }
  return "Field";
}

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

/// @throws UsageError if the shapes do not fit the scale of a field
void requireScale(const FieldSource& field, const PlacesState& reader) {
  const PlacesState& other = *field.places;
  for (const Scale scale : {Scale::same, Scale::finer, Scale::coarser}) {
    const bool fits =
        scale == Scale::same
            ? other.fields->domain().shape == reader.fields->domain().shape
            : std::ranges::count(
                  scale == Scale::finer ? ratios(other, reader) : ratios(reader, other), 0) == 0;
    if (fits && field.scale == scale) return;
    if (fits)
      throw UsageError("a rule on '{}' of shape {} takes '{}' of shape {} as {}: use {}",
                       reader.name, shapeOf(reader), other.name, shapeOf(other),
                       parameterOf(field.scale), parameterOf(scale));
  }
  throw UsageError(
      "a rule on '{}' of shape {} got '{}' of shape {}: along all axes, the places of one must be "
      "a multiple of those of the other",
      reader.name, shapeOf(reader), other.name, shapeOf(other));
}

/// @throws UsageError if an axis is too long for AxisRatio
void requireShortAxes(const PlacesState& places) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (std::ranges::max(places.fields->domain().shape) <= most) return;
  throw UsageError(
      "'{}' of shape {} cannot be read as a finer field, nor read a coarser one: each axis may "
      "have {} places at most",
      places.name, shapeOf(places), most);
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
  const PlacesState& home = *agents.home;
  requireSameMass(home, reader);
  const bool areGrids = home.fields->links() == nullptr && reader.fields->links() == nullptr;
  if (!areGrids && &home != &reader)
    throw UsageError(
        "a rule on '{}' got agents '{}', which live on '{}': with a network, both must be the same",
        reader.name, agents.name, home.name);
  if (home.fields->domain().shape == reader.fields->domain().shape) return;
  throw UsageError(
      "a rule on '{}' of shape {} got agents '{}', which live on '{}' of shape {}: both must have "
      "the same shape",
      reader.name, shapeOf(reader), agents.name, home.name, shapeOf(home));
}

void align(const AnyAgentSource& agents, PlacesState& reader) {
  PlacesState& home = *agents.agents->home;
  if (&home == &reader) return;
  requireSameShape(*agents.agents, reader);
  shareCuts(home, reader);
}

void align(const FieldSource& field, PlacesState& reader) {
  if (field.places.get() == &reader) {
    throw UsageError(
        "a rule on '{}' got these places themselves as a field: it reads them by its Neighborhood",
        reader.name);
  }
  requireSameMass(*field.places, reader);
  requireAllPlaces(*field.places, "rules of other places");
  requireAllPlaces(reader, "rules that read other places");
  requireGrid(*field.places, "rules of other places");
  requireGrid(reader, "rules that read other places");
  requireScale(field, reader);
  if (field.scale != Scale::same) requireRowCuts(reader, "rules that read finer or coarser places");
  if (field.scale != Scale::same)
    requireShortAxes(field.scale == Scale::finer ? *field.places : reader);
  shareCuts(*field.places, reader);
}

void setViews(AnyAgentSource& agents, const PlacesState& /*reader*/) {
  AgentsState& state = *agents.agents;
  state.engine->agentExecutor->refreshGhosts(*state.fields);
  state.views.update(*state.fields);  // a rule may be given these agents twice
  agents.byDevice = state.views.byDevice.data();
  state.fields->hasIntents = state.fields->hasIntents || agents.isPrey;
}

void setViews(FieldSource& field, const PlacesState& reader) {
  PlacesState& places = *field.places;
  PlaceFields& fields = places.fields->areBits() ? places.fields->asBytes(false) : *places.fields;
  places.engine->dispatcher.refreshGhosts(fields);
  const auto ratio = field.scale == Scale::finer ? ratios(places, reader) : ratios(reader, places);
  field.byDevice.resize(static_cast<std::size_t>(fields.devices().size()));
  for (const int device : fields.devices().local()) {
    FieldView& view = field.byDevice[static_cast<std::size_t>(device)];
    view = viewOf(fields, device);
    std::ranges::transform(ratio, view.ratio.begin(), [](std::int64_t value) {
      return AxisRatio(static_cast<std::int32_t>(value));
    });
    if (fields.domain().dimensions == 2) std::swap(view.ratio[1], view.ratio[2]);  // lines, columns
  }
}

}  // namespace mass::detail
