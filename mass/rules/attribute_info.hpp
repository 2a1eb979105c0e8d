#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <string>

namespace mass::detail {

/// Description of an attribute for input and output, without its C++ type.
struct AttributeInfo {
  std::string name;             ///< Name of the data member.
  ElementType type{};           ///< Type of one component.
  std::size_t elementSize = 0;  ///< Bytes of one component as stored, 2 for Half.
  int firstComponent = 0;       ///< Index among the components of the Place or Agent.
  int components = 1;           ///< Number of components: elements of an array, else 1.
  bool isArray = false;
};

}  // namespace mass::detail
