#include <apps/calcium/front.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <cmath>

namespace calcium {
namespace {

/// Returns the time at which each site is first passed after the injection; negative: never.
std::vector<double> firstPassages(const Profile& profile, const FrontRule& rule) {
  std::vector<double> first, before;
  double timeBefore = 0;
  for (std::size_t t = 0; t < profile.times.size(); ++t) {
    const double time = profile.times[t];
    if (time < rule.from) continue;
    const std::vector<double> now = meansOver(profile.calcium[t], rule.reach);
    if (first.empty()) first.assign(now.size(), -1);
    for (std::size_t site = 0; site < now.size() && !before.empty(); ++site) {
      if (first[site] >= 0 || !(now[site] > rule.level)) continue;
      const double rise = now[site] - before[site];
      const double part = rise > 0 ? std::max(0.0, (rule.level - before[site]) / rise) : 0;
      first[site] = timeBefore + part * (time - timeBefore);
    }
    before = now;
    timeBefore = time;
  }
  return first;
}

/// Measures one side. @param sign -1: left, 1: right
Front measureFront(const std::vector<double>& first, double spacing, int sign) {
  Front front;
  const double half = 0.5 * static_cast<double>(first.size()) * spacing;
  double x = 0, t = 0, tt = 0, xt = 0;
  for (std::size_t site = 0; site < first.size(); ++site) {
    const double distance = sign * ((static_cast<double>(site) + 0.5) * spacing - half);
    if (distance < 0.15 * half || distance > 0.8 * half) continue;
    ++front.sites;
    if (first[site] < 0) continue;
    ++front.passed;
    x += distance;
    t += first[site];
    tt += first[site] * first[site];
    xt += first[site] * distance;
  }
  const auto n = static_cast<double>(front.passed);
  const double spread = n * tt - t * t;
  if (front.hasPassed() && spread > 0) front.speed = (n * xt - t * x) / spread * 1e3;
  return front;
}

std::string textOf(const Front& front) {
  return front.hasPassed() ? fmt::format("{:.1f} um/s", front.speed)
                           : fmt::format("stopped after {} of {} sites", front.passed, front.sites);
}

}  // namespace

Profile Profile::read(const std::filesystem::path& table) {
  mass::CsvReader reader(table);
  const auto& names = reader.columns();
  const auto timeAt =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "time") - names.begin());
  const auto firstAt =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "Ca.0") - names.begin());
  if (timeAt == names.size() || firstAt == names.size())
    throw mass::InputError("{} has no columns time and Ca.0, Ca.1, ...", table.string());
  std::size_t end = firstAt;
  while (end < names.size() && names[end] == fmt::format("Ca.{}", end - firstAt)) ++end;
  Profile profile;
  while (reader.next()) {
    profile.times.push_back(reader.number<double>(timeAt));
    std::vector<double>& row = profile.calcium.emplace_back();
    for (std::size_t column = firstAt; column < end; ++column)
      row.push_back(reader.number<double>(column));
  }
  return profile;
}

double Profile::largest(double from) const {
  double most = 0;
  for (std::size_t t = 0; t < times.size(); ++t)
    if (times[t] >= from)
      most = std::max(most, *std::max_element(calcium[t].begin(), calcium[t].end()));
  return most;
}

std::vector<double> meansOver(std::span<const double> values, std::int64_t reach) {
  std::vector<double> sums(values.size() + 1), means(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + values[i];
  const auto size = static_cast<std::int64_t>(values.size());
  for (std::int64_t i = 0; i < size; ++i) {
    const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, i - reach));
    const auto end = static_cast<std::size_t>(std::min(size, i + reach + 1));
    means[static_cast<std::size_t>(i)] =
        (sums[end] - sums[begin]) / static_cast<double>(end - begin);
  }
  return means;
}

std::string Fronts::text() const {
  return fmt::format("left {}, right {}", textOf(left), textOf(right));
}

std::pair<double, double> frontsAt(std::span<const double> calcium, const FrontRule& rule) {
  const std::vector<double> means = meansOver(calcium, rule.reach);
  const double half = 0.5 * static_cast<double>(means.size()) * rule.spacing;
  double left = 0, right = 0;
  for (std::size_t site = 0; site < means.size(); ++site) {
    if (!(means[site] > rule.level)) continue;
    const double distance = (static_cast<double>(site) + 0.5) * rule.spacing - half;
    left = std::max(left, -distance);
    right = std::max(right, distance);
  }
  return {left, right};
}

Fronts measureFronts(const Profile& profile, const FrontRule& rule) {
  const std::vector<double> first = firstPassages(profile, rule);
  return {measureFront(first, rule.spacing, -1), measureFront(first, rule.spacing, 1)};
}

void writeSpaceTime(const Profile& profile, double most, const std::filesystem::path& file) {
  const std::size_t rows = profile.calcium.front().size();
  // mass::render() reduces both axes by one factor: many times would leave few sites.
  const auto widest = std::max(static_cast<std::size_t>(mass::RenderSize{}.largest), rows);
  const std::size_t group = (profile.times.size() + widest - 1) / widest;
  const std::size_t columns = (profile.times.size() + group - 1) / group;
  std::vector<float> values(rows * columns);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = column * group, end = std::min(first + group, profile.times.size());
    for (std::size_t site = 0; site < rows; ++site) {
      double sum = 0;
      for (std::size_t t = first; t < end; ++t) sum += profile.calcium[t][site];
      values[(rows - 1 - site) * columns + column] =
          static_cast<float>(sum / static_cast<double>(end - first));
    }
  }
  const float high =
      most > 0 ? static_cast<float>(most) : *std::max_element(values.begin(), values.end());
  mass::writePng(file,
                 mass::render(values, static_cast<std::int64_t>(rows),
                              static_cast<std::int64_t>(columns), 0, high),
                 mass::ColorMap::named("heat"));
}

}  // namespace calcium
