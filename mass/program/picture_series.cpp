#include <mass/program/picture_series.hpp>

#include <mass/io/animation.hpp>
#include <mass/io/atomic_file.hpp>
#include <mass/io/image.hpp>
#include <mass/io/print.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

/// Returns the step in the name of a frame file; -1 if `file` is no frame.
std::int64_t frameStep(const fs::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t step = -1;
  if (file.extension() != ".png") return -1;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), step);
  return error == std::errc{} && end == stem.data() + stem.size() ? step : -1;
}

/// Returns the frames in a folder in the order of their steps.
/// @throws OutputError if the folder cannot be read
std::vector<fs::path> framesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (frameStep(entry.path()) >= 0) files.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw cannotWrite(folder, error.code().value());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

PictureSeries::PictureSeries(const Settings& settings, fs::path results, std::string program)
    : settings_(settings),
      results_(std::move(results)),
      program_(std::move(program)),
      every_(settings.get<std::int64_t>("output.frame_every")) {
  style_.hasLegend = settings.get<bool>("output.legend");
}

void PictureSeries::setSource(std::function<Picture()> picture, const std::string& palette) {
  const auto chosen = settings_.get<std::string>("output.palette");
  style_.isPaletteOfModel = chosen == "automatic";
  style_.palette = chosen == "automatic" ? palette : chosen;
  picture_ = std::move(picture);
}

std::vector<fs::path> PictureSeries::animationFiles() const {
  return {results_ / (program_ + ".gif"), results_ / (program_ + ".mp4")};
}

bool PictureSeries::makesAnimations() const {
  return isActive() && settings_.get<std::string>("output.animation") != "none";
}

std::vector<fs::path> PictureSeries::files() const {
  std::vector<fs::path> files = frames_;
  files.insert(files.end(), animations_.begin(), animations_.end());
  return files;
}

void PictureSeries::resume(std::int64_t last) {
  for (const auto& file : framesIn(folder())) {
    std::error_code error;
    if (frameStep(file) > last)
      fs::remove(file, error);
    else
      frames_.push_back(file);
    if (error) throw cannotWrite(file, error.value());
  }
}

void PictureSeries::write(std::int64_t step, const Picture& picture, const std::string& note) {
  const auto [image, colors] = drawPicture(picture, style_, note);
  frames_.push_back(folder() / fmt::format("{:09}.png", step));
  writePng(frames_.back(), image, colors);
}

void PictureSeries::finish() {
  if (!makesAnimations() || frames_.size() < 2) return;
  const double rate = settings_.get<double>("output.frames_per_second");
  const std::vector<fs::path> files = animationFiles();
  try {
    writeGif(files[0], frames_, rate);
    animations_.push_back(files[0]);
    if (writeMp4(files[1], frames_, rate)) animations_.push_back(files[1]);
  } catch (const EncoderError& error) {  // the GIF shows the same frames, so the run succeeds
    printError(fmt::format("{}: warning: {}\n", program_, error.what()));
  } catch (const InputError& error) {  // frames of an earlier run with another legend or palette
    printError(fmt::format("{}: warning: there is no animation of all frames: {}\n", program_,
                           error.what()));
  }
}

std::string PictureSeries::report() const {
  if (!isActive()) return {};
  std::string text =
      fmt::format("  pictures    {} ({} PNG files)\n", folder().string(), frames_.size());
  for (const auto& animation : animations_)
    text += fmt::format("  animation   {}\n", animation.string());
  return text;
}

}  // namespace mass::detail
