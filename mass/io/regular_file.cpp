#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mass/io/regular_file.hpp>
#include <mass/support/error.hpp>
#include <string_view>
#include <system_error>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

std::string_view nameOf(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::symlink:
      return "a symbolic link";
    case fs::file_type::fifo:
      return "a FIFO";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    default:
      return "no regular file";
  }
}

}  // namespace

FileDescriptor openRegularFile(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found) throw InputError("there is no such file");
  if (error) throw InputError("it cannot be read: {}", error.message());
  if (type != fs::file_type::regular) throw InputError("it is {}", nameOf(type));
  // Checked again, since another file may have replaced it.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file.isOpen() || ::fstat(file.number(), &status) != 0)
    throw InputError("it cannot be read: {}", std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) throw InputError("it is no regular file");
  return file;
}

std::string readRegularFile(const fs::path& path, std::uintmax_t largest) {
  const FileDescriptor file = openRegularFile(path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw InputError("it cannot be read");
  if (static_cast<std::uintmax_t>(status.st_size) > largest)
    throw InputError("it is larger than {} MiB", largest >> 20);
  std::string contents(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < contents.size()) {
    const ssize_t count = ::read(file.number(), contents.data() + done, contents.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw InputError("it cannot be read: {}", std::generic_category().message(errno));
    if (count == 0) throw InputError("it became shorter while it was read");
    done += static_cast<std::size_t>(count);
  }
  return contents;
}

}  // namespace mass::detail
