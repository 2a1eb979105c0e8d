#pragma once

#include <mass/launch/schedule.hpp>
#include <mass/memory/field_io.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/rules/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Functions of a class of places for the engines of scheduled events.

namespace mass::detail {

/// Calls f(slot, k, values) for each component of class P that rules can change, or for all.
/// @param values memory for a component of all places
template <class P, bool All, class F>
void forEachComponent(const PlaceFields& fields, F&& f) {
  const std::int64_t rows = fields.domain().shape[0];
  const std::int64_t places = rows * fields.domain().shape[1] * fields.domain().shape[2];
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (All || !S::isConstant) {
      std::vector<typename S::Stored> values(static_cast<std::size_t>(places));
      for (std::size_t k = 0; k < S::count; ++k) f(slot, k, values);
    }
  });
}

/// Returns component k of an attribute of a place.
template <class S, class P>
auto& componentOf(P& place, [[maybe_unused]] std::size_t k) {
  if constexpr (S::isArray) {
    return (place.*S::member)[k];
  } else {
    return place.*S::member;
  }
}

/// Returns the state of a place of class P in an object of it: the object, or its member.
template <class P, class Object>
P& stateOf(std::byte* memory) {
  Object& object = *reinterpret_cast<Object*>(memory);
  if constexpr (std::is_same_v<P, Object>) {
    return object;
  } else {
    return object.levels.state;
  }
}

/// Copies the states of places from the fields to objects.
/// @tparam Object P, or a class that stateOf() takes
template <class P, class Object = P>
void loadScheduled(const PlaceFields& fields, const PlaceObjects& objects) {
  const auto count = static_cast<std::size_t>(objects.count);
  for (std::size_t i = 0; i < count; ++i) new (objects.memory + i * objects.stride) Object{};
  forEachComponent<P, true>(fields, [&](auto slot, std::size_t k, auto& values) {
    using S = decltype(slot);
    readRows(fields, static_cast<int>(S::first + k), 0, fields.domain().shape[0], values.data());
    const auto* const own = values.data() + objects.first;
    for (std::size_t i = 0; i < count; ++i)
      componentOf<S>(stateOf<P, Object>(objects.memory + i * objects.stride), k) =
          S::Form::decode(own[i]);
  });
}

/// Copies the states of objects to the fields.
template <class P, class Object = P>
void storeScheduled(PlaceFields& fields, const PlaceObjects& objects) {
  forEachComponent<P, false>(fields, [&](auto slot, std::size_t k, auto& values) {
    using S = decltype(slot);
    auto* const own = values.data() + objects.first;
    for (std::size_t i = 0; i < static_cast<std::size_t>(objects.count); ++i)
      own[i] = S::Form::encode(
          componentOf<S>(stateOf<P, Object>(objects.memory + i * objects.stride), k));
    objects.gather(values.data(), sizeof(values[0]));
    const auto component = static_cast<int>(S::first + k);
    writeRows(fields, component, 0, fields.domain().shape[0], values.data());
    if (fields.component(component).storage != Storage::single) fields.refreshPadding(component);
  });
}

/// Calls a rule with the values of an event and the arguments of runEvents that it takes.
template <class P, auto Rule, class Arguments>
void callScheduled(void* place, const std::byte* values, ScheduleCall& call,
                   const void* arguments) {
  using Traits = ScheduledTraits<Rule>;
  P& self = *static_cast<P*>(place);
  Traits::Values::Layout::apply(
      values, typename Traits::Values::Sequence{}, [&](const auto&... value) {
        if constexpr (Traits::Split::takesArguments) {
          Schedule<P> schedule(call);
          std::apply([&](const auto&... each) { (self.*Rule)(value..., schedule, each...); },
                     *static_cast<const Arguments*>(arguments));
        } else if constexpr (Traits::Split::takesSchedule) {
          Schedule<P> schedule(call);
          (self.*Rule)(value..., schedule);
        } else {
          (self.*Rule)(value...);
        }
      });
}

