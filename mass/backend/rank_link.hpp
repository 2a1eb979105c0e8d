#pragma once

#include <mass/support/error.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Thrown if another rank of the run has failed, is silent or cannot be reached.
class RankError : public Error {
 public:
  /// Inherits the constructors, from a message or from a format string and its arguments.
  using Error::Error;
};

/// Message that this rank sends.
struct RankSend {
  int rank = 0;                ///< receiver
  const void* data = nullptr;  ///< first byte
  std::size_t bytes = 0;       ///< size; a message of 0 bytes is sent too
};

/// Message that this rank receives.
struct RankReceive {
  int rank = 0;           ///< sender
  void* data = nullptr;   ///< address of the first byte
  std::size_t bytes = 0;  ///< size, equal to that of the message sent
};

/// Short message outside the order of the others.
struct RankControl {
  int rank = 0;         ///< sender
  std::string message;  ///< at most RankLink::longestControl bytes
};

/// Thrown by a RankLink if a message cannot be transferred.
class RankLinkError : public Error {
 public:
  /// @param rank the other rank @param reason text for users
  RankLinkError(int rank, const std::string& reason) : Error(reason), rank_(rank) {}
  /// Returns the other rank.
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// Set of messages that can be sent and received any number of times. Its memory must not be used
/// from start() until test() returns true.
class RankTransfers {
 public:
  /// Leaves the memory alone from now on if test() has returned true.
  virtual ~RankTransfers() = default;

  /// Posts all receives and sends; does not wait.
  /// @pre not started, or complete
  /// @throws RankLinkError
  virtual void start() = 0;
  /// Advances the transfers. @return true if all are complete
  /// @throws RankLinkError
  virtual bool test() = 0;
  /// Returns the other rank of each incomplete transfer.
  virtual std::vector<int> pending() = 0;
  /// Withdraws receives whose message has not arrived; test() then counts them as complete.
  virtual void cancelReceives() = 0;
};

/// Transport of messages between the ranks of a run. No function waits for another rank, except
/// disconnect(). Any thread may call a function, but only one at a time. Messages from one rank to
/// another are matched in the order of their start() and, within it, in the order of the lists.
class RankLink {
 public:
  /// Largest size of a control message in bytes. Below the size up to which MPI libraries send
  /// without an answer of the receiver.
  static constexpr std::size_t longestControl = 2048;

  virtual ~RankLink() = default;

  /// Returns the number of this rank, 0 <= number() < count().
  virtual int number() const = 0;
  /// Returns the number of ranks.
  virtual int count() const = 0;
  /// Returns the name of this rank's host.
  virtual std::string host() const = 0;

  /// Prepares messages; the link must outlive the result. A message has at most 2^31 - 1 bytes.
  virtual std::unique_ptr<RankTransfers> prepare(std::span<const RankReceive> receives,
                                                 std::span<const RankSend> sends) = 0;

  /// Sends a control message, which is lost without an error if the receiver cannot be reached.
  /// @pre message.size() <= longestControl
  virtual void sendControl(int rank, std::string_view message) = 0;
  /// Returns the next control message, if one has arrived.
  /// @throws RankLinkError
  virtual std::optional<RankControl> receiveControl() = 0;

  /// Receives and discards messages that have arrived without a posted receive, so that their
  /// senders need not keep the memory. Only after an error.
  /// @throws RankLinkError
  virtual void discardMessages() = 0;

  /// Ends the connection. All ranks call it; no message is under way.
  /// @param exitCode status with which the process exits if this takes too long
  /// @param seconds longest duration
  virtual void disconnect(int exitCode, double seconds) = 0;
  /// Ends without the other ranks: a process ends here, as the threads of MPI may use memory that
  /// the end of main() destroys.
  virtual void leave(int exitCode) = 0;
  /// Ends the process if it has not ended `seconds` later, with status `exitCode`.
  virtual void endWithin(double seconds, int exitCode) = 0;
};

}  // namespace mass::detail
