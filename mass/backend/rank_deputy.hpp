#pragma once

#include <mass/backend/rank_monitor.hpp>

#include <mutex>
#include <thread>

namespace mass::detail {

/// Thread that answers other ranks while this rank works: writes a long film, computes a long step.
/// Otherwise a rank that works for longer than the timeout would count as silent. It acts a few
/// times a second, and only while the other thread does not use the link.
class RankDeputy {
 public:
  /// @param monitor must outlive this
  /// @param mutex held by each user of the monitor and its link; must outlive this
  RankDeputy(RankMonitor& monitor, std::mutex& mutex);

 private:
  std::jthread thread_;
};

}  // namespace mass::detail
