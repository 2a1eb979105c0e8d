#include <fcntl.h>
#include <gif_lib.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <mass/io/animation.hpp>
#include <mass/io/atomic_file.hpp>
#include <mass/io/file_descriptor.hpp>
#include <mass/io/image.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/support/error.hpp>
#include <mass/support/new_file.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

/// Number of ffmpeg's threads. The bytes of an H.264 film depend on it, and ffmpeg's default on the
/// processors that the process may use.
constexpr const char* encoderThreads = "4";

/// Reads frames one by one and checks that their size and colours are those of the first.
class Frames {
 public:
  Frames(const fs::path& target, const std::vector<fs::path>& paths)
      : paths_(paths), first_(readFirst(target, paths)) {}

  /// Returns the first frame without its pixels.
  const PalettePicture& first() const { return first_; }
  std::size_t count() const { return paths_.size(); }

  Image read(std::size_t index) const {
    PalettePicture frame = readPng(paths_[index]);
    const Image& image = first_.image;
    if (frame.image.width != image.width || frame.image.height != image.height) {
      throw InputError(
          "frame '{}' has {} x {} pixels, the first frame '{}' has {} x {}: use frames of one size",
          paths_[index].string(), frame.image.width, frame.image.height, paths_.front().string(),
          image.width, image.height);
    }
    if (!(frame.colorMap == first_.colorMap)) {
      throw InputError("frame '{}' has other colours than the first frame '{}': use one colour map",
                       paths_[index].string(), paths_.front().string());
    }
    return std::move(frame.image);
  }

 private:
  static PalettePicture readFirst(const fs::path& target, const std::vector<fs::path>& paths) {
    if (paths.empty()) throw UsageError("cannot write '{}': there are no frames", target.string());
    PalettePicture first = readPng(paths.front());
    first.image.pixels = {};
    return first;
  }

  const std::vector<fs::path>& paths_;
  const PalettePicture first_;
};

/// Writes a GIF by the low-level interface of giflib, which keeps no frame in memory.
class GifWriter {
 public:
  GifWriter(const fs::path& path, const fs::path& temporary, const PalettePicture& first)
      : path_(path), file_(openNewFile(temporary)) {
    if (!file_.isOpen()) throw cannotWrite(path, errno);
    if (first.image.width > 65535 || first.image.height > 65535) {
      throw OutputError("cannot write '{}': a GIF cannot have {} x {} pixels, make smaller frames",
                        path.string(), first.image.width, first.image.height);
    }
    width_ = static_cast<int>(first.image.width);
    height_ = static_cast<int>(first.image.height);
    int error = 0;
    gif_ = EGifOpen(this, &GifWriter::write, &error);
    if (gif_ == nullptr) fail(error);
    try {
      writeHead(first.colorMap);
    } catch (...) {
      EGifCloseFile(gif_, nullptr);  // the destructor does not run if the constructor throws
      throw;
    }
  }

  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  ~GifWriter() {
    if (gif_ != nullptr) EGifCloseFile(gif_, nullptr);
  }

  /// Writes a frame. Takes the pixels by value, since giflib masks them in place.
  /// @param delay in 1/100 s
  void add(Image image, int delay) {
    const GraphicsControlBlock control{DISPOSE_DO_NOT, false, delay, NO_TRANSPARENT_COLOR};
    std::array<GifByteType, 4> extension{};
    EGifGCBToExtension(&control, extension.data());
    check(EGifPutExtension(gif_, GRAPHICS_EXT_FUNC_CODE, 4, extension.data()));
    check(EGifPutImageDesc(gif_, 0, 0, width_, height_, false, nullptr));
    for (int row = 0; row < height_; ++row) {
      check(EGifPutLine(gif_, image.pixels.data() + std::ptrdiff_t{row} * width_, width_));
    }
  }

  void finish() {
    int error = 0;
    const int result = EGifCloseFile(std::exchange(gif_, nullptr), &error);
    if (result == GIF_ERROR || writeError_ != 0) fail(error);
    if (const int closing = file_.close()) throw cannotWrite(path_, closing);
  }

