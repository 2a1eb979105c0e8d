#pragma once

#include <mass/launch/schedule.hpp>
#include <mass/memory/field_io.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/rules/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// Copies the states of all places from the fields to objects `stride` bytes apart.
template <class P>
void loadScheduled(const PlaceFields& fields, std::byte* places, std::size_t stride) {
  const Shape<3> shape{
      {fields.domain().shape[0], fields.domain().shape[1], fields.domain().shape[2]}};
  const auto count = static_cast<std::size_t>(mass::count(shape));
  for (std::size_t i = 0; i < count; ++i) new (places + i * stride) P{};
  forEachComponent<P, true>(fields, [&](auto slot, std::size_t k, auto& values) {
    using S = decltype(slot);
    readRows(fields, static_cast<int>(S::first + k), 0, shape[0], values.data());
    for (std::size_t i = 0; i < count; ++i)
      componentOf<S>(*reinterpret_cast<P*>(places + i * stride), k) = S::Form::decode(values[i]);
  });
}

/// Copies the states of all places to the fields.
template <class P>
void storeScheduled(PlaceFields& fields, const std::byte* places, std::size_t stride) {
  forEachComponent<P, false>(fields, [&](auto slot, std::size_t k, auto& values) {
    using S = decltype(slot);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          S::Form::encode(componentOf<S>(*reinterpret_cast<const P*>(places + i * stride), k));
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
  template <auto Rule>
  struct Of<Scheduled<Rule>> {
    static constexpr auto rule = Rule;
    static constexpr std::size_t bytes = ScheduledTraits<Rule>::Values::Layout::bytes;
  };
  template <auto Item>
  using RuleOf = Of<std::remove_cvref_t<decltype(Item)>>;

  static ScheduleKernel withoutRules() {
    ScheduleKernel kernel;
    kernel.dimensions = P::dimensions;
    kernel.reach = P::reach;
    kernel.placeBytes = sizeof(P);
    kernel.eventBytes = sizeof(ScheduledEvent) + std::max({RuleOf<Items>::bytes...});
    kernel.names = {std::string(memberName<RuleOf<Items>::rule>())...};
    kernel.valueBytes = {RuleOf<Items>::bytes...};
    kernel.load = &loadScheduled<P>;
    kernel.store = &storeScheduled<P>;
    return kernel;
  }
  template <class Arguments>
  static ScheduleKernel withRules() {
    ScheduleKernel kernel = withoutRules();
    kernel.rules = {&callScheduled<P, RuleOf<Items>::rule, Arguments>...};
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
