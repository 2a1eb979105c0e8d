#pragma once

#include <mass/io/picture.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/sink.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mass::detail {

/// Returns the palette and the legend that the settings ask for.
PictureStyle pictureStyleOf(const ModelRun& model);

/// Pictures of a run: frames `frames/<step>.png` at intervals of steps, and animations of all
/// frames, `<program>.gif` and `<program>.mp4`. Reads the settings `output.*` that concern them.
class PictureSink : public Sink {
 public:
  /// All parameters must outlive this.
  PictureSink(const ModelRun& model, const FiniteCheck& check);

  std::int64_t every() const override { return model_.picture ? every_ : 0; }
  void addNames(OutputNames& names) const override;
  std::vector<UsedPath> finalFiles() const override;
  std::vector<UsedPath> folders() const override;
  std::vector<std::filesystem::path> files() const override;
  /// Creates the folder of the frames.
  /// @throws OutputError if that fails
  void prepare() override;
  void begin(const std::string&) override {}
  /// Lists the frames of the run that is continued, and removes those of later steps.
  /// @throws OutputError if the folder cannot be read or a frame not removed
  std::string resume(const ContinuedRun& from, const std::string& run) override;
  /// @throws UsageError, see drawPicture()
  /// @throws OutputError if the frame cannot be written
  void write(std::int64_t step) override;
  /// Writes the animations of all frames, if there are two or more. Prints a warning if they cannot
  /// be made. @throws OutputError if one cannot be written
  void finish() override;
  std::string report() const override;

 private:
  std::filesystem::path folder() const { return results_ / "frames"; }
  std::vector<std::filesystem::path> animationFiles() const;
  bool makesAnimations() const;
  void writeAnimations();

  const ModelRun& model_;
  const FiniteCheck& check_;
  std::filesystem::path results_;
  std::int64_t every_;
  std::vector<std::filesystem::path> frames_, animations_;
};

}  // namespace mass::detail
