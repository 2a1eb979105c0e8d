#pragma once

// Markers of attributes in the list `Attributes` of a Place or Agent.

#include <type_traits>

namespace mass {

namespace detail {
template <auto Member>
struct Constant {};
}  // namespace detail

/// Marks an attribute that no rule writes: `mass::constant<&P::member>`. It has one buffer, and its
/// halo is exchanged once.
template <auto Member>
inline constexpr detail::Constant<Member> constant{};

namespace detail {
template <auto Member>
struct MostlyDefault {};
}  // namespace detail

/// Marks a constant attribute that has its initial value at nearly all places, such as the material
/// of a cell: `mass::mostlyDefault<&P::member>`. On CPUs, a rule is compiled a second time for runs
/// of places with the initial value. The compiler then knows the attribute of the place itself and
/// removes branches such as `if (material != 0) ...`.
/// @pre `P{}` is a constant expression; values compare with `==`
template <auto Member>
inline constexpr detail::MostlyDefault<Member> mostlyDefault{};
/// Former name of mostlyDefault.
template <auto Member>
[[deprecated("use mostlyDefault")]] inline constexpr detail::MostlyDefault<Member> mostly{};

namespace detail {
template <auto Item, class Form>
struct StoredAs {};
}  // namespace detail

/// Marks an attribute with another representation in memory: `mass::stored<&P::f, mass::Half<15>>`.
/// @tparam Form class with the type and functions of mass::Half: `Stored`, `encode`, `decode`
template <auto Item, class Form>
inline constexpr detail::StoredAs<Item, Form> stored{};

namespace detail {
template <auto Item, class Directions>
struct Streamed {};
}  // namespace detail

/// Marks an array attribute whose elements are streamed, such as the populations of a lattice
/// Boltzmann model: `mass::streamed<&P::f, Velocities>`. A rule may read element k only of its own
/// place and of the neighbour at offset `-Directions::velocity(k)`. The halo exchange copies only
/// the elements that cross a border between devices. In checked builds, a rule that reads another
/// element of a neighbour gets bytes 0xff (NaN for floating point).
/// @tparam Directions class with `static constexpr Offset<D> velocity(int k)`, the displacement of
/// element k in one step, in places
template <auto Item, class Directions>
inline constexpr detail::Streamed<Item, Directions> streamed{};

/// List of the attributes of a Place or Agent: all its data members, each once. An item is a
/// pointer to member or `mass::constant`, `mass::mostlyDefault`, `mass::stored` or `mass::streamed`
/// of one. `stored` and `streamed` may be nested: `mass::streamed<mass::stored<&P::f, Form>, D>`.
/// A class with constructors or private members lists them in the order of declaration.
///
/// A data member is of a trivially copyable type without padding bytes, or a one-dimensional array
/// (built-in or std::array) of such a type, or a Multiset.
template <auto... Items>
struct Attributes {};

namespace detail {

/// Properties of an item of an Attributes list: its pointer to member and its markers.
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
