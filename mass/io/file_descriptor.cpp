#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <mass/io/file_descriptor.hpp>
#include <mass/io/interrupt.hpp>

namespace mass::detail {

int FileDescriptor::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number_, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      // A signal ends a write that blocks with the bytes written so far.
      if (!bytes.empty() && isInterrupted() && wouldBlock()) return EINTR;
    } else if (written == 0) {
      return EIO;
    } else if (errno != EINTR || isInterrupted()) {
      return errno;
    }
  }
  return 0;
}

bool FileDescriptor::wouldBlock() const {
  pollfd state{number_, POLLOUT, 0};
  return ::poll(&state, 1, 0) == 0;
}

int FileDescriptor::synchronize() const {
  while (::fsync(number_) != 0) {
    // Pipes, and folders on some file systems, cannot be flushed.
    if (errno == EINVAL || errno == EROFS) return 0;
    if (errno != EINTR || isInterrupted()) return errno;
  }
  return 0;
}

int FileDescriptor::lock() const {
  while (::flock(number_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR || isInterrupted()) return errno;
  }
  return 0;
}

int FileDescriptor::close() {
  if (!isOpen()) return 0;
  return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno;
}

}  // namespace mass::detail
