#pragma once

#include <mass/support/export.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace mass {

/// Rows [begin, end) of axis 0.
struct RowRange {
  std::int64_t begin = 0;  ///< first row
  std::int64_t end = 0;    ///< row after the last one

  /// Returns the number of rows.
  std::int64_t size() const { return end - begin; }
  /// True if both ends are equal.
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// Partition of the rows of a world (axis 0) into one contiguous band for each device, in the order
/// of the devices. Bands have rows, but those of idle devices.
class MASS_EXPORT RowPartition {
 public:
  /// Divides rows in proportion to weights, rounded to whole rows, at least one for each device.
  /// @param rows number of rows
  /// @param weights relative size of the band of each device; positive and finite
  /// @throws UsageError if there is no device, there are more devices than rows, or a weight is not
  /// positive and finite
  RowPartition(std::int64_t rows, std::span<const double> weights);
  /// Returns the partition with the given number of rows for each device.
  /// @throws UsageError if there is no band or a band has no rows
  static RowPartition ofBands(std::span<const std::int64_t> rows);
  /// Returns the partition as ofBands(); a device without rows is idle.
  /// @throws UsageError if a number is negative or all are 0
  static RowPartition withIdle(std::span<const std::int64_t> rows);

  /// Returns the number of rows of the world.
  std::int64_t rows() const { return cuts_.back(); }
  /// Returns the number of devices.
  int devices() const { return static_cast<int>(cuts_.size()) - 1; }
  /// Returns the band of a device, 0 <= device < devices().
  RowRange range(int device) const;
  /// Returns the device that owns a row, 0 <= row < rows().
  int owner(std::int64_t row) const;
  /// Returns the number of rows of each device.
  std::vector<std::int64_t> bands() const;
  /// True if a device has no rows.
  bool isIdle(int device) const { return range(device).size() == 0; }
  /// True if some device has no rows.
  bool hasIdle() const;
  /// True if one device has all rows.
  bool isOnOneDevice() const;

  /// True if both have the same bands.
  friend bool operator==(const RowPartition&, const RowPartition&) = default;

 private:
  RowPartition() = default;

  std::vector<std::int64_t> cuts_;  // first row of each device, then the number of rows
};

}  // namespace mass
