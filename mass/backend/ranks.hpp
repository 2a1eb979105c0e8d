#pragma once

#include <mass/backend/rank_link.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace mass::detail {

class RankDeputy;
class RankMonitor;

/// Value that Ranks can send by its bytes.
template <class T>
concept Sendable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_array_v<T>;

/// Ranks of a run: the processes that a launcher has started, each with devices of its own. Other
/// layers exchange data between processes only by this class.
///
/// All ranks call the collective functions in the same order, with arguments of the same sizes.
/// With one rank these do nothing. Every function that waits throws RankError within two seconds if
/// another rank has failed, and after the timeout if a message is missing; the rank then ends the
/// run by fail(). Only one thread of a rank calls the functions of its Ranks. While it calls none,
/// however long, a RankDeputy answers ranks that ask if this one is alive.
class MASS_EXPORT Ranks {
 public:
  /// Default timeout in seconds.
  static constexpr double defaultTimeout = 300;

  /// Creates the only rank of a run.
  Ranks();
  /// Creates one of several ranks, which calls introduce() next.
  /// @param timeoutSeconds see setTimeout()
  explicit Ranks(std::unique_ptr<RankLink> link, double timeoutSeconds = defaultTimeout);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Tells all ranks the hosts of all. Collective, and the first call; not in the constructor, so
  /// that fail() can end all ranks after an error. @throws RankError
  void introduce();

  /// Returns the number of this rank, 0 <= number() < count().
  int number() const { return number_; }
  /// Returns the number of ranks.
  int count() const { return count_; }
  /// True for rank 0, which owns files and output.
  bool isFirst() const { return number_ == 0; }
  /// Returns the name of a rank's host; empty if there is one rank only.
  std::string host(int rank) const;
  /// Returns the number of this rank among the ranks of its host.
  int numberOnHost() const { return numberOnHost_; }
  /// Returns the number of ranks on this rank's host.
  int countOnHost() const { return countOnHost_; }

  /// Sets the longest time in seconds that a call waits for a message without any progress.
  /// @throws UsageError if it is not above 0
  void setTimeout(double seconds);
  /// Sets the step that messages on a silent rank name.
  void setStep(std::int64_t step);

  /// Sends and receives messages, and waits for all of them. Use RankExchange for messages that are
  /// sent repeatedly.
  /// @throws RankError @throws UsageError see RankExchange
  void exchange(std::span<const RankReceive> receives, std::span<const RankSend> sends);

  /// Waits until `isDone()` returns true, which this rank and others bring about in another way
  /// than by messages of this class, such as by NCCL. Answers other ranks meanwhile.
  /// @param awaited other ranks for which this rank may be waiting
  /// @throws RankError if another rank has failed, or one of `awaited` is silent
  void waitUntil(const std::function<bool()>& isDone, const std::vector<int>& awaited);

  /// Waits until all ranks have called it. Collective. @throws RankError
  void barrier() { static_cast<void>(sum(0)); }

  /// Copies `bytes` bytes at `data` of rank `root` to `data` of all ranks. Collective.
  /// @throws RankError
  void broadcast(void* data, std::size_t bytes, int root = 0);
  /// Returns the value of rank `root` on all ranks. Collective. @throws RankError
  template <Sendable T>
  [[nodiscard]] T broadcast(T value, int root = 0) {
    broadcast(static_cast<void*>(&value), sizeof(T), root);
    return value;
  }
  /// Returns the text of rank `root` on all ranks. Collective. @throws RankError
  [[nodiscard]] std::string broadcast(std::string text, int root = 0);

