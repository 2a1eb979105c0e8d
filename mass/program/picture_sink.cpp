#include <mass/program/picture_sink.hpp>

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

/// Returns the step and, if a step has a length in time, the time.
std::string timeText(const ModelRun& model, std::int64_t step) {
  if (model.timeStep == 1) return fmt::format("step {}", step);
  return fmt::format("step {}, {:.4g} s", step, static_cast<double>(step) * model.timeStep);
}

}  // namespace

PictureStyle pictureStyleOf(const ModelRun& model) {
  const Settings& settings = model.mass.settings();
  const auto chosen = settings.get<std::string>("output.palette");
  PictureStyle style;
  style.isPaletteOfModel = chosen == "automatic";
  style.palette = style.isPaletteOfModel ? model.palette : chosen;
  style.hasLegend = settings.get<bool>("output.legend");
  return style;
}

PictureSink::PictureSink(const ModelRun& model, const FiniteCheck& check)
    : model_(model),
      check_(check),
      results_(model.mass.settings().get<std::string>("output.folder")),
      every_(model.mass.settings().get<std::int64_t>("output.frame_every")) {}

void PictureSink::addNames(OutputNames& names) const {
  for (const char* const extension : {".gif", ".mp4"}) names.addFile(model_.name + extension);
  names.series.push_back({"frames", ".png", OutputNames::digitsOfFrames});
}

std::vector<UsedPath> PictureSink::finalFiles() const {
  std::vector<UsedPath> files;
  if (!makesAnimations()) return files;
  for (const auto& file : animationFiles()) files.emplace_back("the animation", file);
  return files;
}

std::vector<UsedPath> PictureSink::folders() const {
  std::vector<UsedPath> paths{{"the folder of the pictures", folder()}};
  for (const auto& file : animationFiles()) paths.emplace_back("the animation", file);
  return paths;
}

std::vector<fs::path> PictureSink::animationFiles() const {
  return {results_ / (model_.name + ".gif"), results_ / (model_.name + ".mp4")};
}

bool PictureSink::makesAnimations() const {
  return isActive() && model_.mass.settings().get<std::string>("output.animation") != "none";
}

std::vector<fs::path> PictureSink::files() const {
  std::vector<fs::path> files = frames_;
  files.insert(files.end(), animations_.begin(), animations_.end());
  return files;
}

void PictureSink::prepare() {
  makeFolder(folder());
}

std::string PictureSink::resume(const ContinuedRun& from, const std::string&) {
  for (const auto& file : framesIn(folder())) {
    std::error_code error;
    if (frameStep(file) > from.step)
      fs::remove(file, error);
    else
      frames_.push_back(file);
    if (error) throw cannotWrite(file, error.value());
  }
  return {};
}

void PictureSink::write(std::int64_t step) {
  const Picture picture = model_.pictureWithLayers();
  check_.requirePicture(step, picture.values, picture.columns);
  if (!model_.mass.devices().ranks().isFirst()) return;
  const auto [image, colors] = drawPicture(picture, pictureStyleOf(model_), timeText(model_, step));
  frames_.push_back(folder() / fmt::format("{:0{}}.png", step, OutputNames::digitsOfFrames));
  writePng(frames_.back(), image, colors);
}

void PictureSink::finish() {
  if (!makesAnimations() || frames_.size() < 2) return;
  try {
    writeAnimations();
  } catch (const EncoderError& error) {  // the GIF shows the same frames, so the run succeeds
    printError(fmt::format("{}: warning: {}\n", model_.name, error.what()));
  } catch (const InputError& error) {  // frames of an earlier run with another legend or palette
    printError(fmt::format("{}: warning: there is no animation of all frames: {}\n", model_.name,
                           error.what()));
  }
}

void PictureSink::writeAnimations() {
  const double rate = model_.mass.settings().get<double>("output.frames_per_second");
  const std::vector<fs::path> files = animationFiles();
  writeGif(files[0], frames_, rate);
  animations_.push_back(files[0]);
  if (writeMp4(files[1], frames_, rate)) animations_.push_back(files[1]);
}

std::string PictureSink::report() const {
  std::string text =
      fmt::format("  pictures    {} ({} PNG files)\n", folder().string(), frames_.size());
  for (const auto& animation : animations_)
    text += fmt::format("  animation   {}\n", animation.string());
  return text;
}

}  // namespace mass::detail
