#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <string>

namespace mass::detail {

/// Values of one quantity, for all places or for some agents.
struct FieldArray {
  std::string name;                         ///< not empty, without '/'
  ElementType type = ElementType::float64;  ///< not opaque; a boolean is written as 0 or 1
  std::size_t components = 1;               ///< values per place or agent; they are adjacent
  const void* data = nullptr;               ///< places (or agents) x components values

  /// Returns the column name of a component: `name` if there is one component, else `name.0`, ...
  std::string componentName(std::size_t number) const {
    return components == 1 ? name : name + '.' + std::to_string(number);
  }
};

}  // namespace mass::detail
