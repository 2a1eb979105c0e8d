#include <apps/rdme/analysis/kymograph.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace rdme {
namespace {

/// The columns of a table whose names are `prefix` and numbers from 0.
std::vector<std::size_t> columnsOf(const mass::CsvReader& reader,
                                   const std::filesystem::path& table, const std::string& prefix) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < reader.columns().size(); ++i) {
    if (reader.columns()[i] == prefix + std::to_string(columns.size())) columns.push_back(i);
  }
  if (columns.empty()) {
    throw mass::InputError("{} has no columns {}0, {}1, ...", table.string(), prefix, prefix);
  }
  return columns;
}

/// The share in the upper half; one half where there is nothing.
double upperShare(const std::vector<double>& layers) {
  const auto middle = layers.begin() + static_cast<std::ptrdiff_t>(layers.size() / 2);
  const double all = std::accumulate(layers.begin(), layers.end(), 0.0);
  return all > 0 ? std::accumulate(middle, layers.end(), 0.0) / all : 0.5;
}

/// The means over so many times each as make no more than `most` of them; cuts as at the first.
Kymograph downsampled(const Kymograph& course, std::size_t most) {
  const std::size_t together = (course.times.size() + most - 1) / most;
  if (together <= 1) return course;
  Kymograph shorter;
  for (std::size_t first = 0; first < course.times.size(); first += together) {
    const std::size_t end = std::min(first + together, course.times.size());
    std::vector<double> mean(course.layers[first].size());
    for (std::size_t t = first; t < end; ++t) {
      for (std::size_t z = 0; z < mean.size(); ++z)
        mean[z] += course.layers[t][z] / static_cast<double>(end - first);
    }
    shorter.times.push_back(course.times[first]);
    shorter.layers.push_back(std::move(mean));
    if (!course.cuts.empty()) shorter.cuts.push_back(course.cuts[first]);
  }
  return shorter;
}

}  // namespace

double valueAt(const mass::CsvReader& reader, std::size_t column) {
  std::vector<char> bytes;
  reader.read(column, mass::elementTypeOf<double>(), bytes);
  double value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

Kymograph Kymograph::read(const std::filesystem::path& table, const std::string& prefix,
                          double timeStep) {
  mass::CsvReader reader(table);
  const std::vector<std::size_t> columns = columnsOf(reader, table, prefix);
  Kymograph course;
  while (reader.next()) {
    course.times.push_back(valueAt(reader, 0) * timeStep);
    std::vector<double>& layers = course.layers.emplace_back();
    for (const std::size_t column : columns) layers.push_back(valueAt(reader, column));
  }
  return course;
}

void Kymograph::readCuts(const std::filesystem::path& table, double timeStep, std::int64_t every) {
  mass::CsvReader reader(table);
  const std::vector<std::size_t> columns = columnsOf(reader, table, "rows.");
  cuts.clear();
  while (reader.next()) {
    std::vector<std::int64_t> now;
    std::int64_t first = 0;
    for (std::size_t device = 0; device + 1 < columns.size(); ++device) {
      first += std::llround(valueAt(reader, columns[device]));
      now.push_back(first);
    }
    const double until = (valueAt(reader, 0) + 0.5) * timeStep;
    const double from = until - static_cast<double>(every + 1) * timeStep;
    while (cuts.size() < times.size() && times[cuts.size()] < until) {
      cuts.push_back(times[cuts.size()] < from ? std::vector<std::int64_t>{} : now);
    }
  }
  cuts.resize(times.size());
}

Period periodOf(const Kymograph& course, double from, double swing) {
  std::vector<double> rises;
  bool wasLow = false;
  for (std::size_t i = 1; i < course.times.size(); ++i) {
    const double before = upperShare(course.layers[i - 1]) - 0.5;
    const double now = upperShare(course.layers[i]) - 0.5;
    if (course.times[i] < from) continue;
    wasLow = wasLow || now < -swing;
    if (!wasLow || !(before < 0 && now >= 0)) continue;
    const double part = before / (before - now);
    rises.push_back(course.times[i - 1] + part * (course.times[i] - course.times[i - 1]));
    wasLow = false;
  }
  Period period;
  if (rises.size() < 2) return period;
  period.cycles = rises.size() - 1;
  const auto cycles = static_cast<double>(period.cycles);
  period.mean = (rises.back() - rises.front()) / cycles;
  double squares = 0;
  for (std::size_t i = 1; i < rises.size(); ++i) {
    squares += std::pow(rises[i] - rises[i - 1] - period.mean, 2);
  }
  period.spread = period.cycles > 1 ? std::sqrt(squares / (cycles - 1)) : 0;
  return period;
}

void writeKymograph(const Kymograph& whole, const std::vector<double>& sites,
                    const std::filesystem::path& file) {
  // A picture is reduced alike along both axes: with many times there would be nothing left of z.
  const auto widest = static_cast<std::size_t>(mass::RenderSize{}.largest);
  const Kymograph course = downsampled(whole, std::max(widest, sites.size()));
  const std::size_t rows = sites.size(), columns = course.times.size();
  std::vector<float> values(rows * columns);
  for (std::size_t t = 0; t < columns; ++t) {
    for (std::size_t z = 0; z < rows; ++z) {
      const double here = sites[z] > 0 ? course.layers[t][z] / sites[z] : 0;
      values[(rows - 1 - z) * columns + t] = static_cast<float>(here);
    }
  }
  const float most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  for (std::size_t t = 0; t < course.cuts.size(); ++t) {
    for (const std::int64_t cut : course.cuts[t]) {
      float& value = values[(rows - 1 - static_cast<std::size_t>(cut)) * columns + t];
      value = value < most / 2 ? most : 0;
    }
  }
  mass::writePng(file,
                 mass::render(values, static_cast<std::int64_t>(rows),
                              static_cast<std::int64_t>(columns), 0, most),
                 mass::ColorMap::named("heat"));
}

}  // namespace rdme
