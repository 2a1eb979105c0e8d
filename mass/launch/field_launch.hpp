#pragma once

#include <mass/launch/scale.hpp>
#include <mass/memory/layout.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {

struct PlacesState;

/// Places on one device that a rule of other places reads.
struct FieldView {
  Layout layout;
  std::int64_t firstRow = 0;              ///< global number of the band's row 0
  std::array<AxisRatio, 3> ratio{};       ///< ratios of rows, lines and columns
  std::vector<const void*> components{};  ///< by component: the present state
};

/// Places that a rule of other places reads: an argument of callAll.
struct FieldSource {
  std::shared_ptr<PlacesState> places;
  Scale scale = Scale::same;
  std::vector<FieldView> byDevice{};  ///< made by prepareArguments()
};

/// FieldSource of places of class P, for a parameter that declares their scale.
template <class P, Scale scale_>
struct FieldOf : FieldSource {
  explicit FieldOf(std::shared_ptr<PlacesState> field) : FieldSource{std::move(field), scale_} {}
};

}  // namespace mass::detail
