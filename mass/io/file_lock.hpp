#pragma once

#include <filesystem>
#include <mass/io/file_descriptor.hpp>

namespace mass::detail {

/// Excludes other runs from writing a file, by an advisory lock on an empty file `<file>.lock`
/// beside it; the destructor removes both. A killed program leaves the empty file, but not the
/// lock. Without effect on file systems that do not support locks (some network file systems).
class FileLock {
 public:
  /// @throws OutputError if another run holds the lock, or `<file>.lock` cannot be created
  explicit FileLock(const std::filesystem::path& file);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  std::filesystem::path name_;
  FileDescriptor lock_;
};

/// Returns `<path>.lock`, the name of the file that locks `path`.
std::filesystem::path lockName(const std::filesystem::path& path);

}  // namespace mass::detail
