#pragma once

#include <mass/io/field_array.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass {

/// Arrays of a data file at one step, and the memory of their values.
struct DataFrame {
  std::vector<detail::FieldArray> arrays;     ///< arrays, which point into the memory of `owners`
  std::vector<std::shared_ptr<void>> owners;  ///< memory of the values

  /// Adds an array of all places.
  /// @param name not empty, without '/'
  /// @param components number of values for each place, which are adjacent in `values`
  /// @param values places * components numbers, places in row-major order
  template <class T>
  void add(std::string name, std::size_t components, std::vector<T> values) {
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    arrays.push_back({std::move(name), detail::elementTypeOf<T>(), components, kept->data()});
    owners.push_back(kept);
  }
};

}  // namespace mass
