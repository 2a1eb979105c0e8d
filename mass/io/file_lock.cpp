#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mass/io/atomic_file.hpp>
#include <mass/io/file_lock.hpp>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

/// True if `file` still has that name: the previous owner of the lock may have removed the file.
bool isNamed(const FileDescriptor& file, const std::filesystem::path& name) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file.number(), &open) == 0 && ::lstat(name.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

std::filesystem::path lockName(const std::filesystem::path& path) {
  std::filesystem::path name = path;
  return name += ".lock";
}

std::string lockFailureNote(const std::filesystem::path& path, int errorNumber) {
  if (errorNumber == 0) return {};
  return fmt::format(
      "cannot lock '{}': {}; nothing keeps another run from writing the same files: start none",
      path.string(), std::generic_category().message(errorNumber));
}

FileLock::FileLock(const std::filesystem::path& file) : name_(lockName(file)) {
  do {
    lock_ = FileDescriptor(::open(name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!lock_.isOpen()) throw cannotWrite(name_, errno);
    error_ = lock_.lock();
    if (error_ == EWOULDBLOCK) {
      throw OutputError(
          "cannot write '{}': another run is writing it (wait for its end or choose another file)",
          file.string());
    }
  } while (!isNamed(lock_, name_));
}

std::string FileLock::note() const {
  return lockFailureNote(name_, error_);
}

FileLock::~FileLock() {
  ::unlink(name_.c_str());  // while locked: afterwards another run may own it
}

}  // namespace mass::detail
