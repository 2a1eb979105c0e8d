#include <mass/program/balance_monitor.hpp>

#include <fmt/format.h>

#include <chrono>
#include <vector>

namespace mass {

detail::Balancing::Balancing(Mass& mass) : mass_(&mass) {
  const Settings& settings = mass.settings();
  folder_ = settings.get<std::string>("output.folder");
  writes_ = settings.get<std::int64_t>("output.table_every") > 0;
  by_ = settings.get<std::string>("balance.by") == "time" ? detail::Balance::time
                                                          : detail::Balance::agents;
  threshold_ = settings.get<double>("balance.threshold");
  if (mass.devices().size() > 1) every_ = settings.get<std::int64_t>("balance.every");
}

void detail::Balancing::look(std::int64_t step) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (const Rebalance& result : mass_->rebalance(by_, threshold_)) {
    ++looks_;
    moves_ += result.after == result.before ? 0 : 1;
    write(step, result);
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

std::map<std::string, std::filesystem::path> detail::Balancing::files() const {
  std::map<std::string, std::filesystem::path> files;
  if (!writes()) return files;
  for (const std::string& places : mass_->placesNames()) {
    files.emplace(places, folder_ / fmt::format("{}{}.csv", tablePrefix, places));
  }
  return files;
}

void detail::Balancing::begin() {
  std::vector<std::string> columns{"imbalance", "expected"};
  for (int device = 0; device < mass_->devices().size(); ++device) {
    columns.push_back(fmt::format("rows.{}", device));
  }
  for (const auto& [places, file] : files()) tables_.try_emplace(places, file, columns);
}

void detail::Balancing::write(std::int64_t step, const Rebalance& result) {
  const auto table = tables_.find(result.places);
  if (table == tables_.end()) return;
  std::vector<double> values{result.imbalance, result.expected};
  values.insert(values.end(), result.before.begin(), result.before.end());
  table->second.add(step, values);
}

void detail::Balancing::finish() {
  for (auto& [places, table] : tables_) table.finish();
}

std::string detail::Balancing::report() const {
  if (every_ == 0) return {};
  std::string text = fmt::format("  balance     {:.3f} s, rows moved at {} of {} looks\n", seconds_,
                                 moves_, looks_);
  for (const auto& [places, table] : tables_) {
    text += fmt::format("  rows        {}\n", table.path().string());
  }
  return text;
}

}  // namespace mass