  /// Returns the texts of all ranks, by rank, on all ranks. Collective. @throws RankError
  [[nodiscard]] std::vector<std::string> allGather(const std::string& text);
  /// Returns the values of all ranks, by rank, on all ranks. Collective. @throws RankError
  template <Sendable T>
  [[nodiscard]] std::vector<T> allGather(const T& value) {
    std::vector<T> values(static_cast<std::size_t>(count()), value);
    std::vector<std::size_t> offsets;
    for (std::size_t rank = 0; rank <= values.size(); ++rank) offsets.push_back(rank * sizeof(T));
    allGatherInPlace(values.data(), offsets);
    return values;
  }
  /// Completes an array of which each rank has a part. Collective.
  /// @param data array of offsets.back() bytes; bytes [offsets[r], offsets[r + 1]) are given by
  /// rank r
  /// @param offsets by rank, and the end; ascending
  /// @throws RankError
  void allGatherInPlace(void* data, std::span<const std::size_t> offsets);
  /// Gathers the parts of an array on rank 0. Collective.
  /// @param own this rank's part, which on rank 0 may be its place in `all`
  /// @param all array of offsets.back() bytes on rank 0; unused on other ranks
  /// @param offsets see allGatherInPlace()
  /// @throws RankError
  void gatherToFirst(const void* own, void* all, std::span<const std::size_t> offsets);
  /// Gathers the parts of an array on rank 0; each rank's part is at its offset of `data`.
  /// Collective. @param offsets see allGatherInPlace() @throws RankError
  void gatherToFirst(void* data, std::span<const std::size_t> offsets);
  /// Sends each rank its part of an array of rank 0. Collective.
  /// @param all array of offsets.back() bytes on rank 0; unused on other ranks
  /// @param own receives this rank's part; on rank 0 it may be its place in `all`
  /// @param offsets see allGatherInPlace()
  /// @throws RankError
  void scatterFromFirst(const void* all, void* own, std::span<const std::size_t> offsets);

  /// Returns the sum over all ranks, modulo 2^64. Collective. @throws RankError
  [[nodiscard]] std::uint64_t sum(std::uint64_t value);
  /// True if `value` is true on any rank. Collective. @throws RankError
  [[nodiscard]] bool any(bool value) { return sum(value ? 1 : 0) != 0; }
  /// Calls `work` on one rank after the other, in the order of ranks. Each finds in `value` the
  /// bytes that the rank before left there; rank 0 its own. At the end all ranks have the bytes of
  /// the last one. Collective. @throws RankError
  void chain(void* value, std::size_t bytes, const std::function<void()>& work);

  /// Ends the run with an error on all ranks. Waits up to two seconds for other ranks to end too.
  /// Call it in the handler of the exception that ends the program, print the text, and call
  /// disconnect(). Of all messages one is printed, by rank 0 if it can be reached: the text if all
  /// ranks fail with it, else the text of one rank after the rank's number and host.
  /// @return the text that this rank prints, if any
  [[nodiscard]] std::optional<std::string> fail(const std::string& text) noexcept;
  /// Ends the connection, unless other ranks are silent after an error. Collective. The caller has
  /// passed a barrier() or fail(), has destroyed every RankExchange, and calls no other function
  /// afterwards.
  /// @param exitCode status with which the process exits if another rank prevents the end of MPI
  void disconnect(int exitCode);

 private:
  friend class RankExchange;

  bool advance(RankTransfers& transfers, bool& isWatched);
  void wait(RankTransfers& transfers);
  void countRanksOfHost();
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  int number_ = 0, count_ = 1, numberOnHost_ = 0, countOnHost_ = 1;
  std::unique_ptr<RankLink> link_;        ///< null for one rank
  std::unique_ptr<RankMonitor> monitor_;  ///< null for one rank
  unsigned tests_ = 0;                    ///< tests of incomplete transfers, and waits
  std::mutex mutex_;                      ///< for use of the link and the monitor
  std::unique_ptr<RankDeputy> deputy_;    ///< null for one rank
};

/// Messages that are sent and received repeatedly between the same addresses.
class RankExchange {
 public:
  /// Prepares messages. Messages of one rank to another are matched in the order of their start()
  /// and, within it, in the order of the lists. The receiver's size must be the sender's.
  /// @param ranks must outlive this
  /// @throws UsageError if a message has no other rank of the run as its partner
  RankExchange(Ranks& ranks, std::span<const RankReceive> receives,
               std::span<const RankSend> sends);
  RankExchange(const RankExchange&) = delete;
  RankExchange& operator=(const RankExchange&) = delete;
  /// Completes a started exchange, or ends its use of the memory.
  ~RankExchange();

  /// Posts the messages; does not wait. Their memory must not be used until finish() returns.
  /// @pre not started since the last finish()
  /// @throws RankError
  void start();
  /// Waits until all messages have been received and sent. @throws RankError
  void finish();
  /// Advances a started exchange; does not wait. @return true if it is finished, as by finish()
  /// @throws RankError
  bool tryFinish();

 private:
  Ranks& ranks_;
  std::unique_ptr<RankTransfers> transfers_;  ///< null without messages
  bool isStarted_ = false;
  bool isWatched_ = false;  ///< the time that tryFinish() waits is measured
};

}  // namespace mass::detail
