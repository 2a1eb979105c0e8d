#pragma once

#include <mass/support/element_type.hpp>

#include <cstddef>
#include <string>

namespace mass::detail {

/// Converts `count` elements from one form to another.
using ConvertElements = void (*)(const void* from, void* into, std::size_t count);

/// Description of an attribute for input and output, without its C++ type.
struct AttributeInfo {
  std::string name;             ///< Name of the data member.
  ElementType type{};           ///< Type of one component as stored.
  std::size_t elementSize = 0;  ///< Bytes of one component as stored, 2 for Half.
  int firstComponent = 0;       ///< Index among the components of the Place or Agent.
  int components = 1;           ///< Number of components: elements of an array, else 1.
  bool isArray = false;
  ElementType valueType{};           ///< Type of one component of the data member.
  std::size_t valueSize = 0;         ///< Bytes of one component of the data member.
  ConvertElements decode = nullptr;  ///< From the stored form; null if that is the same.
  ConvertElements encode = nullptr;  ///< To the stored form; null if that is the same.
};

}  // namespace mass::detail
