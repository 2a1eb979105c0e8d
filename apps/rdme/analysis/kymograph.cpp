#include <apps/rdme/analysis/kymograph.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rdme {
namespace {

/// Returns the indices of the columns named "<prefix>0", "<prefix>1", ...
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

/// Returns the share of particles in the upper half of the layers; 1/2 if there are none.
double upperShare(const std::vector<double>& layers) {
  const auto middle = layers.begin() + static_cast<std::ptrdiff_t>(layers.size() / 2);
  const double all = std::accumulate(layers.begin(), layers.end(), 0.0);
  return all > 0 ? std::accumulate(middle, layers.end(), 0.0) / all : 0.5;
}

/// Returns means over groups of successive times, so that at most `maxTimes` times remain. Times
/// and cuts are the first ones of each group.
Kymograph downsampled(const Kymograph& kymograph, std::size_t maxTimes) {
  const std::size_t groupSize = (kymograph.times.size() + maxTimes - 1) / maxTimes;
  if (groupSize <= 1) return kymograph;
  Kymograph shorter;
  for (std::size_t first = 0; first < kymograph.times.size(); first += groupSize) {
    const std::size_t end = std::min(first + groupSize, kymograph.times.size());
    std::vector<double> mean(kymograph.layers[first].size());
    for (std::size_t t = first; t < end; ++t) {
      for (std::size_t z = 0; z < mean.size(); ++z)
        mean[z] += kymograph.layers[t][z] / static_cast<double>(end - first);
    }
    shorter.times.push_back(kymograph.times[first]);
    shorter.layers.push_back(std::move(mean));
    if (!kymograph.cuts.empty()) shorter.cuts.push_back(kymograph.cuts[first]);
  }
  return shorter;
}

}  // namespace

Kymograph Kymograph::read(const std::filesystem::path& table, const std::string& prefix,
                          double timeStep) {
  mass::CsvReader reader(table);
  const std::vector<std::size_t> columns = columnsOf(reader, table, prefix);
  Kymograph kymograph;
  while (reader.next()) {
    kymograph.times.push_back(reader.number<double>(0) * timeStep);
    std::vector<double>& layers = kymograph.layers.emplace_back();
    for (const std::size_t column : columns) layers.push_back(reader.number<double>(column));
  }
  return kymograph;
}

void Kymograph::readCuts(const std::filesystem::path& table, double timeStep, std::int64_t every) {
  mass::CsvReader reader(table);
  const std::vector<std::size_t> columns = columnsOf(reader, table, "rows.");
  cuts.clear();
  while (reader.next()) {
    std::vector<std::int64_t> now;
    std::int64_t first = 0;
    for (std::size_t device = 0; device + 1 < columns.size(); ++device) {
      first += std::llround(reader.number<double>(columns[device]));
      now.push_back(first);
    }
    const double until = (reader.number<double>(0) + 0.5) * timeStep;
    const double from = until - static_cast<double>(every + 1) * timeStep;
    while (cuts.size() < times.size() && times[cuts.size()] < until) {
      cuts.push_back(times[cuts.size()] < from ? std::vector<std::int64_t>{} : now);
    }
  }
  cuts.resize(times.size());
}

Period oscillationPeriod(const Kymograph& kymograph, double from, double swing) {
  std::vector<double> rises;
  bool wasLow = false;
  for (std::size_t i = 1; i < kymograph.times.size(); ++i) {
    const double before = upperShare(kymograph.layers[i - 1]) - 0.5;
    const double now = upperShare(kymograph.layers[i]) - 0.5;
    if (kymograph.times[i] < from) continue;
    wasLow = wasLow || now < -swing;
    if (!wasLow || !(before < 0 && now >= 0)) continue;
    const double part = before / (before - now);
    rises.push_back(kymograph.times[i - 1] + part * (kymograph.times[i] - kymograph.times[i - 1]));
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

void writeKymograph(const Kymograph& original, const std::vector<double>& sites,
                    const std::filesystem::path& file) {
  // render() reduces both axes by the same factor, so many times would leave few layers.
  const auto widest = static_cast<std::size_t>(mass::RenderSize{}.largest);
  const Kymograph kymograph = downsampled(original, std::max(widest, sites.size()));
  const std::size_t rows = sites.size(), columns = kymograph.times.size();
  std::vector<float> values(rows * columns);
  for (std::size_t t = 0; t < columns; ++t) {
    for (std::size_t z = 0; z < rows; ++z) {
      const double here = sites[z] > 0 ? kymograph.layers[t][z] / sites[z] : 0;
      values[(rows - 1 - z) * columns + t] = static_cast<float>(here);
    }
  }
  const float most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  for (std::size_t t = 0; t < kymograph.cuts.size(); ++t) {
    for (const std::int64_t cut : kymograph.cuts[t]) {
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
