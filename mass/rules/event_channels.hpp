#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/rules/events.hpp>
#include <mass/rules/type_name.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// Bit mask of attributes of P, bit i for attribute i.
using AttributeMask = std::uint64_t;

/// Returns the bit of attribute `Member` of P.
template <class P, auto Member>
constexpr AttributeMask maskOf() {
  static_assert(findSlot<P, Member>() < AttributeSlots<P>::attributes,
                "this member is not in the Attributes of the Place");
  return AttributeMask{1} << findSlot<P, Member>();
}

/// Calls a rule of a place with all arguments of runEvents, or with none if it takes none.
template <auto Rule, class P, class Arguments>
MASS_FN decltype(auto) callRule(P& place, const Arguments& arguments) {
  if constexpr (std::is_invocable_v<decltype(Rule), P&>) {
    return (place.*Rule)();
  } else {
    return std::apply([&](const auto&... each) -> decltype(auto) { return (place.*Rule)(each...); },
                      arguments);
  }
}

/// Calls the change of an event with all arguments of runEvents, with none, or with a number before
/// them.
/// @param drawn number of a change that takes one: uniform in [0, rate), in 1/s
template <auto Change, class P, class... Args>
MASS_FN void callChange(P& place, double drawn, const std::tuple<Args...>& arguments) {
  if constexpr (std::is_invocable_v<decltype(Change), P&> ||
                std::is_invocable_v<decltype(Change), P&, const Args&...>) {
    callRule<Change>(place, arguments);
  } else {
    std::apply([&](const auto&... each) { (place.*Change)(drawn, each...); }, arguments);
  }
}

/// Reads lists of event declarations.
template <class Reads>
struct ReadMask;
template <>
struct ReadMask<ReadsAllMembers> {
  template <class P>
  static constexpr AttributeMask of() {
    return ~AttributeMask{0};
  }
};
template <auto... Members>
struct ReadMask<ReadsMembers<Members...>> {
  template <class P>
  static constexpr AttributeMask of() {
    return (AttributeMask{0} | ... | maskOf<P, Members>());
  }
};

/// Channel of an event of P.
template <auto Rate, auto Change, class Reads>
struct EventChannel {
  static constexpr auto rate = Rate;
  static constexpr auto change = Change;
  template <class P>
  static constexpr AttributeMask readMask = ReadMask<Reads>::template of<P>();
};
/// Channel of the hops of one kind of particle.
template <auto Count, int Index>
struct HopChannel {
  static constexpr auto member = Count;
  static constexpr int index = Index;
  using Traits = ValueTraits<typename MemberTraits<std::remove_cvref_t<decltype(Count)>>::Value>;
  static_assert(std::is_same_v<typename Traits::Element, std::int32_t>,
                "mass::hop<&P::count> moves a count of the type std::int32_t, or an element of an "
                "array of them");
  static_assert(Index >= 0 && static_cast<std::size_t>(Index) < Traits::count,
                "mass::hop<&P::counts, index>: the array has no such element");

  /// Returns the number of particles of this kind at a place.
  template <class P>
  MASS_FN static auto& of(P& place) {
    if constexpr (Traits::isArray) {
      return (place.*Count)[Index];
    } else {
      return place.*Count;
    }
  }
  /// Returns the array of whose elements this is one.
  template <class P>
  MASS_FN static auto& arrayOf(P& place) {
    return place.*Count;
  }
  /// Returns its name, for messages: "calcium" or "counts[2]".
  static std::string name() {
    std::string text(memberName<Count>());
    return Traits::isArray ? text + '[' + std::to_string(Index) + ']' : text;
  }
};
/// Immediate event.
template <auto Condition, auto Change>
struct Immediate {
  static constexpr auto condition = Condition;
  static constexpr auto change = Change;
};

/// Sorts the items of Events by kind.
template <class Item>
struct ChannelOf {
  using Events = std::tuple<>;
  using Hops = std::tuple<>;
  using Immediates = std::tuple<>;
  static constexpr bool isKnown = false;
};
template <auto Rate, auto Change, class Reads>
struct ChannelOf<Event<Rate, Change, Reads>> : ChannelOf<void> {
  using Events = std::tuple<EventChannel<Rate, Change, Reads>>;
  static constexpr bool isKnown = true;
};
template <auto Count, int Index>
struct ChannelOf<Hop<Count, Index>> : ChannelOf<void> {
  using Hops = std::tuple<HopChannel<Count, Index>>;
  static constexpr bool isKnown = true;
};
template <auto Condition, auto Change>
struct ChannelOf<Whenever<Condition, Change>> : ChannelOf<void> {
  using Immediates = std::tuple<Immediate<Condition, Change>>;
  static constexpr bool isKnown = true;
};

