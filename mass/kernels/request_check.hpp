#pragma once

#include <mass/rules/births.hpp>
#include <mass/rules/edges.hpp>
#include <mass/rules/give.hpp>

#include <tuple>
#include <type_traits>

namespace mass::detail {

/// Object of the requests of a parameter T, as a type; void if it makes none.
template <class T>
struct RequestObject {
  using Type = void;
};
template <class A, int most>
struct RequestObject<Births<A, most>> {
  using Type = A;
};
template <class P, int most>
struct RequestObject<Edges<P, most>> {
  using Type = P;
};
template <auto Member, int most>
struct RequestObject<Give<Member, most>> {
  using Type = std::integral_constant<std::remove_cv_t<decltype(Member)>, Member>;
};
/// Number of parameters that make requests about an object.
template <class Object, class... Each>
inline constexpr int requestsAbout =
    (0 + ... + (std::is_same_v<Object, typename RequestObject<Each>::Type> ? 1 : 0));
/// True if no two parameters make requests about the same object.
template <class Parameters>
inline constexpr bool haveDistinctObjects = false;
template <class... Each>
inline constexpr bool haveDistinctObjects<std::tuple<Each...>> =
    (true && ... &&
     (std::is_void_v<typename RequestObject<Each>::Type> ||
      requestsAbout<typename RequestObject<Each>::Type, Each...> == 1));

}  // namespace mass::detail
