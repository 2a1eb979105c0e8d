#pragma once

#include <mass/kernels/bounce_back.hpp>
#include <mass/kernels/known_runs.hpp>
#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/storing.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mass {
namespace detail {

[[noreturn]] void failWrite(std::string_view place, std::string_view member, int dimensions,
                            const std::int64_t* coordinates);

/// Throws when a rule changed an attribute that it does not write.
template <class P, class W, int D>
void checkWrites(const P& before, const P& after, const Here<D>& here) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (!isWritten<S, W>) {
      if (std::memcmp(&(before.*S::member), &(after.*S::member), sizeof(typename S::Value)) != 0) {
        failWrite(typeName<P>(), memberName<S::member>(), D, here.coordinates().values);
      }
    }
  });
}

/// Calls body(row, line, begin, end, at) for the lines [begin, end) of a band, `at` being where
/// column 0 lies; for a 1-D world once, with the rows as the columns of one line.
template <int D, class Body>
inline void forEachLine(const Layout& layout, std::int64_t begin, std::int64_t end, Body&& body) {
  if constexpr (D == 1) {
    body(std::int64_t{0}, std::int64_t{0}, begin, end, layout.origin);
  } else {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t row = D == 2 ? unit : unit / layout.lines;
      const std::int64_t line = D == 2 ? 0 : unit % layout.lines;
      body(row, line, std::int64_t{0}, layout.columns, layout.at(row, line, 0));
    }
  }
}

/// What a rule sees around the place at column x of a line.
template <class P>
MASS_FN inline Neighborhood<P> around(const Launch& launch, const void* const* in, Index at,
                                      std::int64_t row, std::int64_t line, std::int64_t x) {
  const Cursor here{at, static_cast<Index>(x)};
  if constexpr (P::dimensions == 1) return {launch, in, here, x, 0, 0};
  return {launch, in, here, row, line, x};
}

/// The place at `at` as a rule finds it, but for what comes back where there are obstacles.
/// `mayBeAtEnd`: at fixed ends of lines, too.
template <auto Rule, bool mayBeAtEnd = true, class P>
MASS_FN inline P loadFor(const void* const* in, Cursor at, const Neighborhood<P>& near) {
  constexpr LoadScope whose = Traits<Rule>::streams ? LoadScope::nonStreamed : LoadScope::all;
  P place = loadPlace<P, whose>(in, at);
  if constexpr (Traits<Rule>::streams) pullStreamed<mayBeAtEnd>(place, near);
  return place;
}
/// Adds that, for neighbouring places, of which place c has near(c) around it.
template <auto Rule, int Width, class P, class Near>
MASS_FN inline void bringBackFor(P* places, Near&& near) {
  if constexpr (Traits<Rule>::streams && definesFlowCell<P>)
    applySolidBounceBack<Width>(places, near);
}
/// Completes a place then. Returns whether the rule is to be applied to it, if it is one that
/// changes places.
template <auto Rule, class P>
MASS_FN inline bool completeFor(P& place, const Neighborhood<P>& near) {
  if constexpr (Traits<Rule>::streams) return complete(place, near);
  return true;
}
/// Both, for one place alone.
template <auto Rule, class P>
MASS_FN inline bool applyBoundaryWhile(P& place, const Neighborhood<P>& near) {
  bringBackFor<Rule, 1>(&place, [&](int) -> const Neighborhood<P>& { return near; });
  return completeFor<Rule>(place, near);
}
/// What a reading rule returns for the place at `at`.
template <auto Rule, class P, class Arguments>
MASS_FN inline auto readFor(const void* const* in, Cursor at, const Neighborhood<P>& near,
                            const Arguments& arguments) {
  P place = loadFor<Rule>(in, at, near);
  (void)applyBoundaryWhile<Rule>(place, near);
  return apply<Rule>(std::as_const(place), near, arguments);
}

[[noreturn]] void failPassage(std::string_view place, int dimensions,
                              const std::int64_t* coordinates);

/// Throws when a place says that all goes on which in fact comes back.
template <class P>
void checkFlowCell(const P& place, const Neighborhood<P>& near) {
  const FlowCell flowCell = flowCellOf(place);
  const unsigned ends = fixedEndsAt(near);
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    const auto source = sourceOf<S>(k);
    const bool isOut = (endsCrossed(source) & ends) != 0;
    const bool isBack =
        !isOut && flowCell != FlowCell::nearSolid && flowCellAt(near, source) == FlowCell::solid;
    if ((isOut && flowCell == FlowCell::interior) || isBack)
      failPassage(typeName<P>(), P::dimensions, near.coordinates().values);
  });
}

