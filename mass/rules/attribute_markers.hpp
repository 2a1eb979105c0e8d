#pragma once

// What can be said of an attribute where a Place or Agent lists it.

#include <type_traits>

namespace mass {

namespace detail {
template <auto Member>
struct Constant {};
}  // namespace detail

/// Marks an attribute that no rule ever writes: one buffer, ghosts filled once.
template <auto Member>
inline constexpr detail::Constant<Member> constant{};

namespace detail {
template <auto Member>
struct MostlyDefault {};
}  // namespace detail

/// Marks a constant attribute that has its initial value at nearly all places, such as the material
/// of a cell. On CPUs, a rule is then compiled once more for stretches of such places, where all
/// that depends on the attribute of the place itself is known: `if (material != 0) ...` vanishes.
template <auto Member>
inline constexpr detail::MostlyDefault<Member> mostlyDefault{};

namespace detail {
template <auto Item, class Form>
struct StoredAs {};
}  // namespace detail

/// Marks an attribute whose values lie in memory in another form: `mass::stored<&P::f,
/// mass::Half<15>>`. See storage.hpp for what a form is.
template <auto Item, class Form>
inline constexpr detail::StoredAs<Item, Form> stored{};

namespace detail {
template <auto Item, class Directions>
struct Streamed {};
}  // namespace detail

/// Marks an array attribute whose elements travel, such as populations of a lattice Boltzmann
/// model: of its neighbours' element k, rules read only the one at `-Directions::velocity(k)`, an
/// Offset. Then ghosts are refreshed for elements that travel across the border alone, each on one
/// side. In checked builds, all other elements of neighbours are not numbers.
template <auto Item, class Directions>
inline constexpr detail::Streamed<Item, Directions> streamed{};

/// Lists the data members of a Place that are its attributes, each as a pointer to member or as
/// `mass::constant<&P::member>`, `mostly`, `stored` or `streamed`; the last two also around each
/// other. Every data member has to be listed, once; by a class with constructors, in the order of
/// declaration. A member is a scalar or any other trivially copyable type, or an array (built-in or
/// std::array) of those.
template <auto... Items>
struct Attributes {};

namespace detail {

/// What an item of an Attributes list says: a pointer to member, and what is wrapped around it.
template <auto Item, class Type = std::remove_cvref_t<decltype(Item)>>
struct MarkerTraits {
  static constexpr auto member = Item;
  static constexpr bool isConstant = false;
  static constexpr bool isMostlyDefault = false;
  using Form = void;
  using Directions = void;
};
template <auto Item, auto Member>
struct MarkerTraits<Item, Constant<Member>> : MarkerTraits<Member> {
  static constexpr bool isConstant = true;
};
template <auto Item, auto Member>
struct MarkerTraits<Item, MostlyDefault<Member>> : MarkerTraits<Member> {
  static constexpr bool isConstant = true;
  static constexpr bool isMostlyDefault = true;
};
template <auto Item, auto Inner, class F>
struct MarkerTraits<Item, StoredAs<Inner, F>> : MarkerTraits<Inner> {
  using Form = F;
};
template <auto Item, auto Inner, class D>
struct MarkerTraits<Item, Streamed<Inner, D>> : MarkerTraits<Inner> {
  using Directions = D;
};

}  // namespace detail
}  // namespace mass
