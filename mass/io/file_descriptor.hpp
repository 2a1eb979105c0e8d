#pragma once

#include <string_view>
#include <utility>

namespace mass::detail {

/// Owns an open file descriptor and closes it.
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

  /// Flushes the file to the disk.
  /// @return 0 or an errno
  [[nodiscard]] int synchronize() const;

  /// Closes the descriptor, even if it reports an error.
  /// @return 0 or an errno
  int close();

 private:
  int number_ = -1;
};

}  // namespace mass::detail
