#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// True for classes of places in space whose one attribute is a bool, stored as a byte. Kernels of
/// GPUs count the true bools around several such places at once.
template <class P>
constexpr bool isBoolInSpace() {
  bool isBool = P::dimensions == 3 && P::reach >= 1 && AttributeSlots<P>::components == 1;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    isBool = isBool && !S::isArray && !S::isConstant && std::is_same_v<typename S::Value, bool> &&
             sizeof(typename S::Stored) == 1;
  });
  return isBool;
}

/// Number of the 26 places around a place whose bool is true; none if the kernel has not counted.
template <class P, bool isCounted = onGpu&& isBoolInSpace<P>()>
struct BoxCount {
  static constexpr bool exists = false;
};
template <class P>
struct BoxCount<P, true> {
  std::uint8_t count = 0;
  bool exists = false;  // a constant after inlining
};

}  // namespace mass::detail
