#pragma once

// Where rules that move what is streamed within one buffer find it (see in_place.hpp).

#include <mass/kernels/bounce_back.hpp>
#include <mass/launch/launch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// A location for every component that is streamed.
template <class P>
struct AaAddresses {
  void* at[AttributeSlots<P>::components];

  template <class S>
  typename S::Stored* of(int k) const {
    return static_cast<typename S::Stored*>(at[S::first + static_cast<std::size_t>(k)]);
  }
};

/// The same of the next line of the row.
template <class P>
inline AaAddresses<P> nextLine(const AaAddresses<P>& aaAddresses, const Layout& layout) {
  AaAddresses<P> next;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      for (int k = 0; k < static_cast<int>(S::count); ++k)
        next.at[S::first + static_cast<std::size_t>(k)] =
            aaAddresses.template of<S>(k) + layout.pitch * S::interleave;
    }
  });
  return next;
}

/// Whether the places at the ends of a line go along: are beside nothing blocked, and not so.
struct Ends {
  bool first, last;
};

/// Where the elements of a line's places, and of those around it, lie.
template <class P>
class AaLine {
  static constexpr int D = P::dimensions;

 public:
  AaLine(const Launch& launch, std::int64_t row, std::int64_t line)
      : launch_(launch), row_(row), line_(line) {
    constexpr unsigned ofColumns = 3U << (2 * (D - 1));
    ends_ = fixedEndsAt(Here<D>(launch, row, line, 0)) & ~ofColumns;
  }

  /// Element k of slot S in column 0 of the line at an offset, whose last component does not count.
  template <class S>
  typename S::Stored* at(int k, const Offset<D>& offset) const {
    const Layout& layout = launch_.layout;
    const std::int64_t line = D == 3 ? wrapped(line_ + offset[1], layout.lines) : line_;
    const auto component = S::first + static_cast<std::size_t>(k);
    const std::int64_t row = row_ + offset[0];
    std::int64_t number = layout.at(row, line, 0);
    void* data = launch_.out[component];
    if (row < 0 || row >= layout.rows) {
      const RemoteRow& beyond = launch_.scatter.beyond[row < 0 ? layout.depth - 1 : layout.depth];
      number += beyond.shift;
      data = beyond.out[component];
    }
    return static_cast<typename S::Stored*>(data) + number * S::interleave;
  }

  /// The locations that the places of the line find what has come in at odd steps: their own. To be
  /// counted on from column 0.
  AaAddresses<P> own() const {
    AaAddresses<P> aaAddresses;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      aaAddresses.at[S::first + k] = at<S>(oppositeOf<S>(k), {});
    });
    return aaAddresses;
  }
  /// The same at even steps, of places that are beside nothing blocked; but for what comes from
  /// beyond the ends of the line, which bringEnds() brings there.
  AaAddresses<P> across() const {
    AaAddresses<P> aaAddresses;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      aaAddresses.at[S::first + k] = isBack<S>(k)
                                         ? at<S>(oppositeOf<S>(k), {})
                                         : at<S>(k, sourceOf<S>(k)) + sourceOf<S>(k)[D - 1];
    });
    return aaAddresses;
  }
  /// The same of the place in column x, whatever it is, counted from there. `links` are those of
  /// across().
  AaAddresses<P> around(std::int64_t x, const AaAddresses<P>& aaAddresses, const P& place,
                        const Neighborhood<P>& near) const {
    const ComponentBits<P> back = bounceBackMask(place, near);
    AaAddresses<P> ours;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      constexpr int step = sourceOf<S>(k)[D - 1];
      ours.at[S::first + k] =
          (back >> (S::first + k) & 1) != 0
              ? at<S>(oppositeOf<S>(k), {}) + x
              : aaAddresses.template of<S>(k) + (wrapped(x + step, launch_.layout.columns) - step);
    });
    return ours;
  }
  /// Brings what such places find beyond the line's ends, or has come back from there, to beside
  /// them, where across() leads.
  void bringEnds(Ends ends, const AaAddresses<P>& aaAddresses) const {
    forEachEnd(ends, aaAddresses, [](auto& beside, auto& beyond) { beside = beyond; });
  }
  /// Brings what they have left there to where it belongs.
  void returnEnds(Ends ends, const AaAddresses<P>& aaAddresses) const {
    forEachEnd(ends, aaAddresses, [](auto& beside, auto& beyond) { beyond = beside; });
  }

 private:
  /// Whether element k of slot S comes back to all places of the line.
  template <class S>
  bool isBack(int k) const {
    return (endsCrossed(sourceOf<S>(k)) & ends_) != 0;
  }
  template <class F>
  void forEachEnd(Ends ends, const AaAddresses<P>& aaAddresses, F&& f) const {
    const std::int64_t columns = launch_.layout.columns;
    const bool isFixed = launch_.domain.borders[D - 1] == Border::fixed;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      constexpr int step = sourceOf<S>(k)[D - 1];
      if (step == 0 || !(step < 0 ? ends.first : ends.last) || isBack<S>(k)) return;
      const std::int64_t end = step < 0 ? 0 : columns - 1;
      auto* const beside = aaAddresses.template of<S>(k) + end;
      f(*beside,
        isFixed ? at<S>(oppositeOf<S>(k), {})[end] : beside[step < 0 ? columns : -columns]);
    });
  }
  static std::int64_t wrapped(std::int64_t at, std::int64_t length) {
    return at < 0 ? at + length : at >= length ? at - length : at;
  }

  const Launch& launch_;
  std::int64_t row_, line_;
  unsigned ends_;  ///< at which of its fixed borders the world has the line, as fixedEndsAt says
};

/// Gives a place what has come, from x after the links' locations.
template <class P>
inline void gather(P& place, const AaAddresses<P>& aaAddresses, std::int64_t x) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    (place.*S::member)[k] = S::Form::decode(aaAddresses.template of<S>(k)[x]);
  });
}
/// As many places as have an element in one cache line; one at least.
template <class P>
constexpr std::int64_t blockOf() {
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
/// Where the elements of the place at x after the links' locations are.
template <class P>
inline auto locations(const AaAddresses<P>& aaAddresses, std::int64_t x) {
  std::array<const void*, streamedElements<P>()> all;
  std::size_t number = 0;
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    all[number++] = aaAddresses.template of<S>(k) + x;
  });
  return all;
}
/// Leaves there what goes the opposite ways.
template <class P>
inline void scatter(const P& place, const AaAddresses<P>& aaAddresses, std::int64_t x) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    aaAddresses.template of<S>(k)[x] = S::Form::encode((place.*S::member)[oppositeOf<S>(k)]);
  });
}

}  // namespace mass::detail
