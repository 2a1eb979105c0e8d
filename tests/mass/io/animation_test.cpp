#include <gif_lib.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mass/io/animation.hpp>
#include <mass/io/image.hpp>
#include <mass/support/error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::messageOf;
using testing::readBytes;
using testing::TemporaryFolder;
using testing::writeBytes;
using Names = std::set<std::string>;

detail::Image pattern(std::int64_t width, std::int64_t height, int seed) {
  detail::Image image{width, height, {}};
  for (std::int64_t i = 0; i < width * height; ++i) {
    image.pixels.push_back(static_cast<std::uint8_t>(i * i / 5 + seed * 31));
  }
  return image;
}

/// Owns a folder of PNG frames.
class FrameFolder {
 public:
  FrameFolder(int count, std::int64_t width, std::int64_t height) {
    for (int i = 0; i < count; ++i) {
      images.push_back(pattern(width, height, i));
      paths.push_back(folder_ / ("frame" + std::to_string(i) + ".png"));
      writePng(paths.back(), images.back(), ColorMap::named("heat"));
    }
  }
  std::vector<detail::Image> images;
  std::vector<fs::path> paths;

 private:
  TemporaryFolder folder_;
};

struct DecodedGif {
  std::vector<detail::Image> frames;
  std::vector<int> delays;
  std::vector<Rgb> palette;
  std::string loop;  // name and data of the application extension
};

DecodedGif decodeGif(const fs::path& path) {
  DecodedGif decoded;
  int error = 0;
  GifFileType* gif = DGifOpenFileName(path.c_str(), &error);
  if (gif == nullptr || DGifSlurp(gif) == GIF_ERROR) {
    ADD_FAILURE() << "giflib cannot read " << path;
    return decoded;
  }
  for (int i = 0; i < gif->SColorMap->ColorCount; ++i) {
    const GifColorType& color = gif->SColorMap->Colors[i];
    decoded.palette.push_back({color.Red, color.Green, color.Blue});
  }
  for (int i = 0; i < gif->ImageCount; ++i) {
    const SavedImage& saved = gif->SavedImages[i];
    detail::Image image{saved.ImageDesc.Width, saved.ImageDesc.Height, {}};
    image.pixels.assign(saved.RasterBits, saved.RasterBits + image.width * image.height);
    decoded.frames.push_back(std::move(image));
    GraphicsControlBlock control{};
    EXPECT_EQ(DGifSavedExtensionToGCB(gif, i, &control), GIF_OK);
    decoded.delays.push_back(control.DelayTime);
    for (int j = 0; i == 0 && j < saved.ExtensionBlockCount; ++j) {
      const ExtensionBlock& block = saved.ExtensionBlocks[j];
      if (block.Function == GRAPHICS_EXT_FUNC_CODE) continue;
      decoded.loop.append(reinterpret_cast<const char*>(block.Bytes),
                          static_cast<std::size_t>(block.ByteCount));
    }
  }
  DGifCloseFile(gif, &error);
  return decoded;
}

TEST(Gif, HoldsTheFramesAndPlaysForEver) {
  const FrameFolder frames(3, 37, 23);
  TemporaryFolder folder;
  detail::writeGif(folder / "a.gif", frames.paths, 10);
  EXPECT_EQ(folder.names(), Names{"a.gif"});
  const DecodedGif gif = decodeGif(folder / "a.gif");
  EXPECT_EQ(gif.frames, frames.images);
  EXPECT_EQ(gif.delays, (std::vector<int>{10, 10, 10}));
  EXPECT_EQ(gif.loop, std::string("NETSCAPE2.0\x01\0\0", 14));
  const auto entries = ColorMap::named("heat").entries();
  EXPECT_EQ(gif.palette, std::vector<Rgb>(entries.begin(), entries.end()));
}

TEST(Gif, KeepsTheAverageSpeedExact) {
  const FrameFolder frames(30, 4, 4);
  TemporaryFolder folder;
  detail::writeGif(folder / "a.gif", frames.paths, 30);
  int total = 0;
  for (const int delay : decodeGif(folder / "a.gif").delays) {
    EXPECT_TRUE(delay == 3 || delay == 4) << delay;
    total += delay;
  }
  EXPECT_EQ(total, 100);
}

TEST(Gif, OneLargeFrame) {
  const FrameFolder frames(1, 1024, 700);
  TemporaryFolder folder;
  detail::writeGif(folder / "a.gif", frames.paths, 0.5);
  const DecodedGif gif = decodeGif(folder / "a.gif");
  EXPECT_EQ(gif.frames, frames.images);
  EXPECT_EQ(gif.delays, std::vector<int>{200});
}

