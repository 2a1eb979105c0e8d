#pragma once

// Where rules that move what is streamed within one buffer find it (see in_place.hpp).

#include <mass/memory/launch.hpp>
#include <mass/model/coming_back.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// A location for every component that is streamed.
template <class P>
struct Links {
  void* at[Slots<P>::components];

  template <class S>
  typename S::Stored* of(int k) const {
    return static_cast<typename S::Stored*>(at[S::first + static_cast<std::size_t>(k)]);
  }
};

/// Where the elements of a line's places, and of those around it, lie.
template <class P>
class LineOf {
  static constexpr int D = P::dimensions;

 public:
  LineOf(const Launch& launch, std::int64_t row, std::int64_t line)
      : launch_(launch), row_(row), line_(line) {}

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
      const RowBeyond& beyond = launch_.sending.beyond[row < 0 ? layout.depth - 1 : layout.depth];
      number += beyond.shift;
      data = beyond.out[component];
    }
    return static_cast<typename S::Stored*>(data) + number * S::bundle;
  }

  /// The locations that the places of the line find what has come in at odd steps: their own. To be
  /// counted on from column 0.
  Links<P> own() const {
    Links<P> links;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      links.at[S::first + k] = at<S>(oppositeOf<S>(k), {});
    });
    return links;
  }
  /// The same at even steps, of places that are open and at no end of the line.
  Links<P> across() const {
    Links<P> links;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      constexpr auto source = sourceOf<S>(k);
      links.at[S::first + k] = at<S>(k, source) + source[D - 1];
    });
    return links;
  }
  /// The same of the open place in column x, counted from there. `links` are those of across().
  Links<P> around(std::int64_t x, const Links<P>& links) const {
    Links<P> ours;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      constexpr int step = sourceOf<S>(k)[D - 1];
      ours.at[S::first + k] =
          links.template of<S>(k) + (wrapped(x + step, launch_.layout.columns) - step);
    });
    return ours;
  }
  /// The same of the place in column x, whatever it is.
  Links<P> around(std::int64_t x, const Links<P>& links, const P& place,
                  const Neighborhood<P>& near) const {
    Links<P> ours = around(x, links);
    const ComponentBits<P> back = comingBack(place, near, launch_.domain);
    if (back == 0) return ours;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      if ((back >> (S::first + k) & 1) != 0)
        ours.at[S::first + k] = at<S>(oppositeOf<S>(k), {}) + x;
    });
    return ours;
  }
  /// Brings what the open places at the ends of the line, if they are among columns [from, to),
  /// find at its other end to beside them, where across() leads.
  void bringEnds(std::int64_t from, std::int64_t to, const Links<P>& links) const {
    forEachEnd(from, to, links, [](auto& beside, auto& beyond) { beside = beyond; });
  }
  /// Brings what they have left there to where it belongs.
  void returnEnds(std::int64_t from, std::int64_t to, const Links<P>& links) const {
    forEachEnd(from, to, links, [](auto& beside, auto& beyond) { beyond = beside; });
  }

 private:
  template <class F>
  void forEachEnd(std::int64_t from, std::int64_t to, const Links<P>& links, F&& f) const {
    const std::int64_t columns = launch_.layout.columns;
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      constexpr int step = sourceOf<S>(k)[D - 1];
      auto* const line = links.template of<S>(k) - step;
      if (step < 0 && from == 0) f(line[-1], line[columns - 1]);
      if (step > 0 && to == columns) f(line[columns], line[0]);
    });
  }
  static std::int64_t wrapped(std::int64_t at, std::int64_t length) {
    return at < 0 ? at + length : at >= length ? at - length : at;
  }

  const Launch& launch_;
  std::int64_t row_, line_;
};

/// Gives a place what has come, from x after the links' locations.
template <class P>
inline void gather(P& place, const Links<P>& links, std::int64_t x) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    (place.*S::member)[k] = S::Form::decode(links.template of<S>(k)[x]);
  });
}
/// As many places as have an element in one cache line; one at least.
template <class P>
constexpr std::int64_t blockOf() {
  std::size_t largest = 1;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) largest = std::max(largest, sizeof(typename S::Stored));
  });
  return std::max<std::int64_t>(static_cast<std::int64_t>(64 / largest), 1);
}
template <class P>
constexpr std::size_t streamedElements() {
  std::size_t number = 0;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) number += S::count;
  });
  return number;
}
/// Where the elements of the place at x after the links' locations are.
template <class P>
inline auto locations(const Links<P>& links, std::int64_t x) {
  std::array<const void*, streamedElements<P>()> all;
  std::size_t number = 0;
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    all[number++] = links.template of<S>(k) + x;
  });
  return all;
}
/// Leaves there what goes the opposite ways.
template <class P>
inline void scatter(const P& place, const Links<P>& links, std::int64_t x) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    links.template of<S>(k)[x] = S::Form::encode((place.*S::member)[oppositeOf<S>(k)]);
  });
}

}  // namespace mass::detail
