#pragma once

// Rules that count living neighbours, on words with a bit for each place: words of GPUs, or vectors
// of words of CPUs.

#include <mass/launch/bool_table.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Bitwise functions of words of type W.
template <class W>
struct Logic {
  /// Returns a function of three words. @param function without state
  template <class Function>
  MASS_FN static W combine(Function function, W a, W b, W c) {
    return function(a, b, c);
  }
};

/// Returns the sum of three bits without its carry.
template <class W>
MASS_FN inline W oddOf(W a, W b, W c) {
  return Logic<W>::combine([](auto x, auto y, auto z) { return x ^ y ^ z; }, a, b, c);
}
/// Returns the carry of the sum of three bits.
template <class W>
MASS_FN inline W majorityOf(W a, W b, W c) {
  return Logic<W>::combine([](auto x, auto y, auto z) { return (x & y) | (z & (x | y)); }, a, b, c);
}
/// Returns the bits of `one` where `condition` is set, of `zero` elsewhere.
template <class W>
MASS_FN inline W select(W condition, W one, W zero) {
  return Logic<W>::combine([](auto x, auto y, auto z) { return (x & y) | (~x & z); }, condition,
                           one, zero);
}

/// Sum of three neighbouring states of a row: one + 2 two.
template <class W>
struct RowSum {
  W one, two;

  /// Returns the sum of the states `before`, at, and `after` a place.
  MASS_FN static RowSum of(W before, W own, W after) {
    return {oddOf(before, own, after), majorityOf(before, own, after)};
  }
};

/// Sum of the nine states of a place and its neighbours: one + 2 (two + alsoTwo) + 4 four.
template <class W>
struct NineSum {
  W one, two, alsoTwo, four;

  /// Returns the sum of three rows.
  MASS_FN static NineSum of(const RowSum<W>& a, const RowSum<W>& b, const RowSum<W>& c) {
    return {oddOf(a.one, b.one, c.one), majorityOf(a.one, b.one, c.one), oddOf(a.two, b.two, c.two),
            majorityOf(a.two, b.two, c.two)};
  }
};

/// Conway's rule, B3/S23: true for a sum of three, kept for a sum of four.
template <class W>
struct Conway {
  static constexpr LifeCounts counts{1U << 3U, 1U << 2U | 1U << 3U};

  MASS_FN explicit Conway(const LifeCounts& /*counts*/) {}
  MASS_FN W operator()(W own, const NineSum<W>& sum) const {
    const W isThree =
        Logic<W>::combine([](auto two, auto alsoTwo, auto four) { return (two ^ alsoTwo) & ~four; },
                          sum.two, sum.alsoTwo, sum.four);
    const W isFour = Logic<W>::combine(
        [](auto two, auto alsoTwo, auto four) {
          return (~(two | alsoTwo) & four) | (two & alsoTwo & ~four);
        },
        sum.two, sum.alsoTwo, sum.four);
    return select<W>(sum.one, isThree, own & isFour);
  }
};

/// Any rule that counts, by selection among the results for each sum.
template <class W>
class AnyCounts {
 public:
  MASS_FN explicit AnyCounts(const LifeCounts& counts) {
    for (unsigned sum = 0; sum < sums; ++sum) {
      const bool survives = sum > 0 && (counts.survival >> (sum - 1) & 1U) != 0;
      results_[sum] = {allOf(survives), allOf((counts.birth >> sum & 1U) != 0)};
    }
  }
  MASS_FN W operator()(W own, const NineSum<W>& sum) const {
    const W isTwo = sum.two ^ sum.alsoTwo;
    const W isFour =
        Logic<W>::combine([](auto two, auto alsoTwo, auto four) { return (two & alsoTwo) ^ four; },
                          sum.two, sum.alsoTwo, sum.four);
    const W isEight =
        Logic<W>::combine([](auto two, auto alsoTwo, auto four) { return two & alsoTwo & four; },
                          sum.two, sum.alsoTwo, sum.four);
    const W low = select<W>(isTwo, ofPair(own, sum, 2), ofPair(own, sum, 0));
    const W high = select<W>(isTwo, ofPair(own, sum, 6), ofPair(own, sum, 4));
    return select<W>(isEight, ofPair(own, sum, 8), select<W>(isFour, high, low));
  }

 private:
  static constexpr unsigned sums = 10;
  /// Results for true and for false places.
  struct Result {
    W own, other;
  };

  MASS_FN static W allOf(bool bit) { return W{} - (bit ? 1U : 0U); }
  MASS_FN W resultOf(W own, int sum) const {
    return select<W>(own, results_[sum].own, results_[sum].other);
  }
  /// Returns the result for the sums `even` and `even` + 1.
  MASS_FN W ofPair(W own, const NineSum<W>& sum, int even) const {
    return select<W>(sum.one, resultOf(own, even + 1), resultOf(own, even));
  }

  Result results_[sums];
};

}  // namespace mass::detail