TEST(Gif, RefusesNoFramesAndImpossibleSpeeds) {
  const FrameFolder frames(1, 4, 4);
  TemporaryFolder folder;
  EXPECT_THROW(detail::writeGif(folder / "a.gif", {}, 10), UsageError);
  for (const double speed : {0.0, -1.0, 51.0, 1e-9, std::nan("")}) {
    EXPECT_THROW(detail::writeGif(folder / "a.gif", frames.paths, speed), UsageError) << speed;
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(Gif, AFrameThatDoesNotFitIsNamedAndTheOldFileStays) {
  FrameFolder frames(2, 8, 8);
  TemporaryFolder folder;
  writeBytes(folder / "a.gif", "old");
  const auto message = [&] {
    return messageOf<InputError>([&] { detail::writeGif(folder / "a.gif", frames.paths, 10); });
  };
  writePng(frames.paths[1], pattern(8, 9, 0), ColorMap::named("heat"));
  EXPECT_TRUE(contains(message(), frames.paths[1].string()));
  EXPECT_TRUE(contains(message(), "8 x 9"));
  writePng(frames.paths[1], pattern(8, 8, 0), ColorMap::named("ice"));
  EXPECT_TRUE(contains(message(), "other colours"));
  fs::remove(frames.paths[1]);
  EXPECT_TRUE(contains(message(), frames.paths[1].string()));
  EXPECT_EQ(folder.names(), Names{"a.gif"});
  EXPECT_EQ(readBytes(folder / "a.gif"), "old");
}

TEST(Gif, AFullDiskIsAnOutputErrorAndTheOldFileStays) {
  const FrameFolder frames(3, 200, 200);
  TemporaryFolder folder;
  writeBytes(folder / "a.gif", "old");
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const oldHandler = ::signal(SIGXFSZ, SIG_IGN);
  std::string message;
  // The disk is full in the head of the file, up to its middle.
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{100}, rlim_t{20'000}}) {
    const rlimit limit{bytes, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    message = messageOf<OutputError>([&] { detail::writeGif(folder / "a.gif", frames.paths, 10); });
    ::setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_TRUE(contains(message, "File too large")) << bytes;
  }
  ::signal(SIGXFSZ, oldHandler);
  EXPECT_EQ(folder.names(), Names{"a.gif"});
  EXPECT_EQ(readBytes(folder / "a.gif"), "old");
}

/// Replaces the environment variable PATH during its lifetime.
class SearchPath {
 public:
  explicit SearchPath(const fs::path& folder) : old_(std::getenv("PATH")) {
    ::setenv("PATH", folder.c_str(), 1);
  }
  ~SearchPath() { ::setenv("PATH", old_.c_str(), 1); }

 private:
  std::string old_;
};

void writeFakeFfmpeg(const fs::path& folder, std::string_view script) {
  writeBytes(folder / "ffmpeg", "#!/bin/sh\n" + std::string(script) + "\n");
  fs::permissions(folder / "ffmpeg", fs::perms::owner_all);
}

TEST(Mp4, WithoutFfmpegSaysSo) {
  const FrameFolder frames(2, 8, 8);
  TemporaryFolder folder;
  SearchPath path(folder.path());
  EXPECT_FALSE(detail::writeMp4(folder / "a.mp4", frames.paths, 10));
  EXPECT_TRUE(folder.names().empty());
}

TEST(Mp4, QuotesTheLastLineOfAnFfmpegThatFails) {
  // Large enough to fill the socket after the reader has exited: SIGPIPE must not end the test.
  const FrameFolder frames(3, 600, 600);
  TemporaryFolder folder, binaries;
  writeFakeFfmpeg(binaries.path(), "echo first >&2; echo 'no such encoder' >&2; exit 3");
  SearchPath path(binaries.path());
  writeBytes(folder / "a.mp4", "old");
  const std::string message = messageOf<detail::EncoderError>(
      [&] { detail::writeMp4(folder / "a.mp4", frames.paths, 10); });
  EXPECT_TRUE(contains(message, (folder / "a.mp4").string()));
  EXPECT_TRUE(contains(message, "ffmpeg failed: no such encoder"));
  EXPECT_FALSE(contains(message, "first"));
  EXPECT_EQ(folder.names(), Names{"a.mp4"});
  EXPECT_EQ(readBytes(folder / "a.mp4"), "old");
}

TEST(Mp4, AnFfmpegThatWritesALotOfMessagesDoesNotBlock) {
  const FrameFolder frames(2, 300, 300);
  TemporaryFolder folder, binaries;
  writeFakeFfmpeg(
      binaries.path(),
      "i=0; while [ $i -lt 3000 ]; do echo 'a message that is long enough to fill a pipe' >&2; "
      "i=$((i+1)); done; echo last >&2; while read -r x; do :; done; exit 1");
  SearchPath path(binaries.path());
  const std::string message =
      messageOf<OutputError>([&] { detail::writeMp4(folder / "a.mp4", frames.paths, 10); });
  EXPECT_TRUE(contains(message, "ffmpeg failed: last"));
}

TEST(Mp4, AnFfmpegThatFailsForWantOfRoomIsAFullDisk) {
  const FrameFolder frames(2, 300, 300);
  TemporaryFolder folder, binaries;
  writeFakeFfmpeg(binaries.path(), "for last; do :; done; head -c 70000 /dev/zero > ${last#file:}");
  SearchPath path(binaries.path().string() + ":" + std::getenv("PATH"));
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const oldHandler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{60'000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const std::string message =
      messageOf<OutputError>([&] { detail::writeMp4(folder / "a.mp4", frames.paths, 10); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, oldHandler);
  EXPECT_TRUE(contains(message, "File too large"));
  EXPECT_FALSE(contains(message, "ffmpeg"));
  EXPECT_TRUE(folder.names().empty());
}

bool hasFfmpeg() {
  return std::system("ffmpeg -version > /dev/null 2>&1") == 0;
}

TEST(Mp4, ABadFrameEndsFfmpegAndLeavesNothing) {
  if (!hasFfmpeg()) GTEST_SKIP() << "there is no ffmpeg on PATH";
  FrameFolder frames(2, 64, 64);
  TemporaryFolder folder;
  fs::remove(frames.paths[1]);
  EXPECT_THROW(detail::writeMp4(folder / "a.mp4", frames.paths, 10), InputError);
  EXPECT_TRUE(folder.names().empty());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child is left
}

TEST(Mp4, RefusesNoFramesAndImpossibleSpeeds) {
  const FrameFolder frames(1, 4, 4);
  TemporaryFolder folder;
  EXPECT_THROW(detail::writeMp4(folder / "a.mp4", {}, 10), UsageError);
  for (const double speed : {0.0, -1.0, std::nan("")}) {
    EXPECT_THROW(detail::writeMp4(folder / "a.mp4", frames.paths, speed), UsageError) << speed;
  }
}

std::string outputOf(const std::string& command) {
  std::string output;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output.push_back(static_cast<char>(c));
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

TEST(Mp4, DecodesToTheFramesWithEvenSides) {
  if (!hasFfmpeg()) GTEST_SKIP() << "there is no ffmpeg on PATH";
  TemporaryFolder folder, source;
  // Three plain frames of an odd size, in colours that compression preserves.
  const ColorMap map = ColorMap::named("heat");
  const std::vector<std::uint8_t> levels{40, 140, 240};
  std::vector<fs::path> paths;
  for (const std::uint8_t level : levels) {
    paths.push_back(source / (std::to_string(level) + ".png"));
    writePng(paths.back(), detail::Image{101, 63, std::vector<std::uint8_t>(101 * 63, level)}, map);
  }
  ASSERT_TRUE(detail::writeMp4(folder / "a.mp4", paths, 12.5));
  EXPECT_EQ(folder.names(), Names{"a.mp4"});
  const std::string bytes = readBytes(folder / "a.mp4");
  EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));  // playable before it is loaded completely

  const std::string raw = outputOf("ffmpeg -v error -i '" + (folder / "a.mp4").string() +
                                   "' -f rawvideo -pix_fmt rgb24 - < /dev/null");
  constexpr std::size_t frameBytes = 102 * 64 * 3;
  ASSERT_EQ(raw.size(), levels.size() * frameBytes);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Rgb expected = map[levels[i]];
    for (const std::size_t pixel : {std::size_t{0}, std::size_t{102 * 64 - 1}}) {
      const std::size_t at = i * frameBytes + 3 * pixel;
      EXPECT_NEAR(static_cast<std::uint8_t>(raw[at]), expected.red, 12);
      EXPECT_NEAR(static_cast<std::uint8_t>(raw[at + 1]), expected.green, 12);
      EXPECT_NEAR(static_cast<std::uint8_t>(raw[at + 2]), expected.blue, 12);
    }
  }
  const std::string rate = outputOf(
      "ffprobe -v error -select_streams v -show_entries stream=avg_frame_rate,pix_fmt -of csv=p=0 "
      "'" +
      (folder / "a.mp4").string() + "'");
  EXPECT_EQ(rate, "yuv420p,25/2\n");
}

TEST(Mp4, DoesNotDependOnTheNumberOfProcessors) {
  if (!hasFfmpeg()) GTEST_SKIP() << "there is no ffmpeg on PATH";
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) == 1) GTEST_SKIP() << "there is one processor only";
  const FrameFolder frames(8, 256, 256);
  TemporaryFolder folder;
  ASSERT_TRUE(detail::writeMp4(folder / "all.mp4", frames.paths, 10));
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_TRUE(detail::writeMp4(folder / "one.mp4", frames.paths, 10));
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_TRUE(readBytes(folder / "one.mp4") == readBytes(folder / "all.mp4"));
}

}  // namespace
}  // namespace mass
