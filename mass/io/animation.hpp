#pragma once

#include <filesystem>
#include <mass/support/error.hpp>
#include <vector>

namespace mass::detail {

/// Viewers show a GIF no faster than this.
inline constexpr double mostGifFramesPerSecond = 50;

/// Joins palette PNGs (see `writePng`), all of one size and palette, to a GIF that plays for ever.
/// Its times are in 1/100 s: each frame is shown at the nearest such time, so that the average
/// speed is exact. Holds one frame in memory at a time; the file appears when complete. Throws
/// UsageError for no frames or a speed outside (0.01, 50], InputError for a frame that cannot be
/// used, OutputError.
void writeGif(const std::filesystem::path& path, const std::vector<std::filesystem::path>& frames,
              double framesPerSecond);

/// ffmpeg is there and fails, for a reason of its own and not for want of room on the disk.
class EncoderError : public OutputError {
 public:
  using OutputError::OutputError;
};

/// Joins the same frames to an MP4 (H.264 where ffmpeg has it) that every player opens, with the
/// ffmpeg that is on PATH; returns false when there is none. An odd side is extended by repeating
/// its last row or column. Holds one frame in memory at a time; the file appears when complete.
/// Throws UsageError for no frames or a speed that is not above 0, InputError for a frame that
/// cannot be used, EncoderError, which quotes ffmpeg's last line, OutputError when the file cannot
/// be written.
bool writeMp4(const std::filesystem::path& path, const std::vector<std::filesystem::path>& frames,
              double framesPerSecond);

}  // namespace mass::detail
