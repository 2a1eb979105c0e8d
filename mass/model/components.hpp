#pragma once

#include <mass/memory/place_fields.hpp>
#include <mass/model/attributes.hpp>
#include <mass/model/runtime.hpp>

#include <string>
#include <vector>

namespace mass::detail {

/// The components of Place class P; `initial` and `outside` must live until the fields are created.
template <class P>
std::vector<Component> componentsOf(const P& initial, const P& outside) {
  std::vector<Component> components;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    using T = typename S::Element;
    const auto add = [&](const T& first, const T& beyond) {
      components.push_back({sizeof(T), &first, &beyond, S::isConstant, isBag<typename S::Value>});
    };
    if constexpr (S::isArray) {
      for (std::size_t k = 0; k < S::count; ++k)
        add((initial.*S::member)[k], (outside.*S::member)[k]);
    } else {
      add(initial.*S::member, outside.*S::member);
    }
  });
  return components;
}

template <class P>
std::vector<AttributeInfo> attributesOf() {
  std::vector<AttributeInfo> attributes;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    attributes.push_back({std::string(memberName<S::member>()),
                          elementTypeOf<typename S::Element>(), sizeof(typename S::Element),
                          static_cast<int>(S::first), static_cast<int>(S::count), S::isArray});
  });
  return attributes;
}

}  // namespace mass::detail
