#pragma once

#include <mass/dispatch/exchange_report.hpp>
#include <mass/dispatch/exchange_tuner.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/pass_memory.hpp>
#include <mass/dispatch/pass_tuner.hpp>
#include <mass/dispatch/thread_tuner.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mass::detail {

class CpuBatch;

/// Steps that rules which read neighbours make at a time; 0: as many as are fastest by measurement.
/// For rules in turn, turns.
struct StepCounts {
  int perPass = 0;      ///< in one pass over memory
  int perExchange = 0;  ///< per exchange of ghost rows between ranks
  /// Reports that `perExchange` is too large, by an exception; may be empty if that is 0.
  std::function<void(const std::string& reason)> rejectPerExchange{};
};

/// Runs rules on threads of the host; a ThreadTuner selects their number. If a rule throws (checked
/// builds), the batch ends after that step and BatchResult::failure holds the exception.
class CpuExecutor : public Executor {
 public:
  /// @param transport copies halos between the bands
  explicit CpuExecutor(std::unique_ptr<HaloTransport> transport, StepCounts steps = {})
      : transport_(std::move(transport)), steps_(std::move(steps)) {}

  bool runsInTurn(const PlaceFields& fields, Turn turn, bool areMeasured) const override;
  bool runsTurnsInPasses(const PlaceFields& /*fields*/, Turn /*turn*/,
                         const StepBatch& /*batch*/) const override {
    return true;
  }
  bool runsOnBits(const PlaceFields& /*fields*/, Turn turn,
                  const StepBatch& /*batch*/) const override {
    return turn.size() == 1;
  }
  BatchResult run(const PlaceFields& fields, Turn turn, const StepBatch& batch) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void restoreLayout(const PlaceFields& fields, const AaKernel& kernel) override;
  std::unique_ptr<AgentExecutor> makeAgentExecutor(const DeviceConfig& devices) const override;
  std::vector<ExchangeReport> exchangeReports() const override;

 private:
  struct PartPlan;
  /// Places, first rule, number of rules, and number of threads or largest number of turns per
  /// exchange.
  using TunerKey = std::tuple<const void*, const void*, std::size_t, int>;
  /// Selected steps per exchange, and their times.
  struct Exchanges {
    ExchangeTuner tuner;
    int turnsPerPass;            ///< largest number of turns of a pass
    StepTimes all{}, decided{};  ///< all turns; those with the selected number
  };

  PartPlan planPasses(const PassTuner& tuner, std::int64_t turns) const;
  int givenTurnsPerPass(std::size_t rules) const;
  PartPlan planExchanges(const Exchanges& exchanges, std::size_t rules, std::int64_t turns) const;
  PassTuner& passTunerOf(const PlaceFields& fields, Turn turn, const void* rule, bool hasPasses,
                         int threads);
  void requireRows(const PlaceFields& fields, Turn turn) const;
  Exchanges& exchangesOf(const PlaceFields& fields, Turn turn, const void* rule, bool hasPasses);

  std::unique_ptr<HaloTransport> transport_;
  StepCounts steps_;
  ThreadTuners tuners_;
  std::map<TunerKey, PassTuner> passTuners_;
  std::map<TunerKey, Exchanges> exchanges_;
  std::vector<PassMemory> passMemory_;  // by worker
};

}  // namespace mass::detail
