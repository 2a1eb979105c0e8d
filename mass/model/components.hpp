#pragma once

#include <mass/memory/place_fields.hpp>
#include <mass/memory/sides.hpp>
#include <mass/model/attributes.hpp>
#include <mass/model/runtime.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mass::detail {

template <class T>
void fillElements(void* data, std::int64_t begin, std::int64_t end, const void* value) {
  std::fill(static_cast<T*>(data) + begin, static_cast<T*>(data) + end,
            *static_cast<const T*>(value));
}

template <class T>
void fillElementSides(void* data, const Layout& layout, const Domain& domain, std::int64_t row,
                      std::int64_t line) {
  fillSides(static_cast<T*>(data), layout, domain, row, line);
}

/// The components of Place class P; `initial` and `outside` must live until the fields are created.
template <class P>
std::vector<Component> componentsOf(const P& initial, const P& outside) {
  std::vector<Component> components;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    using T = typename S::Element;
    const auto add = [&](const T& first, const T& beyond) {
      components.push_back(
          {sizeof(T), &first, &beyond, &fillElements<T>, &fillElementSides<T>, S::isConstant});
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
