#include <mass/dispatch/exchange_tuner.hpp>

#include <mass/backend/ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mass::detail {
namespace {

/// Numbers of steps whose times give the model.
constexpr int one = 1, several = 4;

/// Returns the median. @pre values are not empty
double medianOf(std::span<const CycleTimes> cycles, double CycleTimes::*time) {
  std::vector<double> values;
  for (const CycleTimes& cycle : cycles) values.push_back(cycle.*time);
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::string objectionToCycle(std::int64_t stepsPerExchange, std::int64_t reach,
                             const std::vector<std::int64_t>& bands) {
  const auto [smallest, largest] = std::ranges::minmax(bands);
  if (stepsPerExchange * reach <= largest) return {};
  return fmt::format(
      "needs {} places of a neighbour along an axis, and no device has so many: set it to at most "
      "{}",
      stepsPerExchange * reach, std::max<std::int64_t>(smallest / reach, 1));
}

ExchangeTuner::ExchangeTuner(const Problem& problem, int fixed)
    : problem_(problem), fixed_(std::min(fixed, problem.most)) {
  if (fixed > 0 || problem.most == 1) return;
  addTrial(one);
  addTrial(several);
}

/// Adds a trial of a number of steps that was not tried and is not too large.
void ExchangeTuner::addTrial(int stepsPerExchange) {
  stepsPerExchange = std::min(stepsPerExchange, problem_.most);
  const bool isTried =
      std::ranges::find(trials_, stepsPerExchange, &Trial::stepsPerExchange) != trials_.end();
  if (stepsPerExchange >= 1 && !isTried) trials_.push_back({stepsPerExchange});
}

int ExchangeTuner::fastest() const {
  if (fixed_ > 0) return fixed_;
  if (trial_ == 0) return 1;
  const auto end = trials_.begin() + static_cast<std::ptrdiff_t>(trial_);
  return std::min_element(
             trials_.begin(), end,
             [](const Trial& a, const Trial& b) { return a.stepSeconds() < b.stepSeconds(); })
      ->stepsPerExchange;
}

ExchangePlan ExchangeTuner::next(std::int64_t steps) const {
  const int each = isDecided() ? fastest() : trials_[trial_].stepsPerExchange;
  if (isDecided() || steps < each) return {fastest(), steps, false};
  const std::int64_t cycles = cyclesPerTrial + 1 - std::ssize(cycles_);
  return {each, std::min(cycles, steps / each) * each, true};
}

void ExchangeTuner::record(const ExchangePlan& plan, std::span<const CycleTimes> cycles,
                           Ranks& ranks) {
  if (!plan.isTrial) return;
  cycles_.insert(cycles_.end(), cycles.begin(), cycles.end());
  if (std::ssize(cycles_) > cyclesPerTrial) endTrial(ranks);
}

void ExchangeTuner::endTrial(Ranks& ranks) {
  const std::span<const CycleTimes> measured = std::span(cycles_).subspan(1);
  const CycleTimes own{medianOf(measured, &CycleTimes::all),
                       medianOf(measured, &CycleTimes::compute)};
  CycleTimes& slowest = trials_[trial_].cycle;
  for (const CycleTimes& rank : ranks.allGather(own)) {
    slowest.all = std::max(slowest.all, rank.all);
    slowest.compute = std::max(slowest.compute, rank.compute);
  }
  cycles_.clear();
  ++trial_;
  if (isDecided() && !model_ && trials_.size() == 2) fitModel();
}

/// Finds the best number by the model, and adds trials near it.
void ExchangeTuner::fitModel() {
  const Trial& first = trials_[0];
  const Trial& second = trials_[1];
  const int steps = second.stepsPerExchange;
  const auto exchangeOf = [](const Trial& trial) { return trial.cycle.all - trial.cycle.compute; };
  ExchangeModel model{.rows = static_cast<double>(problem_.rows),
                      .lines = static_cast<double>(problem_.lines),
                      .columns = static_cast<double>(problem_.columns),
                      .reach = static_cast<double>(problem_.reach),
                      .stepBytes = 2 * static_cast<double>(problem_.reach) * problem_.rowBytes};
  // Faces between lines are a row for each of the lines, those between columns likewise.
  double faces = 1;
  if (problem_.lines > 0) faces += model.rows / model.lines;
  if (problem_.columns > 0) faces += model.rows / model.columns;
  model.stepBytes *= faces;
  model.rowSeconds = second.cycle.compute / steps / model.rowsPerStep(steps);
  model.stepTransport =
      std::max(0.0, (exchangeOf(second) - exchangeOf(first)) / (steps - first.stepsPerExchange));
  model.latency = std::max(0.0, exchangeOf(first) - model.stepTransport);
  model_ = model;
  int best = 1;
  for (int each = 1; each <= std::min(problem_.most, mostSelected); each *= 2)
    if (model.stepSeconds(each) < model.stepSeconds(best)) best = each;
  for (const int each : {best / 2, best, 2 * best}) addTrial(std::min(each, mostSelected));
}

}  // namespace mass::detail
