#pragma once

#include <mass/support/qualifiers.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mass {

/// Marks an attribute that no rule ever writes: one buffer, ghosts filled once.
template <auto Member>
struct Constant {};
template <auto Member>
inline constexpr Constant<Member> constant{};

/// Lists the data members of a Place that are its attributes, each as a pointer to member or as
/// `mass::constant<&P::member>`. Every data member has to be listed, once; by a class with
/// constructors, in the order of declaration. A member is a scalar or any other trivially copyable
/// type, or an array (built-in or std::array) of those.
template <auto... Items>
struct Attributes {};

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

/// Whether T is a Bag (bag.hpp).
template <class T>
inline constexpr bool isBag = false;

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

template <class Item>
struct IsConstant {
  static constexpr bool value = false;
};
template <auto Member>
struct IsConstant<Constant<Member>> {
  static constexpr bool value = true;
  static constexpr auto member = Member;
};

/// The pointer to member of an item of an Attributes list.
template <auto Item>
constexpr auto memberOf() {
  using Wrapper = IsConstant<std::remove_cvref_t<decltype(Item)>>;
  if constexpr (Wrapper::value) {
    return Wrapper::member;
  } else {
    return Item;
  }
}

/// One attribute of a Place with its position among the Place's components.
template <auto Item, std::size_t First>
struct Slot {
  static constexpr auto member = memberOf<Item>();
  static constexpr bool isConstant = IsConstant<std::remove_cvref_t<decltype(Item)>>::value;
  using Value = typename MemberTraits<std::remove_cvref_t<decltype(member)>>::Value;
  using Element = typename ValueTraits<Value>::Element;
  static constexpr bool isArray = ValueTraits<Value>::isArray;
  static constexpr std::size_t first = First;
  static constexpr std::size_t count = ValueTraits<Value>::count;

  static_assert(std::is_trivially_copyable_v<Element>, "an attribute must be trivially copyable");
  static_assert(!std::is_array_v<Element>, "an array attribute has one dimension");
  static_assert(WithoutPadding<Element>,
                "an attribute must have no padding (name the gaps between its members) and, if it "
                "is a class, a constexpr default constructor");
};

template <class... Slots>
struct SlotList {
  static constexpr std::size_t attributes = sizeof...(Slots);
  static constexpr std::size_t components = (std::size_t{0} + ... + Slots::count);

  /// Calls f(Slot{}) for every attribute, in order.
  template <class F>
  MASS_FN static constexpr void forEach(F&& f) {
    (f(Slots{}), ...);
  }
};

template <class List, std::size_t First, auto... Items>
struct MakeSlots {
  using type = List;
};
template <class... Slots, std::size_t First, auto Item, auto... Rest>
struct MakeSlots<SlotList<Slots...>, First, Item, Rest...>
    : MakeSlots<SlotList<Slots..., Slot<Item, First>>, First + Slot<Item, First>::count, Rest...> {
};

template <class A>
struct SlotsOf;
template <auto... Items>
struct SlotsOf<Attributes<Items...>> : MakeSlots<SlotList<>, 0, Items...> {};

/// The attributes of Place P, in the order listed.
template <class P>
using Slots = typename SlotsOf<typename P::Attributes>::type;
/// The length of an array with an element for each component: 1 where there is none.
template <class P>
inline constexpr std::size_t componentRoom = Slots<P>::components > 0 ? Slots<P>::components : 1;

/// Whether two pointers to member, of any types, are the same member.
template <auto A, auto B>
inline constexpr bool sameMember =
    std::is_same_v<std::integral_constant<decltype(A), A>, std::integral_constant<decltype(B), B>>;

/// The number of the first attribute that is this member; as many as there are when none is.
template <class P, auto Member>
constexpr std::size_t findSlot() {
  std::size_t number = 0;
  std::size_t found = Slots<P>::attributes;
  Slots<P>::forEach([&](auto slot) {
    if (found == Slots<P>::attributes && sameMember<decltype(slot)::member, Member>) found = number;
    ++number;
  });
  return found;
}

template <class List, std::size_t N>
struct NthSlot;
template <class Head, class... Tail, std::size_t N>
struct NthSlot<SlotList<Head, Tail...>, N> : NthSlot<SlotList<Tail...>, N - 1> {};
template <class Head, class... Tail>
struct NthSlot<SlotList<Head, Tail...>, 0> {
  using type = Head;
};

template <class P, auto Member>
struct FindSlot {
  static_assert(findSlot<P, Member>() < Slots<P>::attributes,
                "this member is not in the Place's Attributes");
  using type = typename NthSlot<Slots<P>, findSlot<P, Member>()>::type;
};
/// The slot of an attribute of P, named by its pointer to member.
template <class P, auto Member>
using SlotFor = typename FindSlot<P, Member>::type;

/// The name in the source, without namespaces, of what V points to or of type T, from the
/// compiler's own spelling.
template <auto V>
constexpr std::string_view memberName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.find_first_of(";]", text.find('&')));
  return text.substr(text.rfind(':') + 1);
}
template <class T>
constexpr std::string_view typeName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const auto qualified =
      text.substr(0, text.find('<'));  // colons among template arguments do not count
  return text.substr(qualified.rfind(':') + 1);
}

}  // namespace detail
}  // namespace mass
