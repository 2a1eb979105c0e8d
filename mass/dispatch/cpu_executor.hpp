#pragma once

#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/pass_tuner.hpp>
#include <mass/dispatch/thread_tuner.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace mass::detail {

/// Runs rules on threads of the host; a ThreadTuner selects their number. If a rule throws (checked
/// builds), the batch ends after that step and BatchResult::failure holds the exception.
class CpuExecutor : public Executor {
 public:
  /// @param transport copies halos between the bands
  /// @param stepsPerPass steps that rules that read neighbours make in one pass over memory; 0: as
  /// many as are fastest by measurement
  explicit CpuExecutor(std::unique_ptr<HaloTransport> transport, int stepsPerPass = 0)
      : transport_(std::move(transport)), stepsPerPass_(stepsPerPass) {}

  BatchResult run(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void restoreLayout(const PlaceFields& fields) override;
  std::unique_ptr<AgentExecutor> makeAgentExecutor(const DeviceConfig& devices) const override;

 private:
  PassTuner& passTunerOf(const PlaceFields& fields, const Kernel& kernel, bool hasPasses,
                         int threads);

  std::unique_ptr<HaloTransport> transport_;
  int stepsPerPass_;
  ThreadTuners tuners_;
  /// By places, rule and number of threads.
  std::map<std::tuple<const void*, KernelFunction, int>, PassTuner> passTuners_;
  std::vector<std::vector<char>> passMemory_;  // by worker
};

}  // namespace mass::detail
