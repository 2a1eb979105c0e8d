#pragma once

#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/thread_tuner.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <memory>
#include <utility>

namespace mass::detail {

/// Runs rules on threads of the host; a ThreadTuner selects their number. If a rule throws (checked
/// builds), the batch ends after that step and BatchResult::failure holds the exception.
class CpuExecutor : public Executor {
 public:
  /// @param transport copies halos between the bands
  explicit CpuExecutor(std::unique_ptr<HaloTransport> transport)
      : transport_(std::move(transport)) {}

  BatchResult run(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void restoreLayout(const PlaceFields& fields) override;
  std::unique_ptr<AgentExecutor> makeAgentExecutor(const DeviceConfig& devices) const override;

 private:
  std::unique_ptr<HaloTransport> transport_;
  ThreadTuners tuners_;
};

}  // namespace mass::detail
