#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/exchange/halo_message.hpp>

#include <cstddef>
#include <vector>

// Terms of mass/exchange
// - Band: consecutive rows of a world that one device owns (RowPartition).
// - Ghost rows: copies of rows beside a band, which rules on its device read; the halo of the band.
// - Refresh: update of ghost rows from the rows of their owners.
// - GhostCopy: consecutive rows of one owner that are ghost rows of one device.
// - GhostField: component and buffer to refresh.
// - HaloMessage: bytes of one GhostCopy and one GhostField, with their addresses on both devices.
// - Round: the messages of one refresh. Successive steps of a rule alternate between two rounds,
//   since they alternate between two buffers.
// - PackedHalo: all messages from one GPU to another in a round, packed into contiguous memory.
// - HaloTransport: method that moves halos between devices: CPUs of a process
//   (LocalHaloTransport) or of several ranks (RankHaloTransport), or GPUs of either
//   (GpuHaloTransport and its subclasses).

namespace mass::detail {

/// Queue of a device, on which it runs work in order: a stream of a GPU; null on CPUs, whose work
/// is done when a call returns.
using Queue = void*;

/// Method that moves halos from their owners to the devices that read them. prepare() is called
/// once for many refreshes. In a refresh, the workers of all devices call send(), then wait until
/// all devices that send to theirs have done so, then call receive(). If exchangesOnHost(), one
/// worker of the rank calls exchange() in between, when the work queued by send() is done.
class HaloTransport {
 public:
  virtual ~HaloTransport() = default;
  /// Prepares rounds 0, 1, ..., which replace the ones before. They are valid until the places are
  /// partitioned anew or destroyed.
  /// @param rounds messages by round
  /// @throws DeviceError if memory is exhausted
  virtual void prepare(std::vector<std::vector<HaloMessage>> rounds) = 0;
  /// Sends the rows that other devices read from the worker's device.
  /// @param round number of the round
  /// @param queue queue of the device; earlier work on it has written the rows
  virtual void send(const Worker& worker, std::size_t round, Queue queue) = 0;
  /// Updates the ghost rows of the worker's device; parameters as of send().
  virtual void receive(const Worker& worker, std::size_t round, Queue queue) = 0;
  /// Returns the seconds for which receive() has waited for other ranks since prepare().
  virtual double waitSeconds() const { return 0; }
  /// True if exchange() moves halos between ranks.
  virtual bool exchangesOnHost() const { return false; }
  /// Moves the halos of a round between ranks, all queued work of send() being done.
  /// @throws RankError if another rank has failed or is silent
  virtual void exchange(std::size_t /*round*/) {}
  /// Returns the ranks for which work that send() and receive() have queued may wait.
  virtual std::vector<int> awaitedRanks() const { return {}; }
  /// Aborts pending transfers of a device after another device has failed.
  virtual void abort(int /*device*/) {}
};

}  // namespace mass::detail
