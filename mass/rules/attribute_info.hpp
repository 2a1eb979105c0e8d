#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <string>

namespace mass::detail {

/// An attribute as files see it.
struct AttributeInfo {
  std::string name;
  ElementType type{};
  std::size_t elementSize = 0;
  int firstComponent = 0;
  int components = 1;
  bool isArray = false;
};

}  // namespace mass::detail