template <class List>
struct ChannelLists;
template <auto... Items>
struct ChannelLists<Events<Items...>> {
  static_assert((true && ... && ChannelOf<std::remove_cvref_t<decltype(Items)>>::isKnown),
                "an item of mass::Events is mass::event<...>, mass::hop<...> or "
                "mass::whenever<...>; or all are mass::scheduled<...>");
  template <class T>
  using Of = ChannelOf<std::remove_cvref_t<T>>;
  using Events = decltype(std::tuple_cat(typename Of<decltype(Items)>::Events{}...));
  using Hops = decltype(std::tuple_cat(typename Of<decltype(Items)>::Hops{}...));
  using Immediates = decltype(std::tuple_cat(typename Of<decltype(Items)>::Immediates{}...));
};

/// Channels of class P: hops have the numbers [0, hops), events [hops, hops + events).
template <class P>
struct Channels {
  using Lists = ChannelLists<typename P::Events>;
  using EventList = typename Lists::Events;
  using HopList = typename Lists::Hops;
  using ImmediateList = typename Lists::Immediates;
  static constexpr int events = static_cast<int>(std::tuple_size_v<EventList>);
  static constexpr int hops = static_cast<int>(std::tuple_size_v<HopList>);
  static constexpr int immediates = static_cast<int>(std::tuple_size_v<ImmediateList>);
  static constexpr int all = hops + events;
  static constexpr int directions = 2 * P::dimensions;

  template <int I>
  using EventAt = std::tuple_element_t<static_cast<std::size_t>(I), EventList>;
  template <int I>
  using HopAt = std::tuple_element_t<static_cast<std::size_t>(I), HopList>;
  template <int I>
  using ImmediateAt = std::tuple_element_t<static_cast<std::size_t>(I), ImmediateList>;

  /// True if hop i moves element i of one array, for all hops: an index at run time selects it.
  static constexpr bool hopsAreOneArray = []<class... Hop>(std::tuple<Hop...>*) {
    if constexpr (sizeof...(Hop) == 0) {
      return false;
    } else {
      using First = std::tuple_element_t<0, std::tuple<Hop...>>;
      int next = 0;
      return (First::Traits::isArray && ... &&
              (sameMember<Hop::member, First::member> && Hop::index == next++));
    }
  }(static_cast<HopList*>(nullptr));

  static_assert(hops < 0x7f, "a class of places has less than 127 kinds of hops");
  static_assert(events < 1 << 13, "a class of places has less than 8192 kinds of events");
  static_assert(AttributeSlots<P>::attributes <= 64,
                "a class of places with events has at most 64 attributes");
};

/// Calls f(std::integral_constant<int, I>{}) for I = 0 ... N - 1.
template <int N, class F>
MASS_FN constexpr void forEachIndex(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

/// Calls f(std::integral_constant<int, number>{}) for a number in [First, End), by binary search.
template <int First, int End, class F>
MASS_FN constexpr void atIndex(int number, F&& f) {
  if constexpr (End - First == 1) {
    f(std::integral_constant<int, First>{});
  } else if constexpr (End - First > 1) {
    constexpr int middle = (First + End) / 2;
    if (number < middle) {
      atIndex<First, middle>(number, f);
    } else {
      atIndex<middle, End>(number, f);
    }
  }
}

/// Returns the number of the hop channel of a count.
template <class P, auto Count, int Index>
constexpr int hopOf() {
  int number = -1;
  forEachIndex<Channels<P>::hops>([&](auto hop) {
    using Hop = typename Channels<P>::template HopAt<hop>;
    if (sameMember<Hop::member, Count> && Hop::index == Index) number = hop;
  });
  return number;
}

/// Returns the attributes in which two states of a place differ.
template <class P>
MASS_FN AttributeMask changedAttributes(const P& before, const P& after) {
  AttributeMask changed = 0;
  int number = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    bool differs = false;
    if constexpr (S::isArray) {
      for (std::size_t k = 0; k < S::count; ++k)
        differs |= (before.*S::member)[k] != (after.*S::member)[k];
    } else {
      differs = before.*S::member != after.*S::member;
    }
    changed |= AttributeMask{differs} << number++;
  });
  return changed;
}

}  // namespace mass::detail
