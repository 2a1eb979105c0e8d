#pragma once

#include <mass/backend/device.hpp>
#include <mass/backend/ranks.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace mass::detail {

/// Exchange of ranges of device memory between ranks, executed once or many times. All ranges for
/// one rank are one message, packed into contiguous memory of the host unless there is a single
/// range, in memory of the host. Ranges between two ranks are matched in the order in which they
/// are added.
class RankPackets {
 public:
  /// @param ranks must outlive this
  explicit RankPackets(Ranks& ranks) : ranks_(&ranks) {}

  /// Adds a range that this rank sends. @pre start() was not called
  /// @param device device of the memory, which must outlive this
  void send(int rank, Device& device, const void* data, std::size_t bytes);
  /// Adds a range that this rank receives; parameters as of send(). @pre start() was not called
  void receive(int rank, Device& device, void* data, std::size_t bytes);
  /// True if there are no ranges.
  bool isEmpty() const { return sends_.empty() && receives_.empty(); }

  /// Packs and posts the messages; does not wait. @throws RankError
  void start();
  /// Waits for all messages. @throws RankError
  void wait() { exchange_->finish(); }
  /// Unpacks the messages. @pre wait() has returned
  void unpack();
  /// Waits for all messages and unpacks them. @throws RankError
  void finish() {
    wait();
    unpack();
  }

 private:
  /// Range of memory. @tparam Address const char* to send it, char* to receive it
  template <class Address>
  struct Range {
    Device* device;
    Address data;
    std::size_t bytes;
  };
  /// Memory of a message on the host.
  template <class Address>
  struct Message {
    Address data;
    std::size_t bytes;
  };
  /// Ranges of one message.
  template <class Address>
  struct Packet {
    int rank;
    std::vector<Range<Address>> ranges{};
    std::vector<char> packed{};  ///< copy of the ranges; empty if it is not needed
  };

  template <class Address>
  static void add(std::vector<Packet<Address>>& packets, int rank, Range<Address> range);
  template <class Address>
  static Message<Address> messageOf(Packet<Address>& packet);
  void connect();

  Ranks* ranks_;
  std::vector<Packet<const char*>> sends_;
  std::vector<Packet<char*>> receives_;
  std::optional<RankExchange> exchange_;  // prepared by the first start()
};

}  // namespace mass::detail
