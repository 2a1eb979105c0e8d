#include <mass/partition/row_partition.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mass {

RowPartition::RowPartition(std::int64_t rows, std::span<const double> weights) {
  const auto devices = static_cast<std::int64_t>(weights.size());
  if (devices < 1) throw UsageError("a partition needs at least one device, got none");
  if (devices > rows) {
    throw UsageError(
        "{} rows cannot be split over {} devices: every device needs at least one row. Use at most "
        "{} devices.",
        rows, devices, rows);
  }
  for (double weight : weights) {
    if (!(weight > 0) || !std::isfinite(weight)) {
      throw UsageError("a device's weight must be a positive number, got {}", weight);
    }
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  const auto scaled = [&](double weight) { return weight / largest; };  // keeps the sum finite
  const double total =
      std::accumulate(weights.begin(), weights.end(), 0.0,
                      [&](double partial, double weight) { return partial + scaled(weight); });
  double upTo = 0;
  cuts_.push_back(0);
  for (std::int64_t device = 1; device < devices; ++device) {
    upTo += scaled(weights[static_cast<std::size_t>(device - 1)]);
    const auto ideal = std::llround(static_cast<double>(rows) * (upTo / total));
    // Leaves at least one row for this band and for each later one.
    cuts_.push_back(std::clamp<std::int64_t>(ideal, cuts_.back() + 1, rows - (devices - device)));
  }
  cuts_.push_back(rows);
}

RowPartition RowPartition::ofBands(std::span<const std::int64_t> rows) {
  for (const std::int64_t band : rows)
    if (band < 1) throw UsageError("a band of {} rows: every device needs at least one row", band);
  return withIdle(rows);
}

RowPartition RowPartition::withIdle(std::span<const std::int64_t> rows) {
  if (rows.empty()) throw UsageError("a partition needs at least one device, got none");
  RowPartition partition;
  partition.cuts_.push_back(0);
  for (const std::int64_t band : rows) {
    if (band < 0) throw UsageError("a band cannot have {} rows", band);
    partition.cuts_.push_back(partition.cuts_.back() + band);
  }
  if (partition.rows() == 0) throw UsageError("a partition needs a device with rows");
  return partition;
}

bool RowPartition::hasIdle() const {
  return std::ranges::adjacent_find(cuts_) != cuts_.end();
}

bool RowPartition::isOnOneDevice() const {
  return owner(0) == owner(rows() - 1);
}

std::vector<std::int64_t> RowPartition::bands() const {
  std::vector<std::int64_t> rows;
  for (int device = 0; device < devices(); ++device) rows.push_back(range(device).size());
  return rows;
}

RowRange RowPartition::range(int device) const {
  const auto at = static_cast<std::size_t>(device);
  return {cuts_[at], cuts_[at + 1]};
}

int RowPartition::owner(std::int64_t row) const {
  return static_cast<int>(std::upper_bound(cuts_.begin(), cuts_.end(), row) - cuts_.begin()) - 1;
}

}  // namespace mass
