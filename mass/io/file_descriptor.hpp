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

  bool isOpen() const { return number_ >= 0; }
  int number() const { return number_; }

  /// Writes every byte. Returns 0, or the errno of the call that failed (some bytes may be written
  /// then).
  [[nodiscard]] int write(std::string_view bytes) const;

  /// Puts what was written on the disk. Returns 0 or an errno.
  [[nodiscard]] int synchronize() const;

  /// Returns 0 or an errno; the descriptor is closed either way.
  int close();

 private:
  int number_ = -1;
};

}  // namespace mass::detail
