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

/// Time series of points for ParaView; the number of points may change. The files are named like
/// those of a FieldSeries; they hold a temporal VTKHDF unstructured grid whose cells are the points
/// (VTK_VERTEX).
class PointSeries {
 public:
  /// Has no effect on the disk.
  /// @throws UsageError if `name` is not a file name
  PointSeries(const std::filesystem::path& folder, const std::string& name);
  ~PointSeries();
  PointSeries(PointSeries&&) noexcept;
  PointSeries& operator=(PointSeries&&) noexcept;

  /// Begins an empty series. No file of an earlier run is removed.
  /// @param run description of the run, the attribute `run` of all files; empty for none
  /// @throws UsageError if begin(), resume() or add() has been called
  void begin(std::string run);

  /// Continues the series of an earlier run; see FieldSeries::resume.
  std::string resume(std::int64_t step, const std::string& list = {}, std::string run = {});
  /// Returns the list of all frames for a checkpoint; see FieldSeries::list.
  std::string list() const;

  /// Adds a frame; see FieldSeries::add for the step, time and errors.
  /// @param count number of points
  /// @param positions x, y and z of each point, float32 or float64
  /// @param arrays further values of each point; every frame has the same arrays
  void add(std::int64_t step, double time, std::size_t count, const FieldArray& positions,
           std::span<const FieldArray> arrays);

  /// Returns the paths of all files; empty without frames.
  std::vector<std::filesystem::path> files() const;

  /// Returns the file to open, `<folder>/<name>.vtkhdf`. It exists after the first frame.
  std::filesystem::path path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mass::detail
