#pragma once

#include <mass/io/field_array.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// The grid of a field series: 1 to 3 axes, axis 0 the slowest in memory; lists in the order of the
/// axes. For ParaView the last axis is x, the one before y, the one before z, each growing with the
/// index: row 0 of a 2-D world lies at the bottom of a view whose y points up (pictures show it at
/// the top).
struct FieldGeometry {
  std::vector<std::int64_t> shape;  ///< places along each axis, each at least 1
  std::vector<double>
      spacing;                 ///< extent of a place along each axis, in the model's unit of length
  std::vector<double> origin;  ///< the lower corner of place (0, 0, 0) in the same unit
};

/// Frames of a run that ParaView opens as one time series, as it is: `<folder>/<name>.vtkhdf`, a
/// temporal VTKHDF image whose cells are the places. The values lie in a file of their own a frame,
/// `<folder>/<name>/<step>.vtkhdf`, which can be opened alone; the first file only points at them
/// (HDF5 virtual datasets, relative paths: move the file and the folder together). Files appear by
/// rename, so that whatever kills the program, what is there can be opened. A series of a single
/// frame is a plain image without time.
///
/// No two threads may use this class or the checkpoint files at the same time.
class FieldSeries {
 public:
  /// Touches no file. Throws UsageError if the geometry makes no sense.
  FieldSeries(const std::filesystem::path& folder, const std::string& name,
              const FieldGeometry& geometry);
  ~FieldSeries();
  FieldSeries(FieldSeries&&) noexcept;
  FieldSeries& operator=(FieldSeries&&) noexcept;

  /// Goes on with the frames an earlier run left: keeps those of steps up to `step`, removes later
  /// ones. Only before the first add(). Throws OutputError if a kept frame has another geometry or
  /// is damaged.
  void resume(std::int64_t step);

  /// Adds the frame of `step` (≥ 0, later than the last one) at the physical time `time`. Every
  /// frame must have the same arrays. The first frame of a series that was not resumed removes all
  /// frames of earlier runs. Throws OutputError, UsageError. After an OutputError the frames before
  /// are as they were; if it names path(), the new frame is kept too and shows with the next one.
  void add(std::int64_t step, double time, std::span<const FieldArray> arrays);

  /// The file to open: `<folder>/<name>.vtkhdf`. It exists once there is a frame.
  std::filesystem::path path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mass::detail
