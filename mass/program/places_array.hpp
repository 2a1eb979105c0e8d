#pragma once

#include <mass/model/mass.hpp>
#include <mass/partition/place_mask.hpp>
#include <mass/program/data_frame.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

/// Returns the values of all places of a box.
/// @param values one for each place of the mask @param absent value of the other places
template <class T>
std::vector<T> valuesOfBox(const PlaceMask& mask, const std::vector<T>& values, const T& absent) {
  const auto places = static_cast<std::size_t>(mask.shape[0] * mask.shape[1] * mask.shape[2]);
  std::vector<T> box(places, absent);
  for (std::size_t i = 0; i < values.size(); ++i)
    box[static_cast<std::size_t>(mask.indices[i])] = values[i];
  return box;
}

/// Adds an attribute of all places to `frame`.
template <auto Member, class P>
void addArray(const Places<P>& places, DataFrame& frame) {
  using S = AttributeSlotFor<P, Member>;
  auto values = std::make_shared<std::vector<Packed<typename S::Element>>>();
  auto collected = places.template collect<Member>();
  if (const auto& mask = places.population().mask; mask && !collected.empty()) {
    typename decltype(collected)::value_type absent;
    const P initial{};
    if constexpr (S::isArray) {
      std::copy(std::begin(initial.*S::member), std::end(initial.*S::member), absent.begin());
    } else {
      absent = initial.*S::member;
    }
    collected = valuesOfBox(*mask, collected, absent);
  }
  for (const auto& value : collected) {
    if constexpr (S::isArray) {
      values->insert(values->end(), value.begin(), value.end());
    } else {
      values->push_back(value);
    }
  }
  frame.arrays.push_back({std::string(memberName<Member>()), elementTypeOf<typename S::Element>(),
                          S::count, values->data()});
  frame.owners.push_back(std::move(values));
}

}  // namespace mass::detail