 private:
  void writeHead(const ColorMap& colorMap) {
    std::array<GifColorType, ColorMap::size> colors;
    std::transform(colorMap.entries().begin(), colorMap.entries().end(), colors.begin(),
                   [](const Rgb& color) {
                     return GifColorType{color.red, color.green, color.blue};
                   });
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
        GifMakeMapObject(ColorMap::size, colors.data()), &GifFreeMapObject);
    if (map == nullptr) fail(E_GIF_ERR_NOT_ENOUGH_MEM);
    EGifSetGifVersion(gif_, true);
    check(EGifPutScreenDesc(gif_, width_, height_, 8, 0, map.get()));
    // Loop extension: sub-block 1 has the number of repetitions; 0 repeats without end.
    constexpr std::array<GifByteType, 3> endless{1, 0, 0};
    check(EGifPutExtensionLeader(gif_, APPLICATION_EXT_FUNC_CODE));
    check(EGifPutExtensionBlock(gif_, 11, "NETSCAPE2.0"));
    check(EGifPutExtensionBlock(gif_, 3, endless.data()));
    check(EGifPutExtensionTrailer(gif_));
  }

  static int write(GifFileType* gif, const GifByteType* bytes, int count) {
    auto* self = static_cast<GifWriter*>(gif->UserData);
    if (self->writeError_ == 0) {
      self->writeError_ = self->file_.write(
          {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count)});
    }
    return self->writeError_ == 0 ? count : 0;
  }

  /// Reports an error. Some functions of giflib ignore a failed write, so `writeError_` is checked.
  void check(int result) const {
    if (result == GIF_ERROR || writeError_ != 0) fail(gif_->Error);
  }

  [[noreturn]] void fail(int error) const {
    if (writeError_ != 0) throw cannotWrite(path_, writeError_);
    const char* text = GifErrorString(error);
    throw OutputError("cannot write '{}': giflib fails: {}", path_.string(),
                      text != nullptr ? text : "unknown error");
  }

  const fs::path& path_;
  FileDescriptor file_;
  GifFileType* gif_ = nullptr;
  int width_ = 0, height_ = 0;
  int writeError_ = 0;
};

/// Child process ffmpeg that reads raw RGB frames from a socket. Unlike a write to a pipe, a send
/// to a socket need not raise SIGPIPE if the reader has exited (MSG_NOSIGNAL).
class Encoder {
 public:
  explicit Encoder(const AtomicFile& file) : path_(file.path()), temporary_(file.temporary()) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  ~Encoder() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      wait();
    }
  }

  /// Starts ffmpeg.
  /// @return false if it is not installed
  bool start(std::int64_t width, std::int64_t height, double framesPerSecond) {
    std::vector<std::string> arguments{"ffmpeg",
                                       "-hide_banner",
                                       "-loglevel",
                                       "error",
                                       "-y",
                                       "-f",
                                       "rawvideo",
                                       "-pixel_format",
                                       "rgb24",
                                       "-video_size",
                                       fmt::format("{}x{}", width, height),
                                       "-framerate",
                                       fmt::format("{}", framesPerSecond),
                                       "-i",
                                       "pipe:0",
                                       "-pix_fmt",
                                       "yuv420p",
                                       "-threads",
                                       encoderThreads,
                                       "-movflags",
                                       "+faststart",
                                       "-f",
                                       "mp4",
                                       "file:" + temporary_.string()};
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    // ffmpeg opens the file by name. The ffmpeg of a killed run may still write to an older file.
    if (!FileDescriptor(openNewFile(temporary_)).isOpen()) throw cannotWrite(path_, errno);

    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(errno);
    input_ = FileDescriptor(ends[0]);
    const FileDescriptor childInput(ends[1]);
    openMessages();
    return spawn(pointers.data(), childInput.number());
  }

  /// Sends bytes to ffmpeg.
  /// @return false if ffmpeg has closed its input; `finish` then throws its message
  bool send(std::span<const std::uint8_t> bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(input_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
        if (!bytes.empty() && isInterrupted() && input_.wouldBlock()) fail(EINTR);
      } else if (errno == EPIPE || errno == ECONNRESET) {
        return false;
      } else if (errno != EINTR || isInterrupted()) {
        fail(errno);
      }
    }
    return true;
  }

  void finish() {
    input_.close();
    const int status = wait();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      requireDiskSpace();
      throw EncoderError("cannot write '{}': ffmpeg failed: {}", path_.string(), lastMessage());
    }
  }

 private:
  /// Creates an unnamed file for ffmpeg's messages. A pipe could fill up, since it is read last.
  void openMessages() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "mass-ffmpeg-XXXXXX").string();
    if (error) fail(error.value());
    messages_ = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!messages_.isOpen()) fail(errno);
    ::unlink(name.c_str());
  }

  /// Appends 64 KiB to ffmpeg's output, to detect a full disk.
  /// @throws OutputError if they cannot be written
  void requireDiskSpace() const {
    FileDescriptor file(::open(temporary_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (!file.isOpen()) throw cannotWrite(path_, errno);
    if (const int error = file.write(std::string(std::size_t{1} << 16, '\0'))) {
      throw cannotWrite(path_, error);
    }
    if (const int error = file.close()) throw cannotWrite(path_, error);
  }

  bool spawn(char** arguments, int childInput) {
    posix_spawn_file_actions_t actions;
    if (const int error = posix_spawn_file_actions_init(&actions)) fail(error);
    int error = posix_spawn_file_actions_adddup2(&actions, childInput, STDIN_FILENO);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
      if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, messages_.number(), output);
      }
    }
    pid_t child = -1;
    if (error == 0) error = posix_spawnp(&child, "ffmpeg", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    // Not found in any folder of PATH that the user may read.
    if (error == ENOENT || error == EACCES || error == ENOTDIR) return false;
    if (error != 0) fail(error);
    child_ = child;
    return true;
  }

  int wait() {
    int status = 0;
    const pid_t child = std::exchange(child_, -1);
    while (::waitpid(child, &status, 0) < 0) {
      if (errno != EINTR)
        return -1;  // the program has reaped the child elsewhere: its status is unknown
      if (isInterrupted()) ::kill(child, SIGKILL);
    }
    return status;
  }

  std::string lastMessage() const {
    std::array<char, 2048> tail;
    const off_t size = ::lseek(messages_.number(), 0, SEEK_END);
    const off_t from = std::max(off_t{0}, size - static_cast<off_t>(tail.size()));
    const ssize_t count = ::pread(messages_.number(), tail.data(), tail.size(), from);
    std::string_view text(tail.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (text.empty()) return "it gave no reason";
    return std::string(text.substr(text.find_last_of("\r\n") + 1));
  }

  [[noreturn]] void fail(int error) const {
    throw EncoderError("cannot write '{}': cannot run ffmpeg: {}", path_.string(),
                       std::generic_category().message(error));
  }

  fs::path path_, temporary_;
  FileDescriptor input_, messages_;
  pid_t child_ = -1;
};

