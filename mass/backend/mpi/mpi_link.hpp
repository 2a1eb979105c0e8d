#pragma once

#include <mass/backend/exit_timer.hpp>
#include <mass/backend/mpi/mpi.hpp>
#include <mass/backend/rank_link.hpp>

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mass::detail {

/// Link between the processes of MPI_COMM_WORLD. Calls no MPI function that waits, except at the
/// start and the end.
class MpiLink : public RankLink {
 public:
  /// Initialises MPI. At most one object in a process.
  /// @throws RankError if the MPI library supports no threads
  MpiLink();
  /// Leaves MPI as it is without disconnect(): MPI_Finalize would wait for other ranks.
  ~MpiLink() override;
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;

  int number() const override { return number_; }
  int count() const override { return count_; }
  std::string host() const override;
  std::unique_ptr<RankTransfers> prepare(std::span<const RankReceive> receives,
                                         std::span<const RankSend> sends) override;
  void sendControl(int rank, std::string_view message) override;
  std::optional<RankControl> receiveControl() override;
  void discardMessages() override;
  void disconnect(int exitCode, double seconds) override;
  void leave(int exitCode) override;
  void endWithin(double seconds, int exitCode) override { timer_.emplace(seconds, exitCode); }

  /// Returns the name and version of the MPI library, e.g. "Open MPI v4.1.4".
  static std::string library();

 private:
  /// Message that is being sent, or received in order to discard it.
  struct Pending {
    std::string message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static void removeComplete(std::list<Pending>& messages);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int number_ = 0;
  int count_ = 1;
  std::list<Pending> sent_, discarded_;
  std::optional<ExitTimer> timer_;
};

}  // namespace mass::detail
