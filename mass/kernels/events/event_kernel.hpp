#pragma once

#include <mass/kernels/events/band_work.hpp>
#include <mass/kernels/events/fault_message.hpp>
#include <mass/kernels/events/in_order.hpp>
#include <mass/rules/type_name.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mass::detail {

/// Calls f(index in the buffers, place) for each place of a range that is in a device's rows.
/// @param places numbers in the world, row-major
template <class F>
void forEachOfRange(RowRange places, const PlaceFields& fields, int device, F&& f) {
  const Layout& layout = fields.layout(device);
  const std::int64_t perRow = layout.lines * layout.columns;
  const RowRange rows = fields.rows(device);
  const std::int64_t first = rows.begin * perRow;
  const std::int64_t begin = std::max(first, places.begin);
  const std::int64_t end = std::min(rows.end * perRow, places.end);
  for (std::int64_t place = begin; place < end; ++place) {
    const std::int64_t inRow = (place - first) % perRow;
    f(layout.at((place - first) / perRow, inRow / layout.columns, inRow % layout.columns), place);
  }
}
/// Likewise for the places of a band, by their local numbers.
template <class F>
void forEachOfBand(const EventBand& band, const PlaceFields& fields, int device, F&& f) {
  const std::int64_t first = band.firstPlace;
  forEachOfRange({first, first + band.places}, fields, device,
                 [&](std::int64_t index, std::int64_t place) {
                   f(index, static_cast<std::int32_t>(place - first));
                 });
}

/// Returns the numbers of particles of each kind that hops in some places of a device.
/// @param places see forEachOfRange()
template <class P>
std::vector<ParticleCount> particlesIn(RowRange places, const PlaceFields& fields, int device) {
  std::vector<ParticleCount> particles;
  forEachIndex<Channels<P>::hops>([&](auto hop) {
    using Hop = typename Channels<P>::template HopAt<hop>;
    const auto component = AttributeSlotFor<P, Hop::member>::first + std::size_t{Hop::index};
    const auto* const counts =
        static_cast<const std::int32_t*>(fields.frontBuffer(static_cast<int>(component), device));
    ParticleCount count;
    forEachOfRange(places, fields, device, [&](std::int64_t index, std::int64_t /*place*/) {
      count.add({counts[index], counts[index]});
    });
    particles.push_back(count);
  });
  return particles;
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
/// @return own place at which they do not end; -1: none
template <class P, class Arguments>
std::int32_t beginBand(EventBand& band, const void* arguments) {
  if constexpr (Channels<P>::immediates > 0) {
    P* const states = reinterpret_cast<P*>(band.start.data());
    for (std::int32_t place = 0; place < band.places; ++place) {
      band.faults[static_cast<std::size_t>(place)] =
          happenImmediately(states[place], *static_cast<const Arguments*>(arguments));
      if (band.faults[static_cast<std::size_t>(place)] != EventFault::none) return place;
    }
  }
  return -1;
}

/// Work of a place in which nothing can happen, relative to a place without candidates.
inline constexpr float costAtRest = 1 / 16.0F;
/// Estimates the work of each place of a band, see EventKernel::costs.
template <class P, class Arguments>
void estimateCosts(const EventBand& band, const EventWindow& window, const void* arguments,
                   float* costs) {
  const EventView view = viewOf(band, window);
  for (std::int32_t place = 0; place < band.places; ++place) {
    const PlaceDraw<P, Arguments> draw(view, *static_cast<const Arguments*>(arguments), place);
    costs[place] = draw.isAtRest() ? costAtRest : 1 + static_cast<float>(draw.expected());
  }
}

/// Returns the attributes of a place that are single numbers, as "calcium 3, buffer 0".
template <class P>
std::string attributesText(const P& state) {
  std::string text;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (!S::isArray && std::is_arithmetic_v<typename S::Element>)
      text += attributeText(memberName<S::member>(), static_cast<double>(state.*S::member),
                            text.empty());
  });
  return text;
}

