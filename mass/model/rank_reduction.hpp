#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/kernels/stencil_kernels.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace mass::detail {

// Reductions of values of which each rank has a part. All ranks call these functions together; they
// hand running values from rank to rank, so that the bits are those of one rank.

/// Adds values of a single line to its lanes. @param first index of the first one in the line
template <class R, class T, class Op>
void addLine(std::array<R, lanes>& running, Op op, std::int64_t first,
             const std::vector<Packed<T>>& values) {
  addToLanes(running.data(), op, first, static_cast<std::int64_t>(values.size()),
             [&](std::int64_t i) { return static_cast<T>(values[static_cast<std::size_t>(i)]); });
}

/// Reduces the values of a single line, which all ranks have, in the order of reduceKernel().
/// @tparam T type of the values as a rule returns them
template <class R, class T, class Op>
R reduceLine(Op op, const std::vector<Packed<T>>& values) {
  std::array<R, lanes> running;
  running.fill(Op::template identity<R>());
  addLine<R, T>(running, op, 0, values);
  return combineLanes(running.data(), op);
}

/// Reduces the values of a single line, in the order of reduceKernel().
/// @tparam T type of the values as a rule returns them
/// @param first index of the first value of this rank among all
/// @param values values of this rank
template <class R, class T, class Op>
R reduceOnRanks(Ranks& ranks, Op op, std::int64_t first, const std::vector<Packed<T>>& values) {
  static_assert(std::is_trivially_copyable_v<R>);
  std::array<R, lanes> running;
  running.fill(Op::template identity<R>());
  ranks.chain(running.data(), sizeof(running), [&] { addLine<R, T>(running, op, first, values); });
  return combineLanes(running.data(), op);
}

/// Reduces the results of lines, one after the other, that follow others.
/// @param before result of the lines before
template <class R, class Op>
R reduceLines(Op op, const std::vector<Packed<R>>& lines, R before = Op::template identity<R>()) {
  for (const auto& value : lines) before = op(before, static_cast<R>(value));
  return before;
}

/// Reduces the results of lines, one after the other. @param lines results of this rank
template <class R, class Op>
R reduceLinesOnRanks(Ranks& ranks, Op op, const std::vector<Packed<R>>& lines) {
  static_assert(std::is_trivially_copyable_v<R>);
  R total = Op::template identity<R>();
  ranks.chain(&total, sizeof(total), [&] { total = reduceLines<R>(op, lines, total); });
  return total;
}

/// Adds the values of this rank to the counts of their categories.
template <std::size_t N, class T>
void addCounts(std::array<std::int64_t, N>& counts, const std::vector<T>& values) {
  for (const T& value : values) {
    const auto category = static_cast<std::size_t>(value);  // below 0: a large number
    if (category < N) ++counts[category];
  }
}
/// Adds the counts of all ranks.
template <std::size_t N>
void addRanks(Ranks& ranks, std::array<std::int64_t, N>& counts) {
  for (auto& count : counts)
    count = static_cast<std::int64_t>(ranks.sum(static_cast<std::uint64_t>(count)));
}

}  // namespace mass::detail
