#pragma once

// Declarations of the events of a class of places, for runEvents.

#include <chrono>
#include <type_traits>

namespace mass {

/// Returns a length of time in seconds, the argument of Places::runEvents. Other durations of
/// std::chrono do as well.
constexpr std::chrono::duration<double> seconds(double value) {
  return std::chrono::duration<double>(value);
}

namespace detail {
template <auto... Members>
struct ReadsMembers {};
struct ReadsAllMembers {};

template <auto Rate, auto Change, class Reads>
struct Event {};
template <auto Count, int Index>
struct Hop {};
template <auto Condition, auto Change>
struct Whenever {};
template <auto Rule, auto Inverse = nullptr>
struct Scheduled {};
struct Cancellation {};
}  // namespace detail

/// Names the attributes that a rate depends on: `mass::reads<&P::a, &P::b>`. A rate without this
/// may depend on all of them.
template <auto... Members>
inline constexpr detail::ReadsMembers<Members...> reads{};

/// Event of a place: `mass::event<&P::rate, &P::change>` or `mass::event<&P::rate, &P::change,
/// mass::reads<&P::a>>`.
/// @tparam Rate `double f(args...) const` or `double f() const`: the rate of the event in 1/s, at
/// least 0, a function of the attributes of its own place
/// @tparam Change `void f(args...)` or `void f()`: changes attributes of its own place. Or `void
/// f(double drawn, args...)` with a number that is uniform in [0, rate): it selects one of several
/// changes whose rates have the sum `Rate`
/// @tparam Reads attributes that the rate depends on; without it, all
template <auto Rate, auto Change, auto Reads = detail::ReadsAllMembers{}>
inline constexpr detail::Event<Rate, Change, std::remove_cvref_t<decltype(Reads)>> event{};

/// Hop of a particle to an adjacent place along an axis: `mass::hop<&P::count>`. The count of its
/// place decreases by one and that of the adjacent place increases by one, at the rate of
/// Places::hopRate for each particle and pair of places.
/// @tparam Count attribute of the type std::int32_t, the number of particles at a place; or an
/// array of such numbers
/// @tparam Index element of an array: `mass::hop<&P::counts, 2>`
template <auto Count, int Index = 0>
inline constexpr detail::Hop<Count, Index> hop{};

/// Immediate event: `mass::whenever<&P::condition, &P::change>`. It happens, again and again, at
/// the time at which its condition becomes true. After 10^6 at one time the run ends by an error.
/// @tparam Condition `bool f(args...) const` or `bool f() const`
/// @tparam Change `void f(args...)` or `void f()`; it makes the condition false in the end
template <auto Condition, auto Change>
inline constexpr detail::Whenever<Condition, Change> whenever{};

/// Event that rules schedule for a later time: `mass::scheduled<&P::rule>`; see Schedule.
/// @tparam Rule `void f(values..., Schedule<P>&, args...)`, `void f(values..., Schedule<P>&)` or
/// `void f(values...)`: changes attributes of its own place. `values` are given when it is
/// scheduled, trivially copyable, by value or const reference; `args` are those of runEvents
/// @tparam Inverse optional: a function with the same `values` that undoes the changes of `Rule`,
/// bit for bit, in the state after it. Its Schedule<P>& has the time and the random numbers of the
/// rule; what it schedules is ignored. Time Warp calls it instead of saving the state, if that is
/// faster. Such a rule must not throw an exception where a roll-back may follow
template <auto Rule, auto Inverse = nullptr>
inline constexpr detail::Scheduled<Rule, Inverse> scheduled{};

/// Allows rules to cancel events of other places by Schedule::cancel.
inline constexpr detail::Cancellation cancellation{};

/// List of the events of a class of places: `using Events = mass::Events<...>` of mass::event,
/// mass::hop and mass::whenever, in any order; or of mass::scheduled and mass::cancellation.
template <auto... Items>
struct Events {};

}  // namespace mass
