#pragma once

#include <mass/launch/event_kernel.hpp>
#include <mass/partition/grid_neighbors.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mass::detail {

/// Places of this rank under the clock of events: a band for each worker, or one for all.
class EventBands {
 public:
  /// Creates empty bands of consecutive places of this rank.
  /// @param fields places @param isWhole true: one band of all places; else one for each worker
  /// @param costs cost of each place of this rank, of which the workers of a device get about equal
  /// sums; empty: equal numbers of places
  void create(const PlaceFields& fields, const GridNeighbors& neighbors, const EventKernel& kernel,
              bool isWhole, std::span<const float> costs);

  /// Returns the band of a worker. @pre one for each
  EventBand& of(const Worker& worker);
  /// Returns the bands in the order of their places.
  std::span<EventBand> all() { return bands_; }
  std::span<const EventBand> all() const { return bands_; }
  /// Returns those of a device, by its number among the local ones; device 0 has the band of all
  /// places.
  std::span<const EventBand> ofDevice(std::size_t device) const;
  /// True if a place is one of this rank, by its global number.
  bool contains(std::uint32_t place) const { return first_ <= place && place < end_; }
  /// Returns the places of this rank that are adjacent to places of each rank, by rank.
  std::vector<std::vector<std::uint32_t>> placesBeside(const PlaceFields& fields) const;

 private:
  std::vector<EventBand> bands_;
  std::vector<std::size_t> firstBands_;  // by local device, and the end
  int firstDevice_ = 0;                  // number of the first local device
  std::uint32_t first_ = 0, end_ = 0;    // places of this rank
};

/// Returns the number of places.
std::int64_t placesIn(const PlaceFields& fields);
/// Returns the places of a device by their numbers in the world.
RowRange placesOf(const PlaceFields& fields, int device);

}  // namespace mass::detail