/// Cancels the event whose handle is the value of an event.
template <class P>
void cancelScheduled(void* /*place*/, const std::byte* values, ScheduleCall& call,
                     const void* /*arguments*/) {
  EventHandle event;
  std::memcpy(&event, values, sizeof(event));
  Schedule<P>(call).cancel(event);
}

template <class P, class List>
struct MakeScheduleKernel;
template <class P, auto... Items>
struct MakeScheduleKernel<P, Events<Items...>> {
  static_assert(std::is_trivially_copyable_v<P>,
                "a class of places with scheduled events is trivially copyable: its states are "
                "saved and restored as bytes");
  static_assert(alignof(P) <= 16, "a class of places is aligned to 16 bytes or less");
  static_assert(sizeof...(Items) <= ScheduledEvent::mostRules,
                "a class of places has at most 256 scheduled rules");

  template <class Item>
  struct Of;
  template <auto Rule, auto Inverse>
  struct Of<Scheduled<Rule, Inverse>> {
    static constexpr auto rule = Rule;
    static constexpr std::size_t bytes = ScheduledTraits<Rule>::Values::Layout::bytes;
    template <class Arguments>
    static constexpr ScheduledRule call = &callScheduled<P, Rule, Arguments>;
    template <class Arguments>
    static constexpr ScheduledRule inverse() {
      if constexpr (std::is_null_pointer_v<decltype(Inverse)>) {
        return nullptr;
      } else {
        static_assert(std::is_same_v<typename ScheduledTraits<Rule>::Types,
                                     typename ScheduledTraits<Inverse>::Types>,
                      "an inverse takes the values of its rule");
        return &callScheduled<P, Inverse, Arguments>;
      }
    }
  };
  template <class Item>
  requires std::is_same_v<Item, Cancellation>
  struct Of<Item> {
    static constexpr auto rule = cancellation;
    static constexpr std::size_t bytes = sizeof(EventHandle);
    template <class Arguments>
    static constexpr ScheduledRule call = &cancelScheduled<P>;
    template <class Arguments>
    static constexpr ScheduledRule inverse() {
      return nullptr;
    }
  };
  template <auto Item>
  using RuleOf = Of<std::remove_cvref_t<decltype(Item)>>;

  static ScheduleKernel withoutRules() {
    ScheduleKernel kernel;
    kernel.dimensions = P::dimensions;
    kernel.reach = P::reach;
    kernel.placeBytes = sizeof(P);
    kernel.eventBytes = sizeof(ScheduledEvent) + std::max({RuleOf<Items>::bytes...});
    kernel.names = {std::string(scheduledName<RuleOf<Items>::rule>())...};
    kernel.valueBytes = {RuleOf<Items>::bytes...};
    kernel.load = &loadScheduled<P>;
    kernel.store = &storeScheduled<P>;
    return kernel;
  }
  template <class Arguments>
  static ScheduleKernel withRules() {
    ScheduleKernel kernel = withoutRules();
    kernel.rules = {RuleOf<Items>::template call<Arguments>...};
    kernel.inverses = {RuleOf<Items>::template inverse<Arguments>()...};
    return kernel;
  }
};

/// Returns the functions of class P but for the rules.
template <class P>
ScheduleKernel scheduleKernel() {
  return MakeScheduleKernel<P, typename P::Events>::withoutRules();
}
/// Returns the functions of class P for arguments of runEvents of some types.
template <class P, class Arguments>
ScheduleKernel scheduleKernel() {
  return MakeScheduleKernel<P, typename P::Events>::template withRules<Arguments>();
}

/// Returns that function for a class with scheduled events; null for others.
template <class P>
constexpr ScheduleKernel (*scheduleKernelOrNull())() {
  if constexpr (Scheduling<P>) {
    return [] { return scheduleKernel<P>(); };
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail
