#include <mass/program/balance_monitor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace mass {

void detail::BalanceMonitor::addKeys(Schema& schema) {
  schema.withoutEffectOnResults("balance");
  schema
      .add("balance.by", "time", "",
           "cost model of the load balancer: measured compute time of a row, its number of agents, "
           "or "
           "its expected events (`runEvents`)")
      .oneOf({"time", "agents", "rate"});
  schema.add("balance.every", 0, "steps", "interval between checks of the load balance; 0 = none")
      .atLeast(0);
  schema
      .add("balance.threshold", 0.1, "",
           "rows move if the largest cost of a device exceeds the mean by more than this fraction")
      .atLeast(0);
}

detail::BalanceMonitor::BalanceMonitor(Mass& mass)
    : PlacesTableSink(mass, tablePrefix, "the table of the load balance"), mass_(&mass) {
  const Settings& settings = mass.settings();
  writes_ = settings.get<std::int64_t>("output.table_every") > 0;
  const auto by = settings.get<std::string>("balance.by");
  by_ = by == "time" ? Balance::time : by == "rate" ? Balance::rate : Balance::agents;
  threshold_ = settings.get<double>("balance.threshold");
  if (mass.devices().size() > 1) every_ = settings.get<std::int64_t>("balance.every");
}

void detail::BalanceMonitor::write(std::int64_t step) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (const Rebalance& result : mass_->rebalance(by_, threshold_)) {
    ++checks_;
    moves_ += result.hasMoved() ? 1 : 0;
    add(step, result);
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> detail::BalanceMonitor::tabled() const {
  return writes() ? mass_->placesNames() : std::vector<std::string>{};
}

void detail::BalanceMonitor::begin(const std::string&) {
  std::vector<std::string> columns{"imbalance", "expected"};
  std::vector<std::string> columnsOfBlocks = columns;
  for (int device = 0; device < mass_->devices().size(); ++device) {
    columns.push_back(fmt::format("rows.{}", device));
    columnsOfBlocks.push_back(columns.back());
  }
  for (int device = 0; device < mass_->devices().size(); ++device)
    columnsOfBlocks.push_back(fmt::format("lines.{}", device));
  const std::vector<AnyPlaces> all = mass_->places();
  for (const auto& [places, file] : tableFiles()) {
    const auto found = std::ranges::find(all, places, &AnyPlaces::name);
    const bool areBlocks = found != all.end() && found->population().fields->areBlocks();
    tables_.try_emplace(places, file, areBlocks ? columnsOfBlocks : columns);
  }
}

void detail::BalanceMonitor::add(std::int64_t step, const Rebalance& result) {
  const auto table = tables_.find(result.places);
  if (table == tables_.end()) return;
  std::vector<double> values{result.imbalance, result.expected};
  values.insert(values.end(), result.before.begin(), result.before.end());
  values.insert(values.end(), result.linesBefore.begin(), result.linesBefore.end());
  table->second.add(step, values);
}

void detail::BalanceMonitor::finish() {
  for (auto& [places, table] : tables_) table.finish();
}

std::string detail::BalanceMonitor::report() const {
  std::string text = fmt::format("  balance     {:.3f} s, rows moved in {} of {} checks\n",
                                 seconds_, moves_, checks_);
  for (const auto& [places, table] : tables_) {
    text += fmt::format("  rows        {}\n", table.path().string());
  }
  return text;
}

}  // namespace mass
