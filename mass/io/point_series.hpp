#pragma once

#include <mass/io/field_array.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace mass::detail {

/// Points over a run, as many at a time as there happen to be, that ParaView opens as one time
/// series: the files are those of a FieldSeries, but hold a temporal VTKHDF unstructured grid whose
/// cells are the points (VTK_VERTEX).
///
/// No two threads may use this class or the checkpoint files at the same time.
class PointSeries {
 public:
  /// Touches no file. Throws UsageError when the name is none for a file.
  PointSeries(const std::filesystem::path& folder, const std::string& name);
  ~PointSeries();
  PointSeries(PointSeries&&) noexcept;
  PointSeries& operator=(PointSeries&&) noexcept;

  /// As FieldSeries::resume.
  void resume(std::int64_t step);

  /// Adds the frame of `step` with `count` points; as FieldSeries::add. `positions` are x, y and z,
  /// float32 or float64; `arrays` are what else is known of the points.
  void add(std::int64_t step, double time, std::size_t count, const FieldArray& positions,
           std::span<const FieldArray> arrays);

  /// The file to open: `<folder>/<name>.vtkhdf`. It exists once there is a frame.
  std::filesystem::path path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mass::detail
