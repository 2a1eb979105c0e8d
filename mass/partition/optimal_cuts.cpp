#include <mass/partition/optimal_cuts.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mass::detail {
namespace {

/// What all rows before each row cost, and what all cost.
std::vector<double> sumsOf(std::span<const double> costs) {
  std::vector<double> sums{0};
  for (const double cost : costs) sums.push_back(sums.back() + cost);
  return sums;
}

/// The first number of [begin, end) for which `holds`, or `end`; it must hold for all after one for
/// which it does.
template <class Holds>
std::int64_t firstWhere(std::int64_t begin, std::int64_t end, Holds&& holds) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (holds(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

/// Looks for cuts: cut d lies between the bands of the devices d - 1 and d.
class Cuts {
 public:
  Cuts(std::span<const double> costs, int devices, const RowsFit& fit)
      : rows_(static_cast<std::int64_t>(costs.size())),
        devices_(devices),
        sums_(sumsOf(costs)),
        fit_(&fit) {}

  double total() const { return sums_.back(); }
  double costOf(RowRange rows) const { return sumAt(rows.end) - sumAt(rows.begin); }

  /// Where the cuts lie that are as near to the first row as they can be when no band costs more
  /// than `most`. Empty when rows are left.
  std::vector<std::int64_t> earliest(double most) const {
    std::vector<std::int64_t> cuts(static_cast<std::size_t>(devices_) + 1, rows_);
    for (int device = devices_ - 1; device >= 0; --device) {
      const auto d = static_cast<std::size_t>(device);
      const std::int64_t end = cuts[d + 1];
      cuts[d] = firstWhere(device, end, [&](std::int64_t begin) {
        return suits(device, {begin, end}, most);
      });
      if (cuts[d] == end) return {};  // not even one row
    }
    if (cuts[0] > 0) return {};
    return cuts;
  }
  /// The last row at which the band of a device can end that begins at a row.
  std::int64_t latestEnd(int device, std::int64_t begin, double most) const {
    return firstWhere(begin + 1, rows_ - (devices_ - 1 - device), [&](std::int64_t end) {
      return !suits(device, {begin, end + 1}, most);
    });
  }
  /// The end of a band that costs as near as can be what each of `devices` devices would have of
  /// the rows from `begin` on; in the middle where rows that cost nothing leave a choice.
  std::int64_t fairEnd(std::int64_t begin, int devices) const {
    const double fair = sumAt(begin) + (total() - sumAt(begin)) / devices;
    const std::int64_t after =
        firstWhere(begin, rows_, [&](std::int64_t end) { return sumAt(end) >= fair; });
    const bool isNearer = after > begin && fair - sumAt(after - 1) < sumAt(after) - fair;
    const double nearest = sumAt(isNearer ? after - 1 : after);
    const std::int64_t first =
        firstWhere(begin, rows_, [&](std::int64_t end) { return sumAt(end) >= nearest; });
    const std::int64_t last =
        firstWhere(first, rows_, [&](std::int64_t end) { return sumAt(end + 1) > nearest; });
    return first + (last - first) / 2;
  }

 private:
  double sumAt(std::int64_t row) const { return sums_[static_cast<std::size_t>(row)]; }
  bool suits(int device, RowRange rows, double most) const {
    return costOf(rows) <= most && (*fit_)(device, rows);
  }

  std::int64_t rows_;
  int devices_;
  std::vector<double> sums_;
  const RowsFit* fit_;
};

}  // namespace

std::optional<RowPartition> balancedPartition(std::span<const double> costs, int devices,
                                              const RowsFit& fit) {
  const Cuts cuts(costs, devices, fit);
  double most = cuts.total();
  std::vector<std::int64_t> earliest = cuts.earliest(most);
  if (earliest.empty()) return std::nullopt;
  // What the dearest band costs at least, to some millionths: cuts are at whole rows.
  double tooLittle = 0;
  while (most - tooLittle > 1e-6 * most) {
    const double middle = (tooLittle + most) / 2;
    auto cutsThen = cuts.earliest(middle);
    if (cutsThen.empty()) {
      tooLittle = middle;
    } else {
      most = middle;
      earliest = std::move(cutsThen);
    }
  }
  std::vector<std::int64_t> bands;
  std::int64_t begin = 0;
  for (int device = 0; device < devices - 1; ++device) {
    const std::int64_t least = std::max(earliest[static_cast<std::size_t>(device) + 1], begin + 1);
    const std::int64_t end = std::clamp(cuts.fairEnd(begin, devices - device), least,
                                        std::max(least, cuts.latestEnd(device, begin, most)));
    bands.push_back(end - begin);
    begin = end;
  }
  bands.push_back(static_cast<std::int64_t>(costs.size()) - begin);
  return RowPartition::ofBands(bands);
}

double imbalanceOf(const RowPartition& partition, std::span<const double> costs) {
  const std::vector<double> sums = sumsOf(costs);
  double most = 0;
  for (int device = 0; device < partition.devices(); ++device) {
    const RowRange band = partition.range(device);
    most = std::max(most, sums[static_cast<std::size_t>(band.end)] -
                              sums[static_cast<std::size_t>(band.begin)]);
  }
  return sums.back() > 0 ? most * partition.devices() / sums.back() - 1 : 0;
}

}  // namespace mass::detail
