#include <mass/program/ending.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <regex>
#include <utility>
#include <vector>

namespace mass::detail {

void Ending::begin(ModelRun& model) {
  if (model.endedBy == reason_) {  // before a checkpoint was restored
    model.endedBy.clear();
    model.steps = steps_;
  }
  steps_ = model.steps;
}

SteeringPlan Ending::plan(ModelRun& model) {
  if (model.endedBy.empty() && model.step > 0 && model.step < model.steps && holds(model)) {
    model.endedBy = reason_;
    model.steps = model.step;
  }
  return {.stop = nextStep(model)};
}

bool FunctionEnding::holds(const ModelRun& model) {
  if (model.step % every_ != 0 || model.step == checked_) return false;
  checked_ = model.step;
  return holds_();
}

std::int64_t FunctionEnding::nextStep(const ModelRun& model) const {
  return model.step + every_ - model.step % every_;
}

TableEnding::TableEnding(const Settings& settings)
    : Ending(settings.get<std::string>("until")),
      settings_(&settings),
      every_(settings.get<std::int64_t>("output.table_every")) {
  static const std::regex condition(R"(\s*(\S.*?)\s*(<=|>=|==|<|>)\s*(\S+)\s*)");
  static constexpr std::array<std::pair<const char*, Compare>, 5> comparisons{{
      {"<", [](double a, double b) { return a < b; }},
      {"<=", [](double a, double b) { return a <= b; }},
      {">", [](double a, double b) { return a > b; }},
      {">=", [](double a, double b) { return a >= b; }},
      {"==", [](double a, double b) { return a == b; }},
  }};
  std::smatch parts;
  std::size_t used = 0;
  if (std::regex_match(reason(), parts, condition)) {
    column_ = parts[1];
    for (const auto& [text, compare] : comparisons)
      if (parts[2] == text) compare_ = compare;
    try {
      bound_ = std::stod(parts[3], &used);
    } catch (const std::exception&) {
      used = 0;
    }
  }
  if (used == 0 || used != parts[3].str().size() || std::isnan(bound_)) {
    settings.reject("until",
                    "it must be a column of the table, one of < <= > >= ==, and a number, for "
                    "example 'sheep < 1'");
  }
  if (every_ == 0)
    settings.reject("until", "it is looked up in rows of the table: set output.table_every");
}

void TableEnding::begin(ModelRun& model) {
  Ending::begin(model);
  model_ = &model;
  const std::vector<std::string> names = model.columnNames();
  const auto found = std::ranges::find(names, column_);
  if (found == names.end()) {
    settings_->reject("until", fmt::format("the table has no column '{}'; it has {}", column_,
                                           fmt::join(names, ", ")));
  }
  index_ = static_cast<std::size_t>(found - names.begin());
}

void TableEnding::tableRow(std::int64_t step, std::span<const double> values) {
  // A row of step 0 ends no run, neither at once nor before the next row.
  model_->met = step > 0 && compare_(values[index_], bound_) ? reason() : std::string();
}

bool TableEnding::holds(const ModelRun& model) {
  return model.met == reason();
}

std::int64_t TableEnding::nextStep(const ModelRun& model) const {
  return model.step + every_ - model.step % every_;
}

}  // namespace mass::detail
