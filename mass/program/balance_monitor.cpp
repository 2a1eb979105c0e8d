#include <mass/program/balance_monitor.hpp>

#include <fmt/format.h>

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
    moves_ += result.after == result.before ? 0 : 1;
    add(step, result);
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> detail::BalanceMonitor::tabled() const {
  return writes() ? mass_->placesNames() : std::vector<std::string>{};
}

void detail::BalanceMonitor::begin(const std::string&) {
  std::vector<std::string> columns{"imbalance", "expected"};
  for (int device = 0; device < mass_->devices().size(); ++device) {
    columns.push_back(fmt::format("rows.{}", device));
  }
  for (const auto& [places, file] : tableFiles()) tables_.try_emplace(places, file, columns);
}

void detail::BalanceMonitor::add(std::int64_t step, const Rebalance& result) {
  const auto table = tables_.find(result.places);
  if (table == tables_.end()) return;
  std::vector<double> values{result.imbalance, result.expected};
  values.insert(values.end(), result.before.begin(), result.before.end());
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
