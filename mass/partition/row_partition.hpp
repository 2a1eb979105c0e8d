#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mass {

/// Rows [begin, end) of axis 0.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// Which device owns which rows: contiguous bands in device order, covering every row once.
class RowPartition {
 public:
  /// Splits `rows` rows into one band for each weight, of sizes as near to the weights' shares as
  /// whole rows allow and never empty.
  /// @throws UsageError when there are more devices than rows, no device, or a weight that is not a
  /// positive finite number.
  RowPartition(std::int64_t rows, std::span<const double> weights);
  /// Bands of so many rows, by device.
  /// @throws UsageError when there is no band, or one without rows.
  static RowPartition ofBands(std::span<const std::int64_t> rows);

  std::int64_t rows() const { return cuts_.back(); }
  int devices() const { return static_cast<int>(cuts_.size()) - 1; }
  RowRange range(int device) const;
  /// The device that owns a row, 0 <= row < rows().
  int owner(std::int64_t row) const;
  /// Rows of each device.
  std::vector<std::int64_t> bands() const;

  friend bool operator==(const RowPartition&, const RowPartition&) = default;

 private:
  RowPartition() = default;

  std::vector<std::int64_t> cuts_;  // cuts_[d] is the first row of device d; one more at the end
};

}  // namespace mass
