#pragma once

#include <mass/kernels/events/band_work.hpp>
#include <mass/kernels/events/in_order.hpp>
#include <mass/partition/grid_neighbors.hpp>
#include <mass/rules/loading.hpp>
#include <mass/rules/type_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mass::detail {

/// Calls f(index in the buffers, number) for each place of a band that is in a device's rows.
template <class F>
void forEachOfBand(const EventBand& band, const PlaceFields& fields, int device, F&& f) {
  const Layout& layout = fields.layout(device);
  const std::int64_t perRow = layout.lines * layout.columns;
  const RowRange rows = fields.partition().range(device);
  const std::int64_t first = rows.begin * perRow;
  const std::int64_t firstOfBand = band.firstPlace;
  const std::int64_t begin = std::max(first, firstOfBand);
  const std::int64_t end = std::min(rows.end * perRow, firstOfBand + band.places);
  for (std::int64_t place = begin; place < end; ++place) {
    const std::int64_t inRow = (place - first) % perRow;
    f(layout.at((place - first) / perRow, inRow / layout.columns, inRow % layout.columns),
      static_cast<std::int32_t>(place - firstOfBand));
  }
}

/// Copies the states of a band's places from the fields.
template <class P>
void loadBand(EventBand& band, const PlaceFields& fields, int device) {
  P* const states = reinterpret_cast<P*>(band.start.data());
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    for (std::size_t k = 0; k < S::count; ++k) {
      const auto* const data = static_cast<const typename S::Stored*>(
          fields.frontBuffer(static_cast<int>(S::first + k), device));
      forEachOfBand(band, fields, device, [&](std::int64_t index, std::int32_t place) {
        const typename S::Element value = S::Form::decode(data[index]);
        if constexpr (S::isArray) {
          (states[place].*S::member)[k] = value;
        } else {
          states[place].*S::member = value;
        }
      });
    }
  });
}

/// Copies the states of a band's places to the fields.
template <class P>
void storeBand(const EventBand& band, const PlaceFields& fields, int device) {
  const P* const states = reinterpret_cast<const P*>(band.start.data());
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    for (std::size_t k = 0; k < S::count && !S::isConstant; ++k) {
      auto* const data = static_cast<typename S::Stored*>(
          fields.frontBuffer(static_cast<int>(S::first + k), device));
      forEachOfBand(band, fields, device, [&](std::int64_t index, std::int32_t place) {
        if constexpr (S::isArray) {
          data[index] = S::Form::encode((states[place].*S::member)[k]);
        } else {
          data[index] = S::Form::encode(states[place].*S::member);
        }
      });
    }
  });
}

/// Lets the immediate events of all places happen before a window.
template <class P, class Arguments>
void beginBand(EventBand& band, const void* arguments) {
  if constexpr (Channels<P>::immediates > 0) {
    P* const states = reinterpret_cast<P*>(band.start.data());
    for (std::int32_t place = 0; place < band.places; ++place)
      band.noteFault(place,
                     happenImmediately(states[place], *static_cast<const Arguments*>(arguments)));
  }
}

/// Returns the attributes of a place, as "calcium 3, buffer 0".
template <class P>
std::string attributesText(const P& state) {
  std::string text;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (!S::isArray && std::is_arithmetic_v<typename S::Element>) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", memberName<S::member>(),
                          state.*S::member);
    }
  });
  return text;
}

/// Returns the message of the fault of a place: executes it again.
template <class P, class Arguments>
std::string describeFault(EventBand& band, const EventWindow& window, const void* arguments,
                          std::int32_t place) {
  using C = Channels<P>;
  const EventView view = viewOf(band, window);
  EventScratch scratch = scratchOf(band);
  PlaceContext<P, Arguments, FaultRecord<P>> context(
      view, *static_cast<const Arguments*>(arguments), place, scratch.strips);
  executePlace(view, place, PlaceSources(view, place), context, scratch);
  const FaultRecord<P>& record = context.faults();
  std::string name;
  const bool isRate = record.fault() == EventFault::invalidRate;
  if (isRate) {
    atIndex<0, C::events>(record.channel(), [&](auto event) {
      name = memberName<C::template EventAt<event>::rate>();
    });
  } else {
    atIndex<0, C::hops>(record.channel(),
                        [&](auto hop) { name = memberName<C::template HopAt<hop>::count>(); });
  }
  const double seconds =
      (static_cast<double>(window.number) + record.tick() * 0x1p-32) * window.seconds;
  const std::string at = fmt::format("{:.9g} s, with {}", seconds, attributesText(record.state()));
  switch (record.fault()) {
    case EventFault::invalidRate:
      return fmt::format("the rate '{}' is {} 1/s at {}; a rate is at least 0 and finite", name,
                         record.value(), at);
    case EventFault::negativeCount:
      return fmt::format("an event made the number of particles '{}' negative at {}", name, at);
    case EventFault::tooMany:
      return fmt::format("there are 2^31 - 1 particles '{}' at {}; no place can have more", name,
                         at);
    case EventFault::endless:
      return fmt::format(
          "events of mass::whenever happened 10^6 times at {}; their changes must "
          "make the conditions false",
          at);
    case EventFault::none:
      break;
  }
  return {};
}

/// Returns the rates by place, in row-major order, and direction.
/// @param rate function of the coordinates of a place and of an adjacent one
template <int D, class Rate>
std::vector<double> hopRatesBy(const Shape<D>& shape, const std::array<Border, 3>& borders,
                               const Rate& rate) {
  GridNeighbors grid{D, {1, 1, 1}, borders};
  for (int axis = 0; axis < D; ++axis) grid.shape[static_cast<std::size_t>(axis)] = shape[axis];
  std::vector<double> rates;
  rates.reserve(static_cast<std::size_t>(2 * D * count(shape)));
  for (std::int64_t place = 0; place < count(shape); ++place) {
    for (int k = 0; k < 2 * D; ++k) {
      const std::int64_t next = grid.of(place, k);
      rates.push_back(next < 0 ? 0.0
                               : rate(coordinatesOf(place, shape), coordinatesOf(next, shape)));
    }
  }
  return rates;
}

/// Returns the functions of class P for arguments of some types.
template <class P, class Arguments>
EventKernel eventKernel() {
  EventKernel kernel;
  kernel.placeBytes = sizeof(P);
  forEachIndex<Channels<P>::hops>([&](auto hop) {
    kernel.hops.emplace_back(memberName<Channels<P>::template HopAt<hop>::count>());
  });
  forEachIndex<Channels<P>::events>([&](auto event) {
    kernel.events.emplace_back(memberName<Channels<P>::template EventAt<event>::change>());
  });
  kernel.load = &loadBand<P>;
  kernel.store = &storeBand<P>;
  kernel.begin = &beginBand<P, Arguments>;
  kernel.draw = [](EventBand& band, const EventWindow& window, const void* arguments) {
    BandWork<P, Arguments>(band, window, arguments).draw();
  };
  kernel.executeAll = [](EventBand& band, const EventWindow& window, const void* arguments) {
    BandWork<P, Arguments>(band, window, arguments).executeAll();
  };
  kernel.executeMarked = [](EventBand& band, const EventWindow& window, const void* arguments) {
    BandWork<P, Arguments>(band, window, arguments).executeMarked();
  };
  kernel.executeInOrder = [](EventBand& band, const EventWindow& window, const void* arguments) {
    std::size_t capacity = 64;
    while (!executeInOrder<P>(band, window, *static_cast<const Arguments*>(arguments), capacity))
      capacity *= 2;
  };
  kernel.describe = &describeFault<P, Arguments>;
  return kernel;
}

}  // namespace mass::detail