/// Calls a changing rule on a place; checks what it changes.
template <class P, auto Rule, class W, class Arguments>
MASS_FN inline void change(P& place, const Neighborhood<P>& near, const Arguments& arguments) {
  if constexpr (checked) {
    if constexpr (Traits<Rule>::streams && definesFlowCell<P>) checkFlowCell(place, near);
    const P before = place;
    apply<Rule>(place, near, arguments);
    checkWrites<P, W>(before, place, near);
  } else {
    apply<Rule>(place, near, arguments);
  }
}

/// Runs a changing rule on work units [begin, end) of a band.
template <class P, auto Rule, class W>
MASS_FLATTEN void changeKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  // Copies that nothing else can point to: the loop keeps them in registers.
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  const void* in[AttributeSlots<P>::components];
  void* out[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  std::copy_n(shared.out, AttributeSlots<P>::components, out);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const auto run = [&](auto from, auto to, auto known) {
          MASS_INDEPENDENT_LOOP
          for (std::int64_t x = from; x < to; ++x) {
            const auto near = around<P>(launch, in, at, row, line, x);
            const Cursor here(at, static_cast<Index>(x));
            P place = loadFor<Rule>(in, here, near);
            if constexpr (known == RunKind::initial) setInitial(place);
            if (known == RunKind::interior || applyBoundaryWhile<Rule>(place, near))
              change<P, Rule, W>(place, near, arguments);
            storePlace<P, W>(out, here, place);
          }
        };
        forEachStretch<P, Rule>(launch, in, at, row, line, first, last, run);
        fillWrittenPadding<P, W>(out, launch, row, line);
      });
}

/// What a reading rule returns for the place at column x of a line.
template <class P, auto Rule, class Arguments>
MASS_FN inline auto read(const Launch& launch, const void* const* in, Index at, std::int64_t row,
                         std::int64_t line, std::int64_t x, const Arguments& arguments) {
  const auto near = around<P>(launch, in, at, row, line, x);
  return readFor<Rule>(in, {at, static_cast<Index>(x)}, near, arguments);
}

/// Writes what a reading rule returns for every place, in the order of the places' numbers.
template <class P, auto Rule>
MASS_FLATTEN void mapKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
  using Stored = Packed<T>;
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  const void* in[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  auto* const results = static_cast<Stored*>(shared.results);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        for (std::int64_t x = first; x < last; ++x) {
          const std::int64_t index = around<P>(launch, in, at, row, line, x).index();
          results[index] =
              static_cast<Stored>(read<P, Rule>(launch, in, at, row, line, x, arguments));
        }
      });
}

/// How many running values a line is reduced in: a fixed number, so that the order of operations
/// is fixed too and yet leaves room for vectors.
inline constexpr std::int64_t lanes = 16;

/// Reduces `length` values, value(0) first, in an order that depends on `length` alone.
template <class R, class Op, class Value>
MASS_FN inline R foldLanes(Op op, std::int64_t length, Value&& value) {
  R running[lanes];
  for (std::int64_t k = 0; k < lanes; ++k) running[k] = Op::template identity<R>();
  std::int64_t x = 0;
  for (; x + lanes <= length; x += lanes) {
    for (std::int64_t k = 0; k < lanes; ++k)
      running[k] = op(running[k], static_cast<R>(value(x + k)));
  }
  for (std::int64_t k = 0; x + k < length; ++k)
    running[k] = op(running[k], static_cast<R>(value(x + k)));
  R total = running[0];
  for (std::int64_t k = 1; k < lanes; ++k) total = op(total, running[k]);
  return total;
}

/// Reduces what a reading rule returns to one value a line.
template <class P, auto Rule, class Op>
MASS_FLATTEN void reduceKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  using R = typename Op::template Result<std::remove_cvref_t<typename Traits<Rule>::Result>>;
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  const void* in[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  auto* const results = static_cast<R*>(shared.results);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        results[(row + launch.firstRow) * launch.layout.lines + line] =
            foldLanes<R>(Op{}, last - first, [&](std::int64_t x) {
              return read<P, Rule>(launch, in, at, row, line, first + x, arguments);
            });
      });
}

}  // namespace detail
}  // namespace mass
