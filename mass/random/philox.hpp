#pragma once

#include <mass/support/qualifiers.hpp>

// Leaves out the vector intrinsics of the compiler, which Philox does not use: 0.4 s of g++ 12.
#ifndef R123_USE_SSE
#define R123_USE_SSE 0
#endif
#include <Random123/philox.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace mass {

namespace detail {
/// Key of a stream of random numbers. The stream depends on nothing else, in particular not on
/// threads, devices or earlier streams.
struct RandomKey {
  static constexpr std::uint64_t indices = std::uint64_t{1} << 40;  ///< bound of `index`
  static constexpr std::uint32_t populations = 1 << 8;              ///< bound of `population`

  std::uint64_t seed = 0;   ///< seed of the run
  std::uint64_t index = 0;  ///< global index of the place, or identity of the agent; < indices
  std::uint64_t step = 0;   ///< step of the Places or Agents; < 2^40
  std::uint32_t call = 0;   ///< 0: changing, 1: reading rule; from 2: random(step, stream); < 2^8
  std::uint32_t population = 0;  ///< number of the Places or Agents in the program; < populations
  std::uint32_t stream = 0;      ///< number of the generator in its call; < 2^8
};
}  // namespace detail

/// Counter-based random number generator: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, "Parallel
/// random numbers: as easy as 1, 2, 3", SC11) of the Random123 library. A
/// UniformRandomBitGenerator. A stream has 2^26 numbers of 32 bits.
class Random {
 public:
  /// Type of the generated numbers.
  using result_type = std::uint32_t;

  /// Starts the stream of a key.
  MASS_FN explicit Random(const detail::RandomKey& key)
      : key_{{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}},
        counter_{{static_cast<std::uint32_t>(key.index), static_cast<std::uint32_t>(key.step),
                  static_cast<std::uint32_t>(key.index >> 32 << 24) | (key.call & 0xffU) << 16 |
                      (key.population & 0xffU) << 8 | (key.stream & 0xffU),
                  static_cast<std::uint32_t>(key.step >> 32 << 24)}} {}

  /// Returns the smallest number, 0.
  static constexpr result_type min() { return 0; }
  /// Returns the largest number, 2^32 - 1.
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// Returns the next 32 random bits.
  MASS_FN result_type operator()() {
    if (used_ == 4) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_.v[3];
      used_ = 0;
    }
    return block_.v[used_++];
  }

  /// Returns a uniform number in [0, 1) with 24 random bits for a float, 53 for a double. A float
  /// takes one number of the stream, a double two.
  template <class Real = double>
  MASS_FN Real uniform() {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return static_cast<Real>((*this)() >> 8) * 0x1p-24F;
    } else {
      const std::uint64_t high = (*this)();
      return static_cast<Real>((high << 32 | (*this)()) >> 11) * 0x1p-53;
    }
  }

  /// Returns true with the given probability in [0, 1]. Takes two numbers of the stream.
  MASS_FN bool bernoulli(double probability) { return uniform<double>() < probability; }

  /// Returns an unbiased uniform integer in [0, bound) (Lemire, "Fast random integer generation in
  /// an interval", ACM TOMACS 29, 2019). @pre bound > 0
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

  /// Returns an unbiased uniform integer in [0, count), for example an index. Takes the numbers of
  /// the stream that below() takes. @pre count > 0
  MASS_FN int pick(int count) { return static_cast<int>(below(static_cast<std::uint32_t>(count))); }

  /// Returns a normally distributed number with mean 0 and standard deviation 1 (Box & Muller, "A
  /// note on the generation of random normal deviates", Ann. Math. Statist. 29, 1958; the cosine
  /// branch). Takes four numbers of the stream. CPUs and GPUs may return different last bits, since
  /// it calls std::log and std::cos.
  /// @tparam Real type of the result, rounded from double
  template <class Real = double>
  MASS_FN Real normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform<double>()));
    return static_cast<Real>(radius * std::cos(6.283185307179586 * uniform<double>()));
  }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  int used_ = 4;
};

}  // namespace mass
