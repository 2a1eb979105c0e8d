#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

class Ranks;

/// Times of a cycle on one rank in seconds. A cycle consists of one exchange of ghost rows between
/// ranks and of the steps until the next one.
struct CycleTimes {
  double all = 0;      ///< the cycle
  double compute = 0;  ///< its steps, without exchanges and waiting
  double move = 0;     ///< packing, sending, copying and unpacking of ghost rows, without waiting
};

/// Times of some steps.
struct StepTimes {
  std::int64_t steps = 0;
  CycleTimes times{};
  double bytes = 0;  ///< sent to other devices

  void add(std::int64_t count, const CycleTimes& part, double sent) {
    steps += count;
    times.all += part.all;
    times.compute += part.compute;
    times.move += part.move;
    bytes += sent;
  }
};

/// Model of the time of a step with R steps per exchange. A rank computes its rows and, in all
/// steps of a cycle but the last, rows of its neighbours: (R - 1) * reach on average. A block is
/// longer by as many lines and columns, too.
struct ExchangeModel {
  double rows = 1;           ///< rows of the rank with most rows, or of the largest block
  double lines = 0;          ///< lines of a row of the largest block; 0 for bands
  double columns = 0;        ///< columns of a line of the largest block; 0 for whole lines
  double reach = 1;          ///< rows at which a step reads
  double rowSeconds = 0;     ///< time of a row
  double latency = 0;        ///< seconds of an exchange without bytes
  double stepTransport = 0;  ///< seconds in which the bytes for one more step are exchanged
  double stepBytes = 0;      ///< these bytes, to both neighbours

  /// Returns the rows that a step computes, with longer ones counted as more.
  double rowsPerStep(int stepsPerExchange) const {
    const double more = (stepsPerExchange - 1) * reach;
    return (rows + more) * (lines > 0 ? 1 + more / lines : 1) *
           (columns > 0 ? 1 + more / columns : 1);
  }
  /// Returns the seconds of a step. @param stepsPerExchange R, at least 1
  double stepSeconds(int stepsPerExchange) const {
    return rowSeconds * rowsPerStep(stepsPerExchange) + latency / stepsPerExchange + stepTransport;
  }
};

/// Steps of the next part of a batch.
struct ExchangePlan {
  int stepsPerExchange = 1;
  std::int64_t steps = 1;  ///< at least 1
  bool isTrial = false;    ///< the times of the cycles select stepsPerExchange
};

/// Returns the reason why no device has the ghost rows of a given number of steps per exchange;
/// empty if one has.
/// @param reach rows at which a step, or a turn, reads
/// @param bands rows of the devices, or lines of the blocks
std::string objectionToCycle(std::int64_t stepsPerExchange, std::int64_t reach,
                             const std::vector<std::int64_t>& bands);

/// Selects the number of steps per exchange between ranks, during the run. Measures the cycles of 1
/// and of 4 steps, finds the best power of two by an ExchangeModel with these times, measures it,
/// its half and its double, and keeps the fastest. All ranks make the same calls and get the same
/// plans.
class ExchangeTuner {
 public:
  /// Cycles of a trial, after one that prepares the exchange.
  static constexpr int cyclesPerTrial = 20;
  /// Largest number of steps per exchange that is selected.
  static constexpr int mostSelected = 32;

  /// Size of the problem, equal on all ranks.
  struct Problem {
    std::int64_t rows;         ///< rows of the rank with most rows, or of the largest block
    std::int64_t lines = 0;    ///< lines of a row of the largest block; 0 for bands
    std::int64_t columns = 0;  ///< columns of a line of the largest block; 0 for whole lines
    std::int64_t reach;        ///< rows at which a step reads
    int most;                  ///< largest number of steps per exchange, at least 1
    double rowBytes;           ///< bytes of a row that the rule writes
  };

  /// @param fixed number of steps per exchange; 0 to select it
  explicit ExchangeTuner(const Problem& problem, int fixed = 0);

  /// Returns the plan for the next of `steps` steps, `steps` >= 1.
  ExchangePlan next(std::int64_t steps) const;
  /// Records the cycles of a part of the last plan, if that was a trial.
  void record(const ExchangePlan& plan, std::span<const CycleTimes> cycles, Ranks& ranks);

  /// True if the number is selected.
  bool isDecided() const { return trial_ == trials_.size(); }
  /// Returns the fastest number by the present measurements, or the given one.
  int fastest() const;
  /// Returns the model; none before the trials that it needs.
  const std::optional<ExchangeModel>& model() const { return model_; }

 private:
  /// Measured cycles of a number of steps.
  struct Trial {
    int stepsPerExchange;
    /// Medians, those of the slowest rank.
    CycleTimes cycle{};

    double stepSeconds() const { return cycle.all / stepsPerExchange; }
  };

  void endTrial(Ranks& ranks);
  void addTrial(int stepsPerExchange);
  void fitModel();

  Problem problem_;
  int fixed_;
  std::vector<Trial> trials_;
  std::size_t trial_ = 0;  // current trial; their number when all are complete
  std::vector<CycleTimes> cycles_;
  std::optional<ExchangeModel> model_;
};

}  // namespace mass::detail
