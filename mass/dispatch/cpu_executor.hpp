#pragma once

#include <mass/dispatch/executor.hpp>
#include <mass/exchange/transport.hpp>

#include <memory>
#include <utility>

namespace mass {

/// Runs rules on the host's threads. A rule that throws (checked builds) ends the round; what it
/// throws is the outcome's failure.
class CpuExecutor : public Executor {
 public:
  explicit CpuExecutor(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  Outcome run(const PlaceFields& fields, const Kernel& kernel, const Round& round) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void settle(const PlaceFields& fields) override;

 private:
  std::unique_ptr<Transport> transport_;
};

}  // namespace mass
