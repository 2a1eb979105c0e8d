#include <mass/partition/optimal_cuts.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mass::detail {
namespace {

/// Returns the prefix sums of `costs`: element i is the total cost of rows [0, i).
std::vector<double> prefixSums(std::span<const double> costs) {
  std::vector<double> sums{0};
  for (const double cost : costs) sums.push_back(sums.back() + cost);
  return sums;
}

/// Binary search: returns the first number of [begin, end) for which `predicate` is true, or `end`.
/// @pre `predicate` is monotone, false before true
template <class Predicate>
std::int64_t binarySearch(std::int64_t begin, std::int64_t end, Predicate&& predicate) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (predicate(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

/// Searches cuts, the first rows of the bands: cut d separates the bands of devices d - 1 and d.
class CutSearch {
 public:
  CutSearch(std::span<const double> costs, int devices, const RowsFit& fit)
      : rows_(static_cast<std::int64_t>(costs.size())),
        devices_(devices),
        sums_(prefixSums(costs)),
        fit_(&fit) {}

  /// Returns the cost of all rows.
  double total() const { return sums_.back(); }
  /// Returns the cost of some rows.
  double costOf(RowRange rows) const { return sumAt(rows.end) - sumAt(rows.begin); }

  /// Returns the smallest cuts for which no band costs more than `maxCost`: the greedy solution
  /// from the last row on. Empty if there is none.
  std::vector<std::int64_t> earliestCuts(double maxCost) const {
    std::vector<std::int64_t> cuts(static_cast<std::size_t>(devices_) + 1, rows_);
    for (int device = devices_ - 1; device >= 0; --device) {
      const auto d = static_cast<std::size_t>(device);
      const std::int64_t end = cuts[d + 1];
      cuts[d] = binarySearch(device, end, [&](std::int64_t begin) {
        return isFeasible(device, {begin, end}, maxCost);
      });
      if (cuts[d] == end) return {};  // a single row is infeasible
    }
    if (cuts[0] > 0) return {};
    return cuts;
  }
  /// Returns the largest feasible end of the band of a device that begins at `begin`; leaves a row
  /// for each later device.
  std::int64_t latestEnd(int device, std::int64_t begin, double maxCost) const {
    return binarySearch(begin + 1, rows_ - (devices_ - 1 - device), [&](std::int64_t end) {
      return !isFeasible(device, {begin, end + 1}, maxCost);
    });
  }
  /// Returns the end of a band from `begin` on whose cost is nearest to an equal share of the
  /// remaining cost among `devices` devices. Among several ends (rows of cost 0) the middle one.
  std::int64_t fairEnd(std::int64_t begin, int devices) const {
    const double fair = sumAt(begin) + (total() - sumAt(begin)) / devices;
    const std::int64_t after =
        binarySearch(begin, rows_, [&](std::int64_t end) { return sumAt(end) >= fair; });
    const bool isNearer = after > begin && fair - sumAt(after - 1) < sumAt(after) - fair;
    const double nearest = sumAt(isNearer ? after - 1 : after);
    const std::int64_t first =
        binarySearch(begin, rows_, [&](std::int64_t end) { return sumAt(end) >= nearest; });
    const std::int64_t last =
        binarySearch(first, rows_, [&](std::int64_t end) { return sumAt(end + 1) > nearest; });
    return first + (last - first) / 2;
  }

 private:
  double sumAt(std::int64_t row) const { return sums_[static_cast<std::size_t>(row)]; }
  bool isFeasible(int device, RowRange rows, double maxCost) const {
    return costOf(rows) <= maxCost && (*fit_)(device, rows);
  }

  std::int64_t rows_;
  int devices_;
  std::vector<double> sums_;
  const RowsFit* fit_;
};

}  // namespace

std::optional<RowPartition> balancedPartition(std::span<const double> costs, int devices,
                                              const RowsFit& fit) {
  const CutSearch search(costs, devices, fit);
  double feasible = search.total();
  std::vector<std::int64_t> earliest = search.earliestCuts(feasible);
  if (earliest.empty()) return std::nullopt;
  // Bisection of the cost of the most expensive band, to a relative 1e-6.
  double infeasible = 0;
  while (feasible - infeasible > 1e-6 * feasible) {
    const double middle = (infeasible + feasible) / 2;
    auto cuts = search.earliestCuts(middle);
    if (cuts.empty()) {
      infeasible = middle;
    } else {
      feasible = middle;
      earliest.swap(cuts);
    }
  }
  std::vector<std::int64_t> bands;
  std::int64_t begin = 0;
  for (int device = 0; device < devices - 1; ++device) {
    const std::int64_t least = std::max(earliest[static_cast<std::size_t>(device) + 1], begin + 1);
    const std::int64_t end = std::clamp(search.fairEnd(begin, devices - device), least,
                                        std::max(least, search.latestEnd(device, begin, feasible)));
    bands.push_back(end - begin);
    begin = end;
  }
  bands.push_back(static_cast<std::int64_t>(costs.size()) - begin);
  return RowPartition::ofBands(bands);
}

RowPartition partitionBySpeed(const RowPartition& before, std::span<const double> seconds,
                              std::span<const double> fixed) {
  const auto devices = static_cast<std::size_t>(before.devices());
  std::vector<double> rowSeconds;
  for (std::size_t device = 0; device < devices; ++device)
    rowSeconds.push_back(seconds[device] /
                         static_cast<double>(before.range(static_cast<int>(device)).size()));
  double speed = 0, rows = static_cast<double>(before.rows());
  for (std::size_t device = 0; device < devices; ++device) {
    speed += 1 / rowSeconds[device];
    rows += fixed[device] / rowSeconds[device];
  }
  // The largest whole numbers of rows within an equal time, and then each further row where it is
  // done first.
  std::vector<std::int64_t> bands;
  std::int64_t left = before.rows();
  for (std::size_t device = 0; device < devices; ++device) {
    const double ideal = (rows / speed - fixed[device]) / rowSeconds[device];
    bands.push_back(std::max<std::int64_t>(static_cast<std::int64_t>(ideal), 1));
    left -= bands.back();
  }
  const auto timeWith = [&](std::size_t device, std::int64_t more) {
    return fixed[device] + rowSeconds[device] * static_cast<double>(bands[device] + more);
  };
  for (; left > 0; --left) {
    std::size_t first = 0;
    for (std::size_t device = 1; device < devices; ++device)
      if (timeWith(device, 1) < timeWith(first, 1)) first = device;
    ++bands[first];
  }
  for (; left < 0; ++left) {  // devices with less than a row have got one
    std::size_t last = 0;
    for (std::size_t device = 1; device < devices; ++device)
      if (bands[last] == 1 || (bands[device] > 1 && timeWith(device, 0) > timeWith(last, 0)))
        last = device;
    --bands[last];
  }
  return RowPartition::ofBands(bands);
}

double imbalanceOf(const RowPartition& partition, std::span<const double> costs) {
  const std::vector<double> sums = prefixSums(costs);
  double largest = 0;
  for (int device = 0; device < partition.devices(); ++device) {
    const RowRange band = partition.range(device);
    largest = std::max(largest, sums[static_cast<std::size_t>(band.end)] -
                                    sums[static_cast<std::size_t>(band.begin)]);
  }
  return sums.back() > 0 ? largest * partition.devices() / sums.back() - 1 : 0;
}

}  // namespace mass::detail
