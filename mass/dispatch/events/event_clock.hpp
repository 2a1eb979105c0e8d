#pragma once

#include <mass/dispatch/device_times.hpp>
#include <mass/dispatch/events/event_bands.hpp>
#include <mass/dispatch/events/event_report.hpp>
#include <mass/dispatch/events/event_saving.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/exchange/departure_exchange.hpp>
#include <mass/launch/event_kernel.hpp>
#include <mass/partition/grid_neighbors.hpp>
#include <mass/partition/row_partition.hpp>
#include <mass/support/error.hpp>
#include <mass/support/export.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

class RateEngine;

/// Algorithm that executes events.
enum class EventEngine : std::uint8_t {
  automatic,     ///< all workers at once: in windows, or scheduled events by Time Warp
  timeWarp,      ///< all workers at once, with roll-back
  conservative,  ///< all workers at once, in windows of the lookahead; for scheduled events only
  reference,     ///< one event after the other, on one thread
};

/// Settings of the clock of events.
struct EventSettings {
  EventEngine engine = EventEngine::automatic;
  double window = 0;  ///< length of a window in s; 0: by hop rates and numbers of particles
  std::uint32_t tickMask = ~std::uint32_t{0};  ///< see EventView; for tests
  std::size_t bytes = 0;  ///< bound of the memory of scheduled events on a rank; 0: none
  EventSaving saving = EventSaving::measured;  ///< states that Time Warp keeps
};

/// Returns the numbers of particles of each kind that hops in some places of a local device.
/// @param places numbers in the world; those of other devices do not count
using CountParticles = std::vector<ParticleCount> (*)(RowRange places, const PlaceFields& fields,
                                                      int device);

/// Rates of the hops of one kind of particle: one for all, or by place and direction.
struct HopRateTable {
  double each = 0;
  std::vector<double> byPlace;  ///< empty: `each`
  double fastest = 0;           ///< largest rate of a particle, the sum over its directions
};

/// Clock of events of some places: divides time into windows and executes the events of each.
/// PlaceFields::step is the number of the next window.
class MASS_EXPORT EventClock {
 public:
  /// @param fields must outlive this @param mask places that exist, or null; must outlive this
  /// @param hops names of the counts that hop @param events names of the changes
  /// @param count function of the class of the places
  /// @throws UsageError if the engine is `conservative`, or `reference` on several ranks
  EventClock(const PlaceFields& fields, const PlaceMask* mask, EventSettings settings,
             const std::vector<std::string>& hops, const std::vector<std::string>& events,
             CountParticles count);
  ~EventClock();
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;

  /// Returns the adjacency of the places.
  const GridNeighbors& neighbors() const { return neighbors_; }

  /// Sets the rate in 1/s of the hops of a kind of particle in each direction.
  /// @throws UsageError if it is negative or not finite
  void setHopRate(int hop, double rate);
  /// Sets the rates in 1/s by place and direction.
  /// @param rates for each place of the world, in row-major order, and each direction
  /// @throws UsageError if one is negative or not finite
  void setHopRates(int hop, std::vector<double> rates);

  /// Sets a function by which a caller of one process ends run() early, at the end of a window.
  /// @param isWanted returns true to end; called by the thread of the caller before each window.
  /// Empty: run() executes all events
  void endIf(std::function<bool()> isWanted) { isEndWanted_ = std::move(isWanted); }
  /// Executes the events of a stretch of time. All ranks call it together.
  /// @param arguments address of the tuple of the arguments of rates and changes
  /// @param name name of the places in messages
  /// @param times receives the seconds of the workers' work, unless null
  /// @throws UsageError if the time is negative or no whole number of windows, or an event is
  /// invalid; the state is that before the call then
  /// @throws RankError if another rank has failed
  void run(PlaceFields& fields, const EventKernel& kernel, const void* arguments, double seconds,
           std::uint64_t seed, const std::string& name, DeviceTimes* times);

  /// Returns the number of windows in a stretch of time that begins now. All ranks call it
  /// together. @throws UsageError as run()
  std::int64_t windowsIn(PlaceFields& fields, double seconds, const std::string& name) const;
  /// Returns the sums over the workers of each device since the start of the run. All ranks call it
  /// together.
  std::vector<EventCounts> counts() const;
  /// Returns the work of all ranks; without a name. All ranks call it together.
  EventReport report() const;
  /// Estimates the work of each row of the world: its places and the candidates of their last
  /// window. 0 if no window has ended with the current cuts. All ranks call it together.
  std::vector<double> costsOfRows(const PlaceFields& fields) const;

 private:
  struct Call;

  bool isReference() const { return settings_.engine == EventEngine::reference; }
  std::vector<EventCounts> localCounts() const;
  std::vector<std::int64_t> eventsOf() const;
  std::size_t bytes() const;
  double fastestHops() const;
  double hopsInWindow(const PlaceFields& fields) const;
  void createBands(const PlaceFields& fields, const EventKernel& kernel,
                   std::span<const float> costs);
  void forEachBand(const PlaceFields& fields,
                   const std::function<void(EventBand&, const Worker*)>& work);
  void load(const PlaceFields& fields, const Call& call);
  void divideByCost(const PlaceFields& fields, const Call& call);
  void beginCounts();
  void checkDevices(const PlaceFields& fields, const std::string& name) const;
  void prepare(const PlaceFields& fields, const Call& call);
  void runWindow(EventBand& band, const Call& call, const Worker& worker);
  std::size_t exchangeChanges(Ranks& ranks, std::size_t changes);
  void copyPredictions(EventBand& band);
  void copyChanges(EventBand& band);
  void copyReceived(EventBand& band);
  void runInOrder(EventBand& band, const Call& call);
  void runScheduled(PlaceFields& fields, const Call& call, std::int64_t windows);
  void checkFaults(EventBand& band, const Call& call) const;
  UsageError faultOf(EventBand& band, const Call& call, std::int32_t place) const;
  std::vector<HopRates> ratesOf(const EventBand& band) const;

  EventSettings settings_;
  CountParticles countParticles_;
  GridNeighbors neighbors_;
  std::vector<HopRateTable> rates_;
  std::function<bool()> isEndWanted_;

  std::unique_ptr<RateEngine> rateEngine_;  ///< executes the events by Time Warp

  std::optional<RowPartition> partition_;  ///< that of `bands_`
  EventBands bands_;
  DepartureExchange exchange_;
  const DeviceConfig* devices_;
  std::vector<EventCounts> former_;  ///< by local device: sums before the last call
  std::vector<double> workSeconds_;  ///< by band: in the last call; 0: unknown
  double windowSeconds_ = 0;         ///< length of a window of the last call; 0: there was none
  double lostSeconds_ = 0;      ///< mean time of waiting for other workers since the last division
  double divisionSeconds_ = 0;  ///< time that it took
  std::vector<std::int64_t> formerEvents_;  ///< by channel: events of bands that were replaced
  std::vector<std::string> channels_;       ///< names by channel: hops, then events
  std::atomic<std::size_t> changes_[2]{};   ///< changed lists of a round, of rounds even and odd
};

}  // namespace mass::detail
