#pragma once

#include <mass/rules/attribute_markers.hpp>
#include <mass/rules/storage.hpp>
#include <mass/rules/type_name.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace mass {

namespace detail {

template <class T>
struct MemberTraits;
template <class C, class T>
struct MemberTraits<T C::*> {
  using Class = C;
  using Value = T;
};

/// What an attribute is made of: `count` components of type Element.
template <class T>
struct ValueTraits {
  using Element = T;
  static constexpr std::size_t count = 1;
  static constexpr bool isArray = false;
};
template <class T, std::size_t N>
struct ValueTraits<T[N]> {
  using Element = T;
  static constexpr std::size_t count = N;
  static constexpr bool isArray = true;
};
template <class T, std::size_t N>
struct ValueTraits<std::array<T, N>> : ValueTraits<T[N]> {};

/// Whether T is a Multiset (bag.hpp).
template <class T>
inline constexpr bool isMultiset = false;

/// Reads every byte of a T; no constant expression when one is padding.
template <class T>
constexpr int sumOfBytes() {
  int sum = 0;
  for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof(T)>>(T{})) {
    sum += byte;
  }
  return sum;
}

/// Whether every byte of a T belongs to its value, as hashes and checkpoints need: padding may hold
/// anything. For a class, its default constructor has to be constexpr to tell.
template <class T>
concept WithoutPadding =
    !std::is_same_v<T, long double> &&
    (std::is_scalar_v<T> || requires { typename std::integral_constant<int, sumOfBytes<T>()>; });

template <class Directions>
constexpr int interleaveOf(int count) {
  if constexpr (std::is_void_v<Directions>) {
    return 1;
  } else {
    return std::size(Directions::velocity(0).values) > 1 ? count : 1;
  }
}

/// One attribute of a Place with its position among the Place's components.
template <auto Item, std::size_t First>
struct AttributeSlot {
  using Traits = MarkerTraits<Item>;
  static constexpr auto member = Traits::member;
  static constexpr bool isConstant = Traits::isConstant;
  static constexpr bool isMostlyDefault = Traits::isMostlyDefault;
  using Value = typename MemberTraits<std::remove_cvref_t<decltype(member)>>::Value;
  using Element = typename ValueTraits<Value>::Element;
  using Form = FormOf<Element, typename Traits::Form>;
  using Stored = typename Form::Stored;  ///< what buffers hold
  using Directions = typename Traits::Directions;
  static constexpr bool isArray = ValueTraits<Value>::isArray;
  static constexpr bool isStreamed = !std::is_void_v<Directions>;
  static constexpr std::size_t first = First;
  static constexpr std::size_t count = ValueTraits<Value>::count;
  /// Components that share a buffer, line by line: all elements of what is streamed. In 1-D, where
  /// a line is a place, none do.
  static constexpr int interleave =
      interleaveOf<typename Traits::Directions>(static_cast<int>(count));

  /// How far rules read component k before their row (in rows): all that they may, if this is -1.
  static constexpr int haloDepthBelow(std::size_t k) { return along(k, 1); }
  /// The same of rows after it.
  static constexpr int haloDepthAbove(std::size_t k) { return along(k, -1); }

  static_assert(std::is_trivially_copyable_v<Stored>, "an attribute must be trivially copyable");
  static_assert(!std::is_array_v<Element>, "an array attribute has one dimension");
  static_assert(WithoutPadding<Stored>,
                "an attribute must have no padding (name the gaps between its members) and, if it "
                "is a class, a constexpr default constructor");
  static_assert(!isStreamed || isArray, "an attribute that is streamed is an array");

 private:
  static constexpr int along([[maybe_unused]] std::size_t k, [[maybe_unused]] int sign) {
    if constexpr (isStreamed) {
      return std::max(0, sign * Directions::velocity(static_cast<int>(k))[0]);
    } else {
      return -1;
    }
  }
};

template <class... AttributeSlots>
struct SlotList {
  static constexpr std::size_t attributes = sizeof...(AttributeSlots);
  static constexpr std::size_t components = (std::size_t{0} + ... + AttributeSlots::count);

  /// Calls f(AttributeSlot{}) for every attribute, in order.
  template <class F>
  MASS_FN static constexpr void forEach(F&& f) {
    (f(AttributeSlots{}), ...);
  }
};

template <class List, std::size_t First, auto... Items>
struct MakeSlots {
  using type = List;
};
template <class... AttributeSlots, std::size_t First, auto Item, auto... Rest>
struct MakeSlots<SlotList<AttributeSlots...>, First, Item, Rest...>
    : MakeSlots<SlotList<AttributeSlots..., AttributeSlot<Item, First>>,
                First + AttributeSlot<Item, First>::count, Rest...> {};

template <class A>
struct SlotsOf;
template <auto... Items>
struct SlotsOf<Attributes<Items...>> : MakeSlots<SlotList<>, 0, Items...> {};

/// The attributes of Place P, in the order listed.
template <class P>
using AttributeSlots = typename SlotsOf<typename P::Attributes>::type;
/// The length of an array with an element for each component: 1 where there is none.
template <class P>
inline constexpr std::size_t componentArraySize =
    AttributeSlots<P>::components > 0 ? AttributeSlots<P>::components : 1;

template <class List>
struct AnyOf;
template <class... S>
struct AnyOf<SlotList<S...>> {
  static constexpr bool isMostlyDefault = (false || ... || S::isMostlyDefault);
  static constexpr bool isStreamed = (false || ... || S::isStreamed);
};
/// Whether an attribute of Place P is mostly initial, or streamed.
template <class P>
inline constexpr bool hasMostlyDefault = AnyOf<AttributeSlots<P>>::isMostlyDefault;
template <class P>
inline constexpr bool hasStreamed = AnyOf<AttributeSlots<P>>::isStreamed;

/// The most components of a Place that share a buffer.
template <class P>
constexpr int maxInterleave() {
  int result = 1;
  AttributeSlots<P>::forEach(
      [&](auto slot) { result = std::max(result, decltype(slot)::interleave); });
  return result;
}

/// Whether two pointers to member, of any types, are the same member.
template <auto A, auto B>
inline constexpr bool sameMember =
    std::is_same_v<std::integral_constant<decltype(A), A>, std::integral_constant<decltype(B), B>>;

/// The number of the first attribute that is this member; as many as there are when none is.
template <class P, auto Member>
constexpr std::size_t findSlot() {
  std::size_t number = 0;
  std::size_t found = AttributeSlots<P>::attributes;
  AttributeSlots<P>::forEach([&](auto slot) {
    if (found == AttributeSlots<P>::attributes && sameMember<decltype(slot)::member, Member>)
      found = number;
    ++number;
  });
  return found;
}

template <class List, std::size_t N>
struct NthAttributeSlot;
template <class Head, class... Tail, std::size_t N>
struct NthAttributeSlot<SlotList<Head, Tail...>, N> : NthAttributeSlot<SlotList<Tail...>, N - 1> {};
template <class Head, class... Tail>
struct NthAttributeSlot<SlotList<Head, Tail...>, 0> {
  using type = Head;
};

template <class P, auto Member>
struct FindSlot {
  static_assert(findSlot<P, Member>() < AttributeSlots<P>::attributes,
                "this member is not in the Place's Attributes");
  using type = typename NthAttributeSlot<AttributeSlots<P>, findSlot<P, Member>()>::type;
};
/// The slot of an attribute of P, named by its pointer to member.
template <class P, auto Member>
using AttributeSlotFor = typename FindSlot<P, Member>::type;

}  // namespace detail
}  // namespace mass