/// Returns the name of a channel: of the particles that hop, or of the rate.
template <class P>
std::string nameOfChannel(int channel) {
  using C = Channels<P>;
  std::string name;
  if (channel < C::hops) {
    atIndex<0, C::hops>(channel, [&](auto hop) { name = C::template HopAt<hop>::name(); });
  } else {
    atIndex<0, C::events>(channel - C::hops, [&](auto event) {
      name = memberName<C::template EventAt<event>::rate>();
    });
  }
  return name;
}

/// Returns the message of a place that would have too many candidates at the start of a window.
template <class P, class Arguments>
std::string describeTooFast(const EventView& view, const void* arguments, std::int32_t place,
                            double seconds, const P& state) {
  const PlaceDraw<P, Arguments> draw(view, *static_cast<const Arguments*>(arguments), place, state);
  int fastest = 0;
  for (int channel = 1; channel < Channels<P>::all; ++channel)
    if (draw.expectedOf(channel) > draw.expectedOf(fastest)) fastest = channel;
  return faultMessage(EventFault::tooFastAtStart, nameOfChannel<P>(fastest),
                      draw.expectedOf(fastest) / view.seconds, seconds, attributesText(state));
}

/// Executes a place again. @return its fault
template <class P, class Arguments>
FaultRecord<P> executeForFault(EventBand& band, const EventView& view, const void* arguments,
                               std::int32_t place) {
  while (true) {
    EventScratch scratch = scratchOf(band);
    PlaceContext<P, Arguments, FaultRecord<P>> context(
        view, *static_cast<const Arguments*>(arguments), place, scratch.strips);
    executePlace(view, place, SourcesOf<P>(view, place), context, scratch);
    if (!scratch.overflowed()) return context.faults();
    growScratch(band, scratch);
  }
}

/// Returns the message of the fault of a place: executes it again.
template <class P, class Arguments>
std::string describeFault(EventBand& band, const EventWindow& window, const void* arguments,
                          std::int32_t place) {
  const P& start = reinterpret_cast<const P*>(band.start.data())[place];
  const double seconds = static_cast<double>(window.number - window.firstOfCall) * window.seconds;
  if (band.faults[static_cast<std::size_t>(place)] == EventFault::endless && !band.isFaulty)
    return faultMessage(EventFault::endless, "", 0, seconds, attributesText(start));
  const EventView view = viewOf(band, window);
  if (band.faults[static_cast<std::size_t>(place)] == EventFault::tooFastAtStart)
    return describeTooFast<P, Arguments>(view, arguments, place, seconds, start);
  const FaultRecord<P> record = executeForFault<P, Arguments>(band, view, arguments, place);
  // The engine `reference` keeps no departures, without which the fault may not occur again.
  if (record.fault() == EventFault::none)
    return faultMessage(band.faults[static_cast<std::size_t>(place)], "?", 0, seconds,
                        attributesText(start));
  const bool isRate = record.fault() == EventFault::invalidRate;
  const std::string name = nameOfChannel<P>(record.channel() + (isRate ? Channels<P>::hops : 0));
  return faultMessage(record.fault(), name, record.value(),
                      seconds + record.tick() * 0x1p-32 * window.seconds,
                      attributesText(record.state()));
}

/// Returns the names of the particle counts of class P that hop, by channel.
template <class P>
std::vector<std::string> namesOfHops() {
  std::vector<std::string> names;
  forEachIndex<Channels<P>::hops>(
      [&](auto hop) { names.push_back(Channels<P>::template HopAt<hop>::name()); });
  return names;
}
/// Returns the names of the changes of class P, by channel of their events.
template <class P>
std::vector<std::string> namesOfEvents() {
  std::vector<std::string> names;
  forEachIndex<Channels<P>::events>([&](auto event) {
    names.emplace_back(memberName<Channels<P>::template EventAt<event>::change>());
  });
  return names;
}

/// Returns the functions of class P for arguments of some types.
template <class P, class Arguments>
EventKernel eventKernel() {
  EventKernel kernel;
  kernel.placeBytes = sizeof(P);
  kernel.hops = Channels<P>::hops;
  kernel.events = Channels<P>::events;
  kernel.load = &loadBand<P>;
  kernel.store = &storeBand<P>;
  kernel.begin = &beginBand<P, Arguments>;
  kernel.costs = &estimateCosts<P, Arguments>;
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
