#pragma once

// Addresses of streamed elements in the AA pattern on CPUs (see aa_pattern.hpp).

#include <mass/kernels/streaming/bounce_back.hpp>
#include <mass/launch/launch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Addresses of the streamed components of a place.
template <class P>
struct AaAddresses {
  void* at[AttributeSlots<P>::components];

  template <class S>
  typename S::Stored* of(int k) const {
    return static_cast<typename S::Stored*>(at[S::first + static_cast<std::size_t>(k)]);
  }
};

/// Returns the addresses for the next line of the row.
template <class P>
inline AaAddresses<P> nextLine(const AaAddresses<P>& addresses, const Layout& layout) {
  AaAddresses<P> next;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      for (int k = 0; k < static_cast<int>(S::count); ++k)
        next.at[S::first + static_cast<std::size_t>(k)] =
            addresses.template of<S>(k) + layout.pitch * S::interleave;
    }
  });
  return next;
}

/// True for the first and last place of a line if isRegular.
struct RegularEnds {
  bool first, last;
};

/// Computes the addresses of streamed elements of a line's places and of their neighbours.
template <class P>
class AaLine {
  static constexpr int D = P::dimensions;

 public:
  AaLine(const Launch& launch, std::int64_t row, std::int64_t line)
      : launch_(launch), row_(row), line_(line) {
    constexpr unsigned ofColumns = 3U << (2 * (D - 1));
    ends_ = fixedEndsAt(Here<D>(launch, row, line, 0)) & ~ofColumns;
  }

  /// Returns the address of element k of slot S in column 0 of the line at an offset, whose last
  /// component is ignored.
  template <class S>
  typename S::Stored* at(int k, const Offset<D>& offset) const {
    const Layout& layout = launch_.layout;
    const std::int64_t line = D == 3 ? wrapped(line_ + offset[1], layout.lines) : line_;
    const auto component = S::first + static_cast<std::size_t>(k);
    const std::int64_t row = row_ + offset[0];
    std::int64_t number = layout.at(row, line, 0);
    void* data = launch_.out[component];
    if (row < 0 || row >= layout.rows) {
      const RemoteRow& remote =
          launch_.scatter.remoteRows[row < 0 ? layout.depth - 1 : layout.depth];
      number += remote.shift;
      data = remote.out[component];
    }
    return static_cast<typename S::Stored*>(data) + number * S::interleave;
  }

  /// Returns the addresses, for column 0, of the elements that a place reads at odd steps: its own.
  AaAddresses<P> oddAddresses() const {
    AaAddresses<P> addresses;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      addresses.at[S::first + k] = at<S>(oppositeOf<S>(k), {});
    });
    return addresses;
  }
  /// Returns the addresses, for column 0, of the elements that a regular place reads at even steps:
  /// those of the sources. If a source lies beyond the line's end, the address is in the padding,
  /// which loadLineEnds() fills.
  AaAddresses<P> evenAddresses() const {
    AaAddresses<P> addresses;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      addresses.at[S::first + k] = isBack<S>(k) ? at<S>(oppositeOf<S>(k), {})
                                                : at<S>(k, sourceOf<S>(k)) + sourceOf<S>(k)[D - 1];
    });
    return addresses;
  }
  /// Returns the addresses of the elements that the place in column x reads at even steps, regular
  /// or not.
  /// @param addresses result of evenAddresses()
  AaAddresses<P> evenAddressesAt(std::int64_t x, const AaAddresses<P>& addresses, const P& place,
                                 const Neighborhood<P>& near) const {
    const ComponentBits<P> back = bounceBackMask(place, near);
    AaAddresses<P> ours;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      constexpr int step = sourceOf<S>(k)[D - 1];
      ours.at[S::first + k] =
          (back >> (S::first + k) & 1) != 0
              ? at<S>(oppositeOf<S>(k), {}) + x
              : addresses.template of<S>(k) + (wrapped(x + step, launch_.layout.columns) - step);
    });
    return ours;
  }
  /// Copies the elements that regular end places receive from beyond the line's ends, or by
  /// bounce-back there, into the padding.
  void loadLineEnds(RegularEnds ends, const AaAddresses<P>& addresses) const {
    forEachLineEnd(ends, addresses, [](auto& beside, auto& beyond) { beside = beyond; });
  }
  /// Copies the elements that these places have stored in the padding back to their addresses.
  void storeLineEnds(RegularEnds ends, const AaAddresses<P>& addresses) const {
    forEachLineEnd(ends, addresses, [](auto& beside, auto& beyond) { beyond = beside; });
  }

 private:
  /// True if element k of slot S bounces back in all places of the line.
  template <class S>
  bool isBack(int k) const {
    return (endsCrossed(sourceOf<S>(k)) & ends_) != 0;
  }
  template <class F>
  void forEachLineEnd(RegularEnds ends, const AaAddresses<P>& addresses, F&& f) const {
    const std::int64_t columns = launch_.layout.columns;
    const bool isFixed = launch_.domain.borders[D - 1] == Border::fixed;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      constexpr int step = sourceOf<S>(k)[D - 1];
      if (step == 0 || !(step < 0 ? ends.first : ends.last) || isBack<S>(k)) return;
      const std::int64_t end = step < 0 ? 0 : columns - 1;
      auto* const beside = addresses.template of<S>(k) + end;
      f(*beside,
        isFixed ? at<S>(oppositeOf<S>(k), {})[end] : beside[step < 0 ? columns : -columns]);
    });
  }
  static std::int64_t wrapped(std::int64_t at, std::int64_t length) {
    return at < 0 ? at + length : at >= length ? at - length : at;
  }

  const Launch& launch_;
  std::int64_t row_, line_;
  unsigned ends_;  ///< mask of the fixed borders at which the line lies, as in fixedEndsAt
};

/// Loads the streamed elements of a place from `addresses` + x.
template <class P>
inline void gather(P& place, const AaAddresses<P>& addresses, std::int64_t x) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    (place.*S::member)[k] = S::Form::decode(addresses.template of<S>(k)[x]);
  });
}
/// Returns the number of places whose largest streamed elements fill one cache line; at least 1.
template <class P>
constexpr std::int64_t placesPerBlock() {
  std::size_t largest = 1;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) largest = std::max(largest, sizeof(typename S::Stored));
  });
  return std::max<std::int64_t>(static_cast<std::int64_t>(64 / largest), 1);
}
template <class P>
constexpr std::size_t streamedElements() {
  std::size_t number = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) number += S::count;
  });
  return number;
}
/// Returns the addresses of the streamed elements of the place at `addresses` + x.
template <class P>
inline auto addressesAt(const AaAddresses<P>& addresses, std::int64_t x) {
  std::array<const void*, streamedElements<P>()> all;
  std::size_t number = 0;
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    all[number++] = addresses.template of<S>(k) + x;
  });
  return all;
}
/// Stores each element of a place at the address, + x, from which it loaded the opposite element.
template <class P>
inline void scatter(const P& place, const AaAddresses<P>& addresses, std::int64_t x) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    addresses.template of<S>(k)[x] = S::Form::encode((place.*S::member)[oppositeOf<S>(k)]);
  });
}

}  // namespace mass::detail
