#pragma once

#include <mass/launch/scale.hpp>
#include <mass/memory/layout.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace mass::detail {

struct PlacesState;

/// Component, on one device, of places from which agents on other places take.
struct ResourceView {
  Layout layout;
  std::int64_t firstRow = 0;  ///< global number of the band's row 0
  AxisRatio ratio[3];         ///< ratios of rows, lines and columns
  void* data = nullptr;       ///< the present state, which the rule changes
};

/// Component of places from which a rule of agents on other places takes: an argument of callAll.
struct AnyResourceSource {
  std::shared_ptr<PlacesState> places;
  Scale scale = Scale::same;
  int component = 0;
  std::vector<ResourceView> byDevice{};  ///< made by prepareArguments()
};

/// AnyResourceSource of an attribute, for a parameter that declares the scale of its places.
template <auto Member, Scale scale_>
struct ResourceSource : AnyResourceSource {};

/// ResourceView of places at a scale.
template <Scale scale>
struct ScaledResourceView : ResourceView {};

}  // namespace mass::detail
