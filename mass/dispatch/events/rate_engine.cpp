#include <mass/backend/device_config.hpp>
#include <mass/dispatch/events/event_bands.hpp>
#include <mass/dispatch/events/rate_engine.hpp>
#include <mass/dispatch/schedule/time_warp.hpp>
#include <mass/support/chunk.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace mass::detail {

std::int64_t RateWork::events() const {
  return std::accumulate(hops.begin(), hops.end(), std::int64_t{0}) +
         std::accumulate(places.happened.begin(), places.happened.end(), std::int64_t{0});
}

RateEngine::RateEngine(const PlaceFields& fields, const GridNeighbors& neighbors, std::string name,
                       std::size_t memory)
    : devices_(&fields.devices()), memory_(memory) {
  world_.name = std::move(name);
  world_.dimensions = neighbors.dimensions;
  world_.shape = neighbors.shape;
  world_.borders = neighbors.borders;
  world_.mask = neighbors.mask;
  world_.places = placesIn(fields);
  firstPlaces_ = firstPlacesOfRanks(*devices_, world_.places);
  const int directions = 2 * neighbors.dimensions;
  neighbors_.reserve(static_cast<std::size_t>(world_.places * directions));
  for (std::int64_t place = 0; place < world_.places; ++place) {
    for (int k = 0; k < directions; ++k) {
      const std::int64_t next = neighbors.of(place, k);
      neighbors_.push_back(next < 0 ? noPlace : static_cast<std::int32_t>(next));
    }
  }
}

RateEngine::~RateEngine() = default;

std::size_t RateEngine::bytes() const {
  return neighbors_.capacity() * sizeof(neighbors_[0]) + (states_ ? states_->bytes() : 0) +
         (engine_ ? engine_->bytes() : 0);
}

/// Begins windows of a call, with a new engine if the present one has no exact times for them.
/// @param window first of them
/// @return the first window after those for which the engine has exact times
std::uint64_t RateEngine::beginEpoch(const RateKernel& kernel, ScheduledRates& call,
                                     std::uint64_t window) {
  if (engine_ == nullptr || next_ != window || window - first_ >= ScheduledRates::mostWindows) {
    engine_ = std::make_unique<TimeWarp>(kernel.schedule, world_.places, *devices_);
    first_ = window;
  }
  call.firstOfEngine = first_;
  next_ = window;
  std::vector<std::byte> memory(kernel.schedule.eventBytes);
  auto& event = *new (memory.data()) ScheduledEvent;
  event.rule = ScheduledRates::begin;
  event.number = static_cast<std::uint32_t>(window);
  for (std::int64_t place = 0; place < world_.places; ++place) {
    event.place = event.origin = static_cast<std::uint32_t>(place);
    event.time = call.beginTime(window, event.place, world_.places);
    engine_->insert(event);
  }
  return first_ + ScheduledRates::mostWindows;
}

/// Executes the windows before `end`.
void RateEngine::runUntil(const RateKernel& kernel, ScheduledRates& call, std::uint64_t end) {
  ScheduleRun run{&world_, &kernel.schedule, &call, states_.get(), devices_};
  run.begin = static_cast<double>(next_ - first_);
  run.end = static_cast<double>(end - first_);
  run.bytes = memory_;
  engine_->run(run);
  next_ = end;
}

/// Adds the work of the engine since it had some counts.
void RateEngine::addWork(const ScheduleCounts& before) {
  const ScheduleCounts now = engine_->counts();
  for (std::size_t hop = 0; hop < work_.hops.size(); ++hop)
    work_.hops[hop] +=
        now.of[ScheduledRates::arrive + hop] - before.of[ScheduledRates::arrive + hop];
  work_.candidates += now.of[ScheduledRates::decide] - before.of[ScheduledRates::decide];
  work_.executions += now.executed - before.executed;
  work_.undone += now.undone - before.undone;
  work_.stragglers += now.stragglers - before.stragglers;
  work_.cancelled += now.cancelled - before.cancelled;
  work_.exchanged += now.sent - before.sent;
  work_.rounds += now.rounds - before.rounds;
}

std::uint64_t RateEngine::run(PlaceFields& fields, const RateKernel& kernel, ScheduledRates call,
                              const std::function<bool()>& isEndWanted) {
  const auto rank = static_cast<std::size_t>(devices_->ranks().number());
  if (states_ == nullptr)
    states_ = std::make_unique<ScheduleStates>(firstPlaces_[rank],
                                               firstPlaces_[rank + 1] - firstPlaces_[rank],
                                               kernel.schedule.placeBytes);
  call.view.places = static_cast<std::int32_t>(world_.places);
  call.view.directions = 2 * world_.dimensions;
  call.view.neighbors = neighbors_.data();
  call.view.hopRates = call.hopRates.data();
  call.name = &world_.name;
  work_ = {};
  work_.hops.resize(kernel.schedule.rules.size() - ScheduledRates::arrive);
  const PlaceObjects objects = states_->objects([&](void* values, std::size_t bytes) {
    gatherPlaces(devices_->ranks(), firstPlaces_, values, bytes);
  });
  kernel.schedule.load(fields, objects);
  const std::uint64_t last = call.endOfCall;
  std::uint64_t window = call.firstOfCall;
  bool isEnded = false;
  Chunk chunk;  // windows between two looks for an end
  while (window < last && !isEnded) {
    call.endOfCall = std::min(last, beginEpoch(kernel, call, window));
    const ScheduleCounts before = engine_->counts();
    while (window < call.endOfCall && !isEnded) {
      isEnded = isEndWanted && isEndWanted();
      const std::uint64_t most = isEnded ? 1 : static_cast<std::uint64_t>(chunk.steps);
      const std::uint64_t end =
          isEndWanted ? std::min(window + most, call.endOfCall) : call.endOfCall;
      chunk.make(static_cast<std::int64_t>(end - window), Chunk::untilEnd,
                 [&] { runUntil(kernel, call, end); });
      window = end;
    }
    addWork(before);
    if (window < call.endOfCall) engine_.reset();  // it has the beginnings of the next window
  }
  kernel.schedule.store(fields, objects);
  kernel.count(objects, work_.places);
  return window;
}

}  // namespace mass::detail
