#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <string>

namespace mass::detail {

/// One quantity of all places, or of some agents, at one time.
struct FieldArray {
  std::string name;                         ///< not empty, without '/'
  ElementType type = ElementType::float64;  ///< any but opaque; booleans are shown as 0 and 1
  std::size_t components = 1;               ///< values that each has; they lie side by side
  const void* data = nullptr;               ///< places (or agents) × components values

  /// What a component is called where each has a column of its own: `name` or `name.0`, `name.1`...
  std::string componentName(std::size_t number) const {
    return components == 1 ? name : name + '.' + std::to_string(number);
  }
};

}  // namespace mass::detail
