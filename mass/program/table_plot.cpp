#include <mass/program/table_plot.hpp>

#include <mass/io/csv_reader.hpp>
#include <mass/io/plot.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace mass::detail {
namespace {

constexpr const char* key = "output.plot";

}  // namespace

void TablePlot::addKeys(Schema& schema) {
  schema.add(
      key, std::vector<std::string>{}, "",
      "columns of the table that are plotted as lines at the end, as SVG and PNG; empty = none");
}

TablePlot::TablePlot(const Settings& settings)
    : settings_(settings), columns_(settings.get<std::vector<std::string>>(key)) {}

void TablePlot::requireColumns(const std::string& program,
                               const std::vector<std::string>& columns) const {
  if (columns_.empty()) return;
  if (columns.empty()) {
    settings_.reject(key,
                     fmt::format("'{}' writes no table: set output.table_every to the interval "
                                 "of its rows, or leave {} out",
                                 program, key));
  }
  std::set<std::string> names{"step"};  // first column of every table
  for (const std::string& column : columns) {
    if (names.insert(column).second) continue;
    settings_.reject(key, fmt::format("the table has two columns '{}', and a plot needs columns of "
                                      "different names: rename one in the program",
                                      column));
  }
  for (const std::string& column : columns_) {
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
    const std::string nearest = nearestName(column, columns);
    const std::string hint = nearest.empty()
                                 ? fmt::format("the columns are {}", fmt::join(columns, ", "))
                                 : fmt::format("did you mean '{}'?", nearest);
    settings_.reject(key, fmt::format("the table has no column '{}'; {}", column, hint));
  }
}

std::vector<std::filesystem::path> TablePlot::files(const std::filesystem::path& table) const {
  if (columns_.empty()) return {};
  std::vector<std::filesystem::path> files(2, table);
  files[0].replace_extension(".plot.svg");
  files[1].replace_extension(".plot.png");
  return files;
}

void TablePlot::write(const std::string& title, const std::filesystem::path& table,
                      double timeStep) const {
  if (columns_.empty()) return;
  CsvReader csv(table);
  Plot plot;
  plot.title = title;
  plot.xLabel = timeStep == 1 ? "step" : "time (s)";
  std::vector<std::size_t> numbers;  // indices of the columns
  for (const std::string& column : columns_) {
    const auto found = std::find(csv.columns().begin() + 1, csv.columns().end(), column);
    numbers.push_back(static_cast<std::size_t>(found - csv.columns().begin()));
    plot.lines.push_back({column, {}});
  }
  while (csv.next()) {
    plot.x.push_back(csv.number<double>(0) * timeStep);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      plot.lines[i].values.push_back(csv.number<double>(numbers[i]));
  }
  writePlot(plot, files(table).front().replace_extension());
}

}  // namespace mass::detail
