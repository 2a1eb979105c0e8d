#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/rules/events.hpp>
#include <mass/rules/type_name.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// Rules in the Events of a class of places: their numbers, and the values of their events.

namespace mass {

template <class P>
class Schedule;

namespace detail {

/// Parameters of a scheduled rule of class P: values, then Schedule<P>& and arguments of runEvents.
template <class P, class Values, class... Rest>
struct ScheduledParameters {  // without Schedule<P>&
  using Types = Values;
  static constexpr bool takesSchedule = false, takesArguments = false;
};
template <class P, class... Values, class First, class... Rest>
struct ScheduledParameters<P, std::tuple<Values...>, First, Rest...>
    : ScheduledParameters<P, std::tuple<Values..., std::remove_cvref_t<First>>, Rest...> {};
template <class P, class... Values, class... Rest>
struct ScheduledParameters<P, std::tuple<Values...>, Schedule<P>&, Rest...> {
  using Types = std::tuple<Values...>;
  static constexpr bool takesSchedule = true, takesArguments = sizeof...(Rest) > 0;
};

/// Memory of the values of an event of some types.
template <class... Values>
struct ScheduledValues {
  static_assert((std::is_trivially_copyable_v<Values> && ...),
                "the values of a scheduled event are numbers, enums, or structs of them");
  static_assert((!std::is_pointer_v<Values> && ...),
                "a scheduled event has no pointers: they have no meaning after a roll-back");
  static_assert(((alignof(Values) <= 8) && ...), "values of events are aligned to 8 bytes or less");

  /// Returns the offset of value `i`; that of the end for the number of values.
  static constexpr std::size_t offset(std::size_t i) {
    constexpr std::array<std::size_t, sizeof...(Values) + 1> sizes{sizeof(Values)..., 0};
    constexpr std::array<std::size_t, sizeof...(Values) + 1> alignments{alignof(Values)..., 8};
    std::size_t at = 0;
    for (std::size_t k = 0;; at += sizes[k++]) {
      at = (at + alignments[k] - 1) / alignments[k] * alignments[k];
      if (k == i) return at;
    }
  }
  static constexpr std::size_t bytes = offset(sizeof...(Values));
  static_assert(bytes <= 1024, "the values of a scheduled event have at most 1024 bytes");

  /// Copies values to memory.
  template <std::size_t... I>
  static void pack(std::byte* memory, std::index_sequence<I...>, const Values&... values) {
    (std::memcpy(memory + offset(I), &values, sizeof(values)), ...);
  }
  /// Calls f(values...) with the values of `memory`.
  template <class F, std::size_t... I>
  static void apply(const std::byte* memory, std::index_sequence<I...>, F&& f) {
    f(*reinterpret_cast<const Values*>(memory + offset(I))...);
  }
};

/// Properties of a scheduled rule.
template <auto Rule, class F = decltype(Rule)>
struct ScheduledTraits;
template <auto Rule, class P, class... Parameters>
struct ScheduledTraits<Rule, void (P::*)(Parameters...)> {
  using Split = ScheduledParameters<P, std::tuple<>, Parameters...>;
  using Types = typename Split::Types;
  template <class T>
  struct Memory;
  template <class... Values>
  struct Memory<std::tuple<Values...>> {
    using Layout = ScheduledValues<Values...>;
    using Sequence = std::index_sequence_for<Values...>;

    template <class... Args>
    static void pack(std::byte* memory, const Args&... args) {
      static_assert(sizeof...(Args) == sizeof...(Values),
                    "an event is scheduled with a value for each parameter of its rule before "
                    "Schedule<P>&");
      if constexpr (sizeof...(Args) == sizeof...(Values))
        Layout::pack(memory, Sequence{}, static_cast<const Values&>(args)...);
    }
  };
  using Values = Memory<Types>;
};
template <auto Rule, class P, class... Parameters>
struct ScheduledTraits<Rule, void (P::*)(Parameters...) noexcept>
    : ScheduledTraits<Rule, void (P::*)(Parameters...)> {};

template <class List>
struct ScheduledRules {
  static constexpr bool areAll = false;
};
template <auto... Items>
struct ScheduledRules<Events<Items...>> {
  template <class T>
  struct Of {
    static constexpr bool is = false;
  };
  template <auto Rule, auto Inverse>
  struct Of<Scheduled<Rule, Inverse>> {
    static constexpr bool is = true;
    static constexpr auto rule = Rule;
  };
  template <class T>
  requires std::is_same_v<T, Cancellation>
  struct Of<T> {
    static constexpr bool is = true;
    static constexpr auto rule = cancellation;
  };
  static constexpr bool areAll = sizeof...(Items) > 0 &&
                                 (Of<std::remove_cvref_t<decltype(Items)>>::is && ...);
  /// Returns the number of a rule; -1 if the list does not have it.
  template <auto Rule>
  static constexpr int numberOf() {
    int number = -1, next = 0;
    ((number = sameMember<Of<std::remove_cvref_t<decltype(Items)>>::rule, Rule> ? next : number,
      ++next),
     ...);
    return number;
  }
};
/// True if the events of class P are scheduled.
template <class P>
concept Scheduling = requires {
  typename P::Events;
}
&&ScheduledRules<typename P::Events>::areAll;

/// True if rules of class P may cancel events of other places.
template <class P>
inline constexpr bool hasCancellation =
    ScheduledRules<typename P::Events>::template numberOf<cancellation>() >= 0;

/// Returns the name of a rule, in messages and tables.
template <auto Rule>
std::string_view scheduledName() {
  if constexpr (std::is_same_v<std::remove_cv_t<decltype(Rule)>, Cancellation>) {
    return "cancel";
  } else {
    return memberName<Rule>();
  }
}

/// Returns the number of a rule in the Events of class P.
template <class P, auto Rule>
constexpr std::uint32_t scheduledNumber() {
  constexpr int number = ScheduledRules<typename P::Events>::template numberOf<Rule>();
  static_assert(number >= 0,
                "list the rule in the events of its class: using Events = "
                "mass::Events<mass::scheduled<&P::rule>>");
  return static_cast<std::uint32_t>(number);
}

}  // namespace detail
}  // namespace mass
