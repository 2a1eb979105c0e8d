#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>

// Operations of reductions that yield several numbers in one pass.

namespace mass::detail {

/// Number of values of each of N categories: 0, 1, ..., N - 1. Others are not counted.
template <std::size_t N>
struct Tally {
  std::uint32_t counts[N] = {};  ///< counts in a line, which has fewer than 2^31 places

  Tally() = default;
  /// Tally of one value, an integer or an enum.
  template <class Category>
  MASS_FN explicit Tally(Category category) {
    const auto number = static_cast<std::int64_t>(category);
    for (std::size_t k = 0; k < N; ++k) counts[k] = number == static_cast<std::int64_t>(k) ? 1 : 0;
  }
};
/// Operation that counts values by category.
template <std::size_t N>
struct Count {
  template <class T>
  using Result = Tally<N>;
  template <class R>
  MASS_FN static R identity() {
    return {};
  }
  template <class R>
  MASS_FN R operator()(R a, const R& b) const {
    for (std::size_t k = 0; k < N; ++k) a.counts[k] += b.counts[k];
    return a;
  }
};

/// N numbers.
template <std::size_t N>
struct Values {
  double values[N];
};
/// Operation that reduces each of N numbers by Op.
template <class Op, std::size_t N>
struct Each {
  template <class T>
  using Result = T;
  template <class R>
  MASS_FN static R identity() {
    R result;
    for (std::size_t k = 0; k < N; ++k) result.values[k] = Op::template identity<double>();
    return result;
  }
  template <class R>
  MASS_FN R operator()(R a, const R& b) const {
    for (std::size_t k = 0; k < N; ++k) a.values[k] = Op{}(a.values[k], b.values[k]);
    return a;
  }
};

/// Edges of the bins of a histogram. An argument of the rule `binOf`, whose type names the member.
template <class Tag, std::size_t N>
struct BinEdges {
  double values[N];  ///< ascending
};
/// Names members by their RuleTags: argument of the rule `numbers`.
template <class... Tags>
struct Numbers {
  static constexpr std::size_t count = sizeof...(Tags);
};

/// Mean of all values; see mass::mean.
struct Mean {};

}  // namespace mass::detail
