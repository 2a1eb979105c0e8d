#pragma once

#include <mass/support/qualifiers.hpp>

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace mass {

namespace detail {
/// What a stream of random numbers depends on, and nothing else: never a thread, a device or a
/// history.
struct RandomKey {
  static constexpr std::uint64_t indices = std::uint64_t{1} << 40;
  static constexpr std::uint32_t populations = 1 << 8;

  std::uint64_t seed = 0;
  std::uint64_t index = 0;       ///< of the place (or agent), over all devices; < indices
  std::uint64_t step = 0;        ///< < 2^40
  std::uint32_t call = 0;        ///< which rule of the step; < 2^8
  std::uint32_t population = 0;  ///< which Places (or Agents) of the program; < populations
  std::uint32_t stream = 0;      ///< which generator of this call; < 2^8
};
}  // namespace detail

/// A counter-based generator: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, "Parallel random numbers:
/// as easy as 1, 2, 3", SC11), from the Random123 library. A UniformRandomBitGenerator; 2^26
/// numbers a stream.
class Random {
 public:
  using result_type = std::uint32_t;

  MASS_FN explicit Random(const detail::RandomKey& key)
      : key_{{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}},
        counter_{{static_cast<std::uint32_t>(key.index), static_cast<std::uint32_t>(key.step),
                  static_cast<std::uint32_t>(key.index >> 32 << 24) | (key.call & 0xffU) << 16 |
                      (key.population & 0xffU) << 8 | (key.stream & 0xffU),
                  static_cast<std::uint32_t>(key.step >> 32 << 24)}} {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// The next 32 random bits.
  MASS_FN result_type operator()() {
    if (used_ == 4) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_.v[3];
      used_ = 0;
    }
    return block_.v[used_++];
  }

  /// Uniform in [0, 1): 24 random bits for a float, 53 for a double.
  template <class Real = double>
  MASS_FN Real uniform() {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return static_cast<Real>((*this)() >> 8) * 0x1p-24F;
    } else {
      const std::uint64_t high = (*this)();
      return static_cast<Real>((high << 32 | (*this)()) >> 11) * 0x1p-53;
    }
  }

  /// True with the given probability (0: never, 1: always).
  MASS_FN bool bernoulli(double probability) { return uniform<double>() < probability; }

  /// A whole number in [0, bound), bound > 0, every one equally likely (Lemire, "Fast random
  /// integer generation in an interval", ACM TOMACS 29, 2019).
  MASS_FN std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{(*this)()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = std::uint64_t{(*this)()} * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// Normal with mean 0 and standard deviation 1 (Box & Muller 1958, the cosine branch).
  MASS_FN double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform<double>()));
    return radius * std::cos(6.283185307179586 * uniform<double>());
  }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  int used_ = 4;
};

}  // namespace mass
