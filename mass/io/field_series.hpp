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

/// Grid of a field series. It has 1 to 3 axes; the last one is contiguous. In ParaView the last
/// axis is x, the one before y, the one before that z, all in the direction of increasing index:
/// row 0 of a 2-D world is at the bottom if y points up, whereas pictures show it at the top.
struct FieldGeometry {
  std::vector<std::int64_t> shape;  ///< number of places along each axis, at least 1
  std::vector<double> spacing;  ///< size of a place along each axis, in the model's unit of length
  std::vector<double> origin;   ///< lower corner of the first place along each axis, same unit

  /// Returns the number of places.
  std::size_t places() const;
  /// Returns the coordinates of a place by its row-major index.
  std::vector<std::int64_t> coordinates(std::size_t index) const;
};

/// Time series of fields for ParaView: `<folder>/<name>.vtkhdf`, a temporal VTKHDF image whose
/// cells are the places. The values of each frame are in a file `<folder>/<name>/<step>.vtkhdf`,
/// which can be opened alone; the first file refers to them (HDF5 virtual datasets, relative paths:
/// move the file and the folder together). Files appear by rename, so that they can be opened even
/// if the program is killed. A series of a single frame is an image without time.
class FieldSeries {
 public:
  /// Has no effect on the disk.
  /// @throws UsageError if the name is not a file name, or the geometry is malformed
  FieldSeries(const std::filesystem::path& folder, const std::string& name,
              const FieldGeometry& geometry);
  ~FieldSeries();
  FieldSeries(FieldSeries&&) noexcept;
  FieldSeries& operator=(FieldSeries&&) noexcept;

  /// Begins an empty series. No file of an earlier run is removed.
  /// @param run description of the run, the attribute `run` of all files; empty for none
  /// @throws UsageError if begin(), resume() or add() has been called
  void begin(std::string run);

  /// Continues the series of an earlier run: keeps the frames up to `step` and removes later ones.
  /// @param list list() at the checkpoint of that step: frames are then compared with its
  /// checksums,
  ///   not opened. Empty with a checkpoint of an earlier version: each frame is read in a child
  ///   process.
  /// @param run see begin()
  /// @return note on frames of the list whose files are missing, which are left out; empty if none
  /// is
  /// @throws UsageError if begin(), resume() or add() has been called; OutputError if a kept frame
  ///   has another geometry or is damaged
  std::string resume(std::int64_t step, const std::string& list = {}, std::string run = {});
  /// Returns the list of all frames for a checkpoint: their steps, times and checksums, and names,
  /// types and shapes of their arrays, as a text that is not empty.
  std::string list() const;

  /// Adds a frame. The first frame of a series that was not resumed removes all frames of earlier
  /// runs.
  /// @param step at least 0 and greater than that of the last frame
  /// @param time physical time, in the model's unit
  /// @param arrays values for all places; every frame has the same arrays
  /// @throws UsageError if an argument is not as stated; OutputError if a file cannot be written:
  /// the
  ///   earlier frames are then unchanged, and if it names path(), the new frame is kept and appears
  ///   with the next one
  void add(std::int64_t step, double time, std::span<const FieldArray> arrays);

  /// Returns the paths of all files; empty without frames.
  std::vector<std::filesystem::path> files() const;

  /// Returns the file to open, `<folder>/<name>.vtkhdf`. It exists after the first frame.
  std::filesystem::path path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mass::detail
