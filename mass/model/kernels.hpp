#pragma once

#include <mass/memory/launch.hpp>
#include <mass/model/neighborhood.hpp>
#include <mass/model/rule_traits.hpp>
#include <mass/model/storing.hpp>

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
  Slots<P>::forEach([&](auto slot) {
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

/// Whether the attributes of P that mostly have their initial value have it at `at`.
template <class P>
MASS_FN inline bool isInitial(const void* const* in, Cursor at) {
  constexpr P initial{};
  bool is = true;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyInitial) is &= loadElement<S>(in[S::first], at) == initial.*S::member;
  });
  return is;
}
/// Gives a place what all places have for which that is so: now the compiler knows it.
template <class P>
MASS_FN inline void setInitial(P& place) {
  constexpr P initial{};
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isMostlyInitial) place.*S::member = initial.*S::member;
  });
}

/// What is known of all places of a stretch.
enum class Known {
  nothing,
  initial,  ///< isInitial is true for them
  open,     ///< what is streamed passes them, as they lie at no fixed border
};
template <Known known>
using KnownAs = std::integral_constant<Known, known>;

/// Columns of a line that lie at none of the world's fixed borders; as many as there are, where the
/// line itself lies at none.
template <class P>
inline std::pair<std::int64_t, std::int64_t> openColumns(const Launch& launch, std::int64_t row,
                                                         std::int64_t line, std::int64_t first,
                                                         std::int64_t last) {
  if constexpr (P::dimensions == 1) return {last, last};
  const Here<P::dimensions> here(launch, row, line, 1);
  const unsigned ends = bordersBeside(here, launch.domain);
  constexpr unsigned ofColumns = 3U << (2 * (P::dimensions - 1));
  if ((ends & ~ofColumns) != 0) return {last, last};
  const bool isFixed = launch.domain.borders[P::dimensions - 1] == Border::fixed;
  const std::int64_t begin = std::min(first + (isFixed ? 1 : 0), last);
  return {begin, std::max(begin, last - (isFixed ? 1 : 0))};
}

/// Calls body(begin, end, known) for stretches of columns [first, last) of a line, `known` being a
/// KnownAs. Stretches are as long as can be.
template <class P, auto Rule, class Body>
inline void forEachStretch([[maybe_unused]] const Launch& launch,
                           [[maybe_unused]] const void* const* in, [[maybe_unused]] Index at,
                           [[maybe_unused]] std::int64_t row, [[maybe_unused]] std::int64_t line,
                           std::int64_t first, std::int64_t last, Body&& body) {
  if constexpr (hasMostlyInitial<P>) {
    for (std::int64_t begin = first; begin < last;) {
      const bool initial = isInitial<P>(in, {at, static_cast<Index>(begin)});
      std::int64_t end = begin + 1;
      while (end < last && isInitial<P>(in, {at, static_cast<Index>(end)}) == initial) ++end;
      if (initial) {
        body(begin, end, KnownAs<Known::initial>{});
      } else {
        body(begin, end, KnownAs<Known::nothing>{});
      }
      begin = end;
    }
  } else if constexpr (Traits<Rule>::streams && !saysPassage<P>) {
    const auto [begin, end] = openColumns<P>(launch, row, line, first, last);
    body(first, begin, KnownAs<Known::nothing>{});
    body(begin, end, KnownAs<Known::open>{});
    body(end, last, KnownAs<Known::nothing>{});
  } else {
    body(first, last, KnownAs<Known::nothing>{});
  }
}

/// Calls a changing rule on a place; checks what it changes.
template <class P, auto Rule, class W, class Arguments>
MASS_FN inline void change(P& place, const Neighborhood<P>& near, const Arguments& arguments) {
  if constexpr (checked) {
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
  const void* in[Slots<P>::components];
  void* out[Slots<P>::components];
  std::copy_n(shared.in, Slots<P>::components, in);
  std::copy_n(shared.out, Slots<P>::components, out);
  forEachLine<P::dimensions>(launch.layout, begin, end,
                             [&](auto row, auto line, auto first, auto last, auto at) {
                               const auto run = [&](auto from, auto to, auto known) {
                                 MASS_INDEPENDENT_LOOP
                                 for (std::int64_t x = from; x < to; ++x) {
                                   const auto near = around<P>(launch, in, at, row, line, x);
                                   const Cursor here(at, static_cast<Index>(x));
                                   P place = loadFor<Rule>(in, here, near);
                                   if constexpr (known == Known::initial) setInitial(place);
                                   if (known == Known::open || finishFor<Rule>(place, near, launch))
                                     change<P, Rule, W>(place, near, arguments);
                                   storePlace<P, W>(out, here, place);
                                 }
                               };
                               forEachStretch<P, Rule>(launch, in, at, row, line, first, last, run);
                               fillWrittenSides<P, W>(out, launch, row, line);
                             });
}

/// What a reading rule returns for the place at column x of a line.
template <class P, auto Rule, class Arguments>
MASS_FN inline auto read(const Launch& launch, const void* const* in, Index at, std::int64_t row,
                         std::int64_t line, std::int64_t x, const Arguments& arguments) {
  const auto near = around<P>(launch, in, at, row, line, x);
  P place = loadFor<Rule>(in, {at, static_cast<Index>(x)}, near);
  (void)finishFor<Rule>(place, near, launch);
  return apply<Rule>(std::as_const(place), near, arguments);
}

/// Writes what a reading rule returns for every place, in the order of the places' numbers.
template <class P, auto Rule>
MASS_FLATTEN void mapKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
  using Stored = Packed<T>;
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  const void* in[Slots<P>::components];
  std::copy_n(shared.in, Slots<P>::components, in);
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

/// How many running values a line is reduced in: a fixed number, so that the order of operations is
/// fixed too and yet leaves room for vectors.
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
  const void* in[Slots<P>::components];
  std::copy_n(shared.in, Slots<P>::components, in);
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
