#pragma once

#include <mass/rules/attribute_markers.hpp>
#include <mass/rules/storage.hpp>
#include <mass/rules/type_name.hpp>
#include <mass/support/point.hpp>
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

/// Number (`count`) and type (`Element`) of the components of an attribute of type T.
template <class T>
struct ValueTraits {
  using Element = T;
  using Array = T;
  static constexpr std::size_t count = 1;
  static constexpr bool isArray = false;
};
template <class T, std::size_t N>
struct ValueTraits<T[N]> {
  using Element = T;
  using Array = std::array<T, N>;
  static constexpr std::size_t count = N;
  static constexpr bool isArray = true;
};
template <class T, std::size_t N>
struct ValueTraits<std::array<T, N>> : ValueTraits<T[N]> {};
template <int D>
struct ValueTraits<mass::Point<D>> : ValueTraits<float[static_cast<std::size_t>(D)]> {
  using Array = mass::Point<D>;
};

/// True if T is a Multiset (multiset.hpp).
template <class T>
inline constexpr bool isMultiset = false;

/// Sum of all bytes of a T. No constant expression if T has padding bytes.
template <class T>
constexpr int sumOfBytes() {
  int sum = 0;
  for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof(T)>>(T{})) {
    sum += byte;
  }
  return sum;
}

/// True if T has no padding bytes. Hashes and checkpoints read every byte, and padding bytes have
/// no defined value. False for a class whose default constructor is not constexpr.
template <class T>
concept WithoutPadding =
    !std::is_same_v<T, long double> &&
    (std::is_scalar_v<T> || requires { typename std::integral_constant<int, sumOfBytes<T>()>; });

/// Number of elements of an array of `count` that share a buffer: all if they are streamed along
/// Directions of two axes or more, else 1. A variable, since nvcc with g++ 13 defines a function
/// after its use.
template <class Directions, std::size_t count>
inline constexpr int interleaveOf = std::size(Directions::velocity(0).values) == 1
                                        ? 1
                                        : static_cast<int>(count);
template <std::size_t count>
inline constexpr int interleaveOf<void, count> = 1;

/// Attribute `Item` of a Place or Agent; its components have the indices [first, first + count).
template <auto Item, std::size_t First>
struct AttributeSlot {
  using Traits = MarkerTraits<Item>;
  static constexpr auto member = Traits::member;
  static constexpr bool isConstant = Traits::isConstant;
  static constexpr bool isMostlyDefault = Traits::isMostlyDefault;
  using Value = typename MemberTraits<std::remove_cvref_t<decltype(member)>>::Value;
  using Element = typename ValueTraits<Value>::Element;
  using Form = FormOf<Element, typename Traits::Form>;
  using Stored = typename Form::Stored;  ///< Type of an element in a buffer.
  using Directions = typename Traits::Directions;
  static constexpr bool isArray = ValueTraits<Value>::isArray;
  static constexpr bool isStreamed = !std::is_void_v<Directions>;
  using Array = typename ValueTraits<Value>::Array;  ///< Type of an array on the host.
  static constexpr std::size_t first = First;
  static constexpr std::size_t count = ValueTraits<Value>::count;
  /// Number of components that share a buffer, interleaved by lines: all elements of a streamed
  /// array; 1 for other attributes and in 1-D, where a line is one place.
  static constexpr int interleave = interleaveOf<typename Traits::Directions, count>;

  /// Number of rows before its own from which a rule reads component k; -1: the reach of the class.
  static constexpr int haloDepthBelow(std::size_t k) { return haloDepth(k, 0, 1); }
  /// Number of rows after its own from which a rule reads component k; -1: the reach of the class.
  static constexpr int haloDepthAbove(std::size_t k) { return haloDepth(k, 0, -1); }
  /// Likewise for the lines of a 3-D row before its own.
  static constexpr int lineDepthBelow(std::size_t k) { return haloDepth(k, 1, 1); }
  /// Likewise for the lines of a 3-D row after its own.
  static constexpr int lineDepthAbove(std::size_t k) { return haloDepth(k, 1, -1); }
  /// Likewise for the columns of a 3-D line before its own.
  static constexpr int columnDepthBelow(std::size_t k) { return haloDepth(k, 2, 1); }
  /// Likewise for the columns of a 3-D line after its own.
  static constexpr int columnDepthAbove(std::size_t k) { return haloDepth(k, 2, -1); }

