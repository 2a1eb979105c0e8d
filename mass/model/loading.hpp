#pragma once

// How places are got from the buffers.

#include <mass/model/attributes.hpp>
#include <mass/model/cursor.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>

namespace mass::detail {

/// The element of slot S at a place.
template <class S>
MASS_FN inline auto loadElement(const void* data, Cursor at) -> typename S::Element {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { S::Form::decodeOne(0U, 0); }) {
    if (at.isOfTwo()) return S::Form::decodeOne(at.loadTwo(data, S::bundle), at.lane);
  }
#endif
  return S::Form::decode(at.load<typename S::Stored>(data, S::bundle));
}

template <class S>
MASS_FN inline void storeElement(void* data, Cursor at, const typename S::Element& value) {
  static_cast<typename S::Stored*>(data)[at.number(S::bundle)] = S::Form::encode(value);
}

/// Which attributes of places are of use to a rule: all of its own place, but of another one
/// neither bags, nor what is streamed elsewhere; and of one that receives what is streamed, only
/// the rest.
enum class Whose { own, others, receivers };

/// The place at `at`, as a value. Loads that the caller makes no use of vanish. (But loads that it
/// may repeat do not: what is received is therefore not loaded.)
template <class P, Whose whose = Whose::own>
MASS_FN inline P loadPlace(const void* const* components, Cursor at) {
  P place;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    constexpr bool isBagOfOther = isBag<typename S::Value> && whose == Whose::others;
    if constexpr (isBagOfOther || (S::isStreamed && whose == Whose::receivers)) {
    } else if constexpr (S::isArray) {
      for (std::size_t k = 0; k < S::count; ++k) {
        (place.*S::member)[k] = loadElement<S>(components[S::first + k], at);
      }
    } else {
      place.*S::member = loadElement<S>(components[S::first], at);
    }
  });
  return place;
}

/// Where the lines around a place begin that are not where the device's layout has them: by rows,
/// from `Reach` before the place's to as many after it.
template <int Reach>
struct LinesNear {
  Index rows[static_cast<std::size_t>(2 * Reach + 1)];  ///< the place's own line in each of them
  Index pitch;                                          ///< from line to line
};

}  // namespace mass::detail
