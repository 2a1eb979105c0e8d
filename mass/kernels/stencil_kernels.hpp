#pragma once

#include <mass/kernels/known_runs.hpp>
#include <mass/kernels/packed_neighbors.hpp>
#include <mass/kernels/rule_traits.hpp>
#include <mass/kernels/widened_lines.hpp>
#include <mass/launch/launch.hpp>
#include <mass/rules/loading.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/storing.hpp>
#include <mass/support/export.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mass {
namespace detail {

[[noreturn]] MASS_EXPORT void failWrite(std::string_view place, std::string_view member,
                                        int dimensions, const std::int64_t* coordinates);

/// Checks that a rule changed only attributes that it writes.
/// @throws UsageError if it changed another one
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

/// Calls body(row, line, begin, end, at) for the lines [begin, end) of a band; `at` is the index of
/// column 0. In a 1-D world, calls it once, with the rows as the columns of one line.
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

/// Returns the number of the place at a row of a 1-D world minus its row, for nodes of a network
/// whose rows are in another order. It takes the place of the column.
template <class P>
MASS_FN inline std::int64_t columnOfRow(const Launch& launch, std::int64_t row) {
  if constexpr (isNode<P>) {
    if (launch.links.numbers != nullptr) return launch.links.numbers[row] - (launch.firstRow + row);
  }
  return 0;
}

/// Returns the neighbourhood of the place at column x of a line.
template <class P>
MASS_FN inline Neighborhood<P> around(const Launch& launch, const void* const* in, Index at,
                                      std::int64_t row, std::int64_t line, std::int64_t x) {
  const Cursor here{at, static_cast<Index>(x)};
  if constexpr (P::dimensions == 1) return {launch, in, here, x, 0, columnOfRow<P>(launch, x)};
  return {launch, in, here, row, line, x};
}

/// Way in which a rule gets a place: as it is. Rules that stream have another one, which applies
/// their boundary conditions; see streaming/stream_policy.hpp.
template <auto Rule>
struct LoadPolicy {
  static_assert(!Traits<Rule>::streams, "include mass/kernels/streaming/stream_policy.hpp");

  /// Loads the place at `at`, which completeTogether() and completeEach() change afterwards.
  /// @tparam mayBeAtEnd true if the place may lie at a fixed end of its line
  template <bool mayBeAtEnd = true, class P>
  MASS_FN static P load(const void* const* in, Cursor at, const Neighborhood<P>&) {
    return loadPlace<P, LoadScope::all>(in, at);
  }
  /// Completes `Width` neighbouring places. @param near near(c) is the neighbourhood of place c
  template <int Width, class P, class Near>
  MASS_FN static void completeTogether(P*, Near&&) {}
  /// Completes a place. @return true if a changing rule applies to it
  template <class P>
  MASS_FN static bool completeEach(P&, const Neighborhood<P>&) {
    return true;
  }
  /// Checks a complete place in checked builds.
  template <class P>
  MASS_FN static void check(const P&, const Neighborhood<P>&) {}
};

/// Completes a loaded place. @return true if a changing rule applies to it
template <auto Rule, class P>
MASS_FN inline bool complete(P& place, const Neighborhood<P>& near) {
  LoadPolicy<Rule>::template completeTogether<1>(
      &place, [&](int) -> const Neighborhood<P>& { return near; });
  return LoadPolicy<Rule>::completeEach(place, near);
}
/// Returns the result of a reading rule for the place at `at`.
template <auto Rule, class P, class Arguments>
MASS_FN inline auto readFor(const void* const* in, Cursor at, const Neighborhood<P>& near,
                            const Arguments& arguments) {
  P place = LoadPolicy<Rule>::load(in, at, near);
  (void)complete<Rule>(place, near);
  return apply<Rule>(std::as_const(place), near, arguments);
}

/// Calls a changing rule on a place; checked builds check its writes and its flowCell().
template <class P, auto Rule, class W, class Arguments>
MASS_FN inline void change(P& place, const Neighborhood<P>& near, const Arguments& arguments) {
  if constexpr (checked) {
    LoadPolicy<Rule>::check(place, near);
    const P before = place;
    apply<Rule>(place, near, arguments);
    checkWrites<P, W>(before, place, near);
  } else {
    apply<Rule>(place, near, arguments);
  }
}

/// Runs a changing rule on the work units [begin, end) of a band.
template <class P, auto Rule, class W>
MASS_FLATTEN void changeKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  // Local copies without aliases: the loop keeps them in registers.
  Launch own = shared;
  const PackedNeighborsFor<P, Traits<Rule>::readsNeighbors> packed(own, begin, end);
  const Launch launch = own;
  const auto arguments = argumentsOf<Rule>(shared);
  LineArgumentsOf<Rule> lines(arguments, launch);
  const void* in[AttributeSlots<P>::components];
  void* out[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  std::copy_n(shared.out, AttributeSlots<P>::components, out);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const auto& given = lines.at(row, line);
        const auto run = [&](auto from, auto to, auto known) {
          MASS_INDEPENDENT_LOOP
          for (std::int64_t x = from; x < to; ++x) {
            const auto near = around<P>(launch, in, at, row, line, x);
            const Cursor here(at, static_cast<Index>(x));
            P place = LoadPolicy<Rule>::load(in, here, near);
            if constexpr (known == RunKind::initial) setInitial(place);
            const bool applies = known == RunKind::interior || complete<Rule>(place, near);
            if (applies) change<P, Rule, W>(place, near, given);
            storePlace<P, W>(out, here, place);
          }
        };
        const std::int64_t before = launch.columnsBefore;
        forEachRun<P, Rule>(launch, in, at, row, line, before + first, before + last, run);
        fillWrittenPadding<P, W>(out, launch, row, line);
      });
}

