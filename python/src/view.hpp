#pragma once

#include <python/src/population.hpp>

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace mass::python {

/// Memory of a band in the form of DLPack, without a copy.
using BandArray = nb::ndarray<nb::array_api, nb::ro>;

/// Returns the attribute of a name.
/// @throws UsageError if there is none
template <class Any>
AnyPlaces::Attribute attributeOf(const Any& any, const std::string& name) {
  const auto all = any.attributes();
  const auto found = std::ranges::find(all, name, &AnyPlaces::Attribute::name);
  if (found != all.end()) return *found;
  throw UsageError("'{}' has no attribute '{}'", any.name(), name);
}

/// Returns the type of the elements of an attribute.
/// @throws UsageError if it is a class
inline nb::dlpack::dtype elementsOf(const AnyPlaces::Attribute& attribute) {
  if (attribute.type == detail::ElementType::opaque)
    throw UsageError("the values of '{}' are of a class: copy them", attribute.name);
  nb::dlpack::dtype type{};
  detail::withElement(attribute.type, [&](auto element) { type = nb::dtype<decltype(element)>(); });
  return type;
}

/// Returns a component of an attribute on one device, in place. The state cannot change as long as
/// the array exists.
/// @throws UsageError if the values are of a class; otherwise as AnyPlaces::band
template <class Any>
BandArray bandOf(const Population<Any>& population, const std::string& name, int component,
                 int device) {
  Session& session = population.session();
  const auto attribute = attributeOf(population.any(), name);
  const auto type = elementsOf(attribute);
  const AnyPlaces::Band band =
      session.use([&] { return population.any().band(name, component, device); });
  std::vector<std::size_t> shape(band.shape.begin(), band.shape.end());
  std::vector<std::int64_t> strides;
  for (const std::int64_t bytes : band.strides)
    strides.push_back(bytes / static_cast<std::int64_t>(attribute.bytes));

  struct Owner {
    Any any;
    Session::Lease lease;
  };
  const nb::capsule owner(new Owner{population.any(), session.lease()},
                          [](void* memory) noexcept { delete static_cast<Owner*>(memory); });
  const bool isOnGpu = band.gpu >= 0;
  return {const_cast<void*>(band.data),
          shape.size(),
          shape.data(),
          owner,
          strides.data(),
          type,
          isOnGpu ? nb::device::cuda::value : nb::device::cpu::value,
          std::max(band.gpu, 0)};
}

/// Place of a band in memory: number of its first row (or agent), address, number of the GPU or -1,
/// and shape and strides in bytes.
using BandLayout = std::tuple<std::int64_t, std::uintptr_t, int, std::vector<std::int64_t>,
                              std::vector<std::int64_t>>;

/// @throws UsageError as AnyPlaces::band
template <class Any>
BandLayout bandLayoutOf(const Population<Any>& population, const std::string& name, int component,
                        int device) {
  const auto band =
      population.session().use([&] { return population.any().band(name, component, device); });
  return {band.first, reinterpret_cast<std::uintptr_t>(band.data), band.gpu, band.shape,
          band.strides};
}

}  // namespace mass::python
