#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/memory/field_io.hpp>
#include <mass/memory/place_fields.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mass::testing {

/// Returns a component of type T.
template <class T>
detail::Component componentOf(const T& initial, const T& outside) {
  const auto bytes = [](const T& value) {
    const auto* const first = reinterpret_cast<const char*>(&value);
    return std::vector<char>(first, first + sizeof(T));
  };
  return {sizeof(T), bytes(initial), bytes(outside)};
}

/// Returns `count` interleaved components of type T, which share a buffer.
template <class T>
std::vector<detail::Component> interleavedComponents(int count, const T& initial,
                                                     const T& outside) {
  std::vector<detail::Component> interleave;
  for (int lane = 0; lane < count; ++lane) {
    detail::Component& component = interleave.emplace_back(componentOf(initial, outside));
    component.interleave = count;
    component.lane = lane;
  }
  return interleave;
}

/// Returns a domain of the shape, borders and reach given.
inline detail::Domain domainOf(std::vector<std::int64_t> shape, std::vector<Border> borders,
                               int reach) {
  detail::Domain domain;
  domain.dimensions = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), domain.shape.begin());
  std::copy(borders.begin(), borders.end(), domain.borders.begin());
  domain.reach = reach;
  return domain;
}

/// Returns the number of places of a domain.
inline std::int64_t placesOf(const detail::Domain& domain) {
  return domain.shape[0] * domain.shape[1] * domain.shape[2];
}

/// Returns the values of an int component in row-major order.
inline std::vector<std::int32_t> stateOf(const detail::PlaceFields& fields, int component = 0) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(placesOf(fields.domain())));
  readRows(fields, component, 0, fields.domain().shape[0], values.data());
  return values;
}

/// Sets an int component to 0, 1, 2, ... in row-major order and refreshes its padding.
inline void setNumbers(detail::PlaceFields& fields, int component = 0) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(placesOf(fields.domain())));
  std::iota(values.begin(), values.end(), 0);
  writeRows(fields, component, 0, fields.domain().shape[0], values.data());
  fields.refreshPadding(component);
}

/// Returns an element of the front buffer of an int component on a device, by global row; halo and
/// padding included.
inline std::int32_t elementAt(const detail::PlaceFields& fields, int component, int device,
                              std::int64_t row, std::int64_t line, std::int64_t column) {
  const std::int64_t local = row - fields.partition().range(device).begin;
  const auto* const data = static_cast<const std::int32_t*>(fields.frontBuffer(component, device));
  return data[fields.layoutOf(component, device).at(local, line, column)];
}

}  // namespace mass::testing