  static_assert(WithoutPadding<Stored>,
                "the type of an attribute must have no padding bytes (declare a member for each "
                "gap) and, if it is a class, a constexpr default constructor");
  static_assert(!std::is_same_v<Form, Bits> || std::is_same_v<Element, bool>,
                "mass::Bits stores attributes of type bool: remove it from the others");
  static_assert(!isStreamed || isArray, "an attribute with mass::streamed must be an array");

 private:
  static constexpr int haloDepth([[maybe_unused]] std::size_t k, [[maybe_unused]] int axis,
                                 [[maybe_unused]] int sign) {
    if constexpr (isStreamed) {
      const auto velocity = Directions::velocity(static_cast<int>(k));
      constexpr int axes = sizeof(velocity.values) / sizeof(velocity.values[0]);
      return axis < axes ? std::max(0, sign * velocity[axis]) : 0;
    } else if constexpr (isMultiset<Value>) {
      return 0;  // a rule loads only the multiset of its own place
    } else {
      return -1;
    }
  }
};

/// True if attributes of slot S are bools, stored as bytes or bits.
template <class S>
inline constexpr bool isBool = std::is_same_v<typename S::Element, bool> &&
                               (std::is_same_v<typename S::Form, Plain<bool>> ||
                                std::is_same_v<typename S::Form, Bits>);

/// List of AttributeSlot types.
template <class... AttributeSlots>
struct SlotList {
  static constexpr std::size_t attributes = sizeof...(AttributeSlots);
  static constexpr std::size_t components = (std::size_t{0} + ... + AttributeSlots::count);

  /// Calls f(AttributeSlot{}) for each attribute, in order.
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

/// SlotList of the attributes of Place or Agent P, in the order listed.
template <class P>
using AttributeSlots = typename SlotsOf<typename P::Attributes>::type;
/// Length of an array with one element for each component of P; 1 if P has no component.
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
/// True if an attribute of P is marked with mass::mostlyDefault.
template <class P>
inline constexpr bool hasMostlyDefault = AnyOf<AttributeSlots<P>>::isMostlyDefault;
/// True if an attribute of P is marked with mass::streamed.
template <class P>
inline constexpr bool hasStreamed = AnyOf<AttributeSlots<P>>::isStreamed;

/// Maximum of AttributeSlot::interleave over the attributes of P.
template <class P>
constexpr int maxInterleave() {
  int result = 1;
  AttributeSlots<P>::forEach(
      [&](auto slot) { result = std::max(result, decltype(slot)::interleave); });
  return result;
}

/// True if two pointers to member, of any types, point to the same member.
template <auto A, auto B>
inline constexpr bool sameMember =
    std::is_same_v<std::integral_constant<decltype(A), A>, std::integral_constant<decltype(B), B>>;

/// Returns the index of the first attribute that is `Member`, or the number of attributes if there
/// is none.
template <class P, auto Member>
constexpr std::size_t findSlot() {
  std::size_t index = 0;
  std::size_t found = AttributeSlots<P>::attributes;
  AttributeSlots<P>::forEach([&](auto slot) {
    if (found == AttributeSlots<P>::attributes && sameMember<decltype(slot)::member, Member>)
      found = index;
    ++index;
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
                "this member is not in the Attributes of the Place or Agent");
  using type = typename NthAttributeSlot<AttributeSlots<P>, findSlot<P, Member>()>::type;
};
/// AttributeSlot of the attribute of P with the pointer to member `Member`.
template <class P, auto Member>
using AttributeSlotFor = typename FindSlot<P, Member>::type;

}  // namespace detail
}  // namespace mass