/// Returns the result of a reading rule for the place at column x of a line.
template <class P, auto Rule, class Arguments>
MASS_FN inline auto read(const Launch& launch, const void* const* in, Index at, std::int64_t row,
                         std::int64_t line, std::int64_t x, const Arguments& arguments) {
  const auto near = around<P>(launch, in, at, row, line, x);
  return readFor<Rule>(in, {at, static_cast<Index>(x)}, near, arguments);
}

/// Stores the results of a reading rule for every place of a band, in row-major order.
template <class P, auto Rule>
MASS_FLATTEN void mapKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
  using Stored = Packed<T>;
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  LineArgumentsOf<Rule> lines(arguments, launch);
  const void* in[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  auto* const results = static_cast<Stored*>(shared.results);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const Layout& layout = launch.layout;
        Stored* const ofLine = results + (row * layout.lines + line) * layout.columns;
        const auto& given = lines.at(row, line);
        for (std::int64_t x = first; x < last; ++x)
          ofLine[x] = static_cast<Stored>(read<P, Rule>(launch, in, at, row, line, x, given));
      });
}

/// Number of partial results in the reduction of a line. A constant: the order of operations is
/// fixed, and compilers vectorise.
inline constexpr std::int64_t lanes = 16;

/// Combines the running values of the lanes of a line with value(0), ..., value(count - 1).
/// @param first index in the line of value(0); its lane is `first` modulo `lanes`
template <class R, class Op, class Value>
MASS_FN inline void addToLanes(R* running, Op op, std::int64_t first, std::int64_t count,
                               Value&& value) {
  std::int64_t x = 0;
  for (; x < count && (first + x) % lanes != 0; ++x) {
    R& lane = running[(first + x) % lanes];
    lane = op(lane, static_cast<R>(value(x)));
  }
  for (; x + lanes <= count; x += lanes) {
    for (std::int64_t k = 0; k < lanes; ++k)
      running[k] = op(running[k], static_cast<R>(value(x + k)));
  }
  for (std::int64_t k = 0; x + k < count; ++k)
    running[k] = op(running[k], static_cast<R>(value(x + k)));
}

/// Returns the result of a line of which the lanes have all values.
template <class R, class Op>
MASS_FN inline R combineLanes(const R* running, Op op) {
  R total = running[0];
  for (std::int64_t k = 1; k < lanes; ++k) total = op(total, running[k]);
  return total;
}

/// Reduces the results of a reading rule to one value for each line, in an order that depends on
/// the length of the lines alone.
template <class P, auto Rule, class Op>
MASS_FLATTEN void reduceKernel(const Launch& shared, std::int64_t begin, std::int64_t end) {
  using R = typename Op::template Result<std::remove_cvref_t<typename Traits<Rule>::Result>>;
  const Launch launch = shared;
  const auto arguments = argumentsOf<Rule>(shared);
  LineArgumentsOf<Rule> ofLines(arguments, launch);
  const void* in[AttributeSlots<P>::components];
  std::copy_n(shared.in, AttributeSlots<P>::components, in);
  auto* const results = static_cast<R*>(shared.results);
  forEachLine<P::dimensions>(
      launch.layout, begin, end, [&](auto row, auto line, auto first, auto last, auto at) {
        const std::int64_t number = row * launch.layout.lines + line;
        // A part of a line continues with the values that the part before has left.
        R* const kept =
            launch.lanes == nullptr ? nullptr : static_cast<R*>(launch.lanes) + number * lanes;
        R running[lanes];
        const auto& given = ofLines.at(row, line);
        for (std::int64_t k = 0; k < lanes; ++k)
          running[k] = launch.firstColumn > 0 ? kept[k] : Op::template identity<R>();
        addToLanes(running, Op{}, launch.firstColumn, last - first, [&](std::int64_t x) {
          return read<P, Rule>(launch, in, at, row, line, first + x, given);
        });
        if (kept != nullptr) std::copy_n(running, lanes, kept);
        const bool isLast = launch.firstColumn + last == columnsOfLine(launch.domain);
        if (isLast) results[number] = combineLanes(running, Op{});
      });
}

}  // namespace detail
}  // namespace mass
