#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace mass::python {

namespace nb = nanobind;

/// Adds the classes of errors.
void bindErrors(nb::module_& module);
/// Adds the places and agents of a session.
void bindPopulations(nb::module_& module);
/// Adds pictures.
void bindPicture(nb::module_& module);
/// Adds the apps and their runs. @pre bindPopulations() has been called
void bindRun(nb::module_& module);
/// Adds networks.
void bindGraph(nb::module_& module);
/// Adds models that mass.load compiles. @pre bindPopulations() has been called
void bindModels(nb::module_& module);
/// Adds runs of such models. @pre bindModels() has been called
void bindOwnRun(nb::module_& module);

/// Hands numbers over to an array of NumPy.
template <class T>
nb::ndarray<nb::numpy, T> toNumPy(std::vector<T> values, std::vector<std::size_t> shape) {
  auto* const memory = new std::vector<T>(std::move(values));
  const nb::capsule owner(memory,
                          [](void* all) noexcept { delete static_cast<std::vector<T>*>(all); });
  return {memory->data(), shape.size(), shape.data(), owner};
}

}  // namespace mass::python
