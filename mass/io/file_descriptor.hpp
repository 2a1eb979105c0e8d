#pragma once

#include <string_view>
#include <utility>

namespace mass::detail {

/// Owns an open file descriptor and closes it. Calls that a signal interrupts are repeated, unless
/// the signal asks the run to end (isInterrupted()): they then return EINTR.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  /// True if it owns a descriptor.
  bool isOpen() const { return number_ >= 0; }
  /// Returns the descriptor; -1 if there is none.
  int number() const { return number_; }

  /// Writes all bytes.
  /// @return 0, or the errno of the call that failed; some bytes may then be written
  [[nodiscard]] int write(std::string_view bytes) const;

  /// True if a write would wait for a reader, as of a full pipe.
  bool wouldBlock() const;

  /// Flushes the file to the disk.
  /// @return 0 or an errno
  [[nodiscard]] int synchronize() const;

  /// Locks the file or folder against other processes, by an advisory lock; does not wait.
  /// @return 0; EWOULDBLOCK if another process holds the lock; another errno if the file system
  ///   cannot lock
  [[nodiscard]] int lock() const;

  /// Closes the descriptor, even if it reports an error.
  /// @return 0 or an errno
  int close();

 private:
  int number_ = -1;
};

}  // namespace mass::detail
