#pragma once

#include <mass/dispatch/executor.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <memory>
#include <utility>

namespace mass::detail {

/// Runs rules on the host's threads. A rule that throws (checked builds) ends the round; what it
/// throws is the outcome's failure.
class CpuExecutor : public Executor {
 public:
  explicit CpuExecutor(std::unique_ptr<HaloTransport> transport)
      : transport_(std::move(transport)) {}

  BatchResult run(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void restoreLayout(const PlaceFields& fields) override;

 private:
  std::unique_ptr<HaloTransport> transport_;
};

}  // namespace mass::detail
