#pragma once

#include <filesystem>
#include <mass/support/error.hpp>
#include <vector>

namespace mass::detail {

/// Upper limit of a GIF's frame rate in 1/s: viewers do not show a shorter delay than 2/100 s.
inline constexpr double mostGifFramesPerSecond = 50;

/// Joins palette PNGs (see `writePng`) into a GIF that repeats without end. Delays are multiples of
/// 1/100 s; the start of each frame is rounded to the nearest one, so the average rate is exact.
/// Holds one frame in memory; the file appears when it is complete.
/// @param frames files of one size and palette
/// @param framesPerSecond above 0.01, at most 50
/// @throws UsageError if there are no frames or the rate is out of range; InputError if a frame
///   cannot be used; OutputError if the file cannot be written
void writeGif(const std::filesystem::path& path, const std::vector<std::filesystem::path>& frames,
              double framesPerSecond);

/// Failure of an installed ffmpeg for another reason than a full disk.
class EncoderError : public OutputError {
 public:
  using OutputError::OutputError;
};

/// Joins palette PNGs into an MP4 (YUV 4:2:0; H.264 if ffmpeg supports it) by the ffmpeg on PATH.
/// An odd width or height is extended by repeating the last column or row. Holds one frame in
/// memory; the file appears when it is complete.
/// @param frames files of one size and palette
/// @param framesPerSecond above 0
/// @return false if ffmpeg is not installed
/// @throws UsageError if there are no frames or the rate is not above 0; InputError if a frame
///   cannot be used; EncoderError with the last line of ffmpeg's messages if it fails; OutputError
///   if the file cannot be written
bool writeMp4(const std::filesystem::path& path, const std::vector<std::filesystem::path>& frames,
              double framesPerSecond);

}  // namespace mass::detail
