#pragma once

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/migration/ledger.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::agents {

/// A piece of another device's memory to be copied to this one.
struct Fetch {
  int fromDevice = 0;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
};

/// One manageAll. `Share` is what works for a device: a thread of a CPU, all of its threads, or a
/// GPU. Every device goes through the phases, and all have ended one before any begins the next.
template <class Share>
class Management {
 public:
  explicit Management(const AgentRun& run);

  using Phase = void (Management::*)(Share&);
  /// The phases in their order. Devices that have nothing to say to each other need but some.
  std::vector<Phase> phases() const;
  /// After all phases: makes the new state the present one, whether or not devices have come to it.
  void commit();
  /// Tells the agents of the result, when the ledgers of all devices are there.
  /// @throws as AgentExecutor::manage.
  void conclude();

  const AgentFields& agents() const { return *agents_; }
  bool hasChildren() const { return agents_->traits().offspring > 0; }
  Ledger& ledger(int device) { return devices_[static_cast<std::size_t>(device)].ledger; }
  /// Where a device writes how many agents it has.
  const std::uint64_t* alive(int device) const {
    return devices_[static_cast<std::size_t>(device)].m.alive;
  }

 private:
  struct Device {
    Ledger ledger;
    Managed m;
    std::int64_t sent = 0;       ///< agents and children for other devices
    std::int64_t sentMoves = 0;  ///< agents of these, which come first
  };
  /// Where things of one device for another are.
  struct Segment {
    std::int64_t begin = 0, count = 0;
  };

  Device& of(const Share& share) { return devices_[static_cast<std::size_t>(share.device())]; }
  AgentBand& bandOf(const Share& share) const { return agents_->band(share.device()); }
  bool isAlone() const { return devices_.size() == 1; }
  bool isLimited() const { return agents_->traits().capacity > 0; }
  bool seeks() const { return agents_->traits().seeks; }

  void describe(Share& share);
  void findFree(Share& share);
  void gatherFree(Share& share);
  void propose(Share& share);
  void makeRoom(Share& share);
  void send(Share& share);
  void settle(Share& share);
  void settleMoves(Share& share);
  void settleBirths(Share& share);
  void arrange(Share& share);

  std::int64_t movesFrom(int from, int to) { return static_cast<std::int64_t>(at(from).moves(to)); }
  std::int64_t childrenFrom(int from, int to) {
    return static_cast<std::int64_t>(at(from).children(to));
  }
  Ledger& at(int device) { return counted_[static_cast<std::size_t>(device)]; }
  Segment sentMoves(int from, int to);
  Segment sentChildren(int from, int to);
  void fetchAgents(Share& share, int from, Segment segment, std::int64_t to,
                   std::vector<Fetch>& fetches) const;

  AgentFields* agents_;
  std::uint64_t key_;
  std::vector<Device> devices_;
  std::vector<Ledger> counted_;  ///< by device: as it was after they proposed
};

}  // namespace mass::agents

#include <mass/dispatch/migration/management_impl.hpp>
