#pragma once

// Templates of Places that return results of rules.

namespace mass {

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduceRows(Op op, Args&&... args) const {
  static_assert(dimensions > 1, "reduceRows is for places in 2 or 3 dimensions; use map in 1-D");
  if constexpr (!detail::isReduction<P, P, Rule, Op, Args...>()) {
    return 0;
  } else {
    using R =
        typename Op::template Result<std::remove_cvref_t<typename detail::Traits<Rule>::Result>>;
    const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    detail::Kernel kernel = detail::lineReductionKernel<P, Rule, Op>(arguments);
    const auto lines = read<detail::Packed<R>>(kernel, linesPerRow());
    const auto perRow = static_cast<std::size_t>(linesPerRow());
    std::vector<R> rows;
    for (std::size_t first = 0; first < lines.size(); first += perRow) {
      R result = Op::template identity<R>();
      for (std::size_t i = first; i < first + perRow; ++i)
        result = op(result, static_cast<R>(lines[i]));
      rows.push_back(result);
    }
    return rows;
  }
}

template <class P>
template <auto Rule, class Op, class... Args>
auto Places<P>::reduce(Op op, Args&&... args) const {
  if constexpr (!detail::isReduction<P, P, Rule, Op, Args...>()) {
    return 0;
  } else {
    using T = std::remove_cvref_t<typename detail::Traits<Rule>::Result>;
    using R = typename Op::template Result<T>;
    const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    detail::Ranks& ranks = fields().devices().ranks();
    if constexpr (dimensions == 1) {
      // A 1-D world is a single line, which partitions split, so the host reduces its values.
      detail::Kernel kernel = detail::mappingKernel<P, Rule>(arguments);
      // Operations on integers are exact, so that the order of their operands has no effect.
      if (!std::is_integral_v<R> && fields().areOrdered())
        return detail::reduceLine<R, T>(op, read<detail::Packed<T>>(kernel, 1));
      const auto values = readLocal<detail::Packed<T>>(kernel, 1);
      return detail::reduceOnRanks<R, T>(ranks, op, detail::localRows(fields()).begin, values);
    } else {
      detail::Kernel kernel = detail::lineReductionKernel<P, Rule, Op>(arguments);
      if (fields().areBlocks())
        return detail::reduceLines<R>(op, read<detail::Packed<R>>(kernel, linesPerRow()));
      return detail::reduceLinesOnRanks<R>(ranks, op,
                                           readLocal<detail::Packed<R>>(kernel, linesPerRow()));
    }
  }
}

template <class P>
template <auto Rule, std::size_t categories, class... Args>
std::array<std::int64_t, categories> Places<P>::count(Args&&... args) const {
  static_assert(categories <= 32, "count has at most 32 categories");
  std::array<std::int64_t, categories> counts{};
  if constexpr (detail::isCountOf<P, P, Rule, Args...>()) {
    const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    if constexpr (dimensions == 1) {
      using T = std::remove_cvref_t<typename detail::Traits<Rule>::Result>;
      detail::Kernel kernel = detail::mappingKernel<P, Rule>(arguments);
      detail::addCounts(counts, readLocal<detail::Packed<T>>(kernel, 1));
    } else {
      using Op = detail::Count<categories>;
      detail::Kernel kernel = detail::lineReductionKernel<P, Rule, Op>(arguments);
      for (const auto& line : readLocal<detail::Tally<categories>>(kernel, linesPerRow()))
        for (std::size_t k = 0; k < categories; ++k) counts[k] += line.counts[k];
    }
    detail::addRanks(fields().devices().ranks(), counts);
  }
  return counts;
}

template <class P>
template <auto Rule, class... Args>
auto Places<P>::map(Args&&... args) const {
  if constexpr (!detail::isReading<P, P, Rule, Args...>()) {
    return std::vector<int>{};
  } else {
    using T = std::remove_cvref_t<typename detail::Traits<Rule>::Result>;
    const auto arguments = argumentsFor<Rule>(std::forward<Args>(args)...);
    detail::Kernel kernel = detail::mappingKernel<P, Rule>(arguments);
    auto values = read<detail::Packed<T>>(kernel, size() / rows());
    if constexpr (std::is_same_v<T, bool>) {
      return std::vector<bool>(values.begin(), values.end());
    } else {
      return values;
    }
  }
}

}  // namespace mass
