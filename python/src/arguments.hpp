#pragma once

#include <python/model/model.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mass::python {

namespace nb = nanobind;

/// Returns the C++ type of a parameter, with a member that Python cannot give.
std::string nameOf(const ParameterInfo& parameter);

/// Memory of a value.
class Bytes {
 public:
  /// Returns memory for `size` bytes, with the alignment of any value.
  std::byte* reserve(std::size_t size) {
    if (size <= sizeof(number_)) return number_;
    structure_ = std::make_unique<std::byte[]>(size);
    return structure_.get();
  }

 private:
  alignas(8) std::byte number_[8] = {};
  std::unique_ptr<std::byte[]> structure_;
};

/// Arguments of one call of a rule, converted from objects of Python.
class Arguments {
 public:
  /// @param rule name of the rule, for messages
  /// @throws nb::type_error if the number of arguments is wrong, or one does not fit its type
  Arguments(std::string_view rule, std::span<const ParameterInfo> parameters,
            const nb::tuple& given);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// One for each parameter; valid as long as this.
  const Value* values() const { return values_.data(); }

 private:
  using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

  bool add(std::size_t index, const ParameterInfo& parameter, nb::handle given);
  bool addValue(std::size_t index, const ValueInfo& type, nb::handle given);
  bool addArray(detail::ElementType type, nb::handle given);
  template <class Population>
  bool addPopulation(std::string_view className, nb::handle given);

  std::vector<Value> values_;
  std::vector<Bytes> bytes_;
  std::vector<Array> arrays_;
};

}  // namespace mass::python