std::int64_t nextEven(std::int64_t length) {
  return length + length % 2;
}

std::vector<std::uint8_t> rawFrame(const Image& image, const ColorMap& colorMap) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(3 * nextEven(image.width) * nextEven(image.height)));
  for (std::int64_t y = 0; y < nextEven(image.height); ++y) {
    const std::int64_t row = std::min(y, image.height - 1);
    for (std::int64_t x = 0; x < nextEven(image.width); ++x) {
      const std::int64_t column = std::min(x, image.width - 1);
      const Rgb& color =
          colorMap[image.pixels[static_cast<std::size_t>(row * image.width + column)]];
      bytes.insert(bytes.end(), {color.red, color.green, color.blue});
    }
  }
  return bytes;
}

}  // namespace

void writeGif(const fs::path& path, const std::vector<fs::path>& frames, double framesPerSecond) {
  if (!(framesPerSecond > 0.01 && framesPerSecond <= mostGifFramesPerSecond)) {
    throw UsageError("cannot write '{}' with {} frames per second: a GIF takes 0.01 to {}",
                     path.string(), framesPerSecond, mostGifFramesPerSecond);
  }
  const Frames source(path, frames);
  AtomicFile file(path);
  GifWriter gif(file.path(), file.temporary(), source.first());
  const auto shownAt = [&](std::size_t frame) {
    return std::llround(static_cast<double>(frame) * 100 / framesPerSecond);
  };
  for (std::size_t i = 0; i < source.count(); ++i) {
    gif.add(source.read(i), static_cast<int>(shownAt(i + 1) - shownAt(i)));
  }
  gif.finish();
  file.publish();
}

bool writeMp4(const fs::path& path, const std::vector<fs::path>& frames, double framesPerSecond) {
  if (!(framesPerSecond > 0) || !std::isfinite(framesPerSecond)) {
    throw UsageError("cannot write '{}' with {} frames per second: give a number above 0",
                     path.string(), framesPerSecond);
  }
  const Frames source(path, frames);
  const PalettePicture& first = source.first();
  AtomicFile file(path);
  Encoder encoder(file);
  if (!encoder.start(nextEven(first.image.width), nextEven(first.image.height), framesPerSecond)) {
    return false;
  }
  bool reading = true;
  for (std::size_t i = 0; i < source.count() && reading; ++i) {
    reading = encoder.send(rawFrame(source.read(i), first.colorMap));
  }
  encoder.finish();
  file.publish();
  return true;
}

}  // namespace mass::detail
