#pragma once

#include <mass/io/picture.hpp>
#include <mass/io/settings.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace mass::detail {

/// Pictures of a run: frames `frames/<step>.png` at intervals of steps, and animations of all
/// frames, `<program>.gif` and `<program>.mp4`. Reads the settings `output.*` that concern them.
class PictureSeries {
 public:
  /// @param settings must outlive this
  /// @param results folder of the results
  /// @param program name of the program
  PictureSeries(const Settings& settings, std::filesystem::path results, std::string program);

  /// Sets the function that makes the pictures, and the palette if the settings name none.
  void setSource(std::function<Picture()> picture, const std::string& palette);
  /// True if there is such a function.
  bool hasSource() const { return picture_ != nullptr; }
  /// True if the run draws pictures.
  bool isActive() const { return hasSource() && every_ > 0; }
  /// Steps between two pictures; 0: none.
  std::int64_t every() const { return every_; }

  /// Returns the folder of the frames.
  std::filesystem::path folder() const { return results_ / "frames"; }
  /// Returns the paths of the animations, which may not exist.
  std::vector<std::filesystem::path> animationFiles() const;
  /// True if the run makes animations.
  bool makesAnimations() const;
  /// Returns the paths of the frames and animations of the run.
  std::vector<std::filesystem::path> files() const;

  /// Lists the frames of the run that is continued, and removes those of steps after `last`.
  /// @throws OutputError if the folder cannot be read or a frame not removed
  void resume(std::int64_t last);
  /// Returns the present picture. All ranks call it together.
  Picture draw() const { return picture_(); }
  /// Writes a frame. @param note text at the right of the legend
  /// @throws UsageError, see drawPicture()
  /// @throws OutputError if the frame cannot be written
  void write(std::int64_t step, const Picture& picture, const std::string& note);
  /// Writes the animations of all frames, if there are two or more. Prints a warning if they cannot
  /// be made. @throws OutputError if one cannot be written
  void finish();
  /// Returns lines for the summary of the run; empty without pictures.
  std::string report() const;

 private:
  const Settings& settings_;
  std::filesystem::path results_;
  std::string program_;
  std::int64_t every_;
  PictureStyle style_;
  std::function<Picture()> picture_;
  std::vector<std::filesystem::path> frames_, animations_;
};

}  // namespace mass::detail
