#pragma once

#include <filesystem>
#include <mass/io/file_descriptor.hpp>

namespace mass::detail {

/// Keeps other runs from writing a file while it lives, with a lock on an empty `<file>.lock`
/// beside it, which goes away at the end. A program that is killed leaves that file, but not the
/// lock. File systems without locks (some network ones) keep nobody out.
class FileLock {
 public:
  /// Throws OutputError when another run has the file, or when there can be no file beside it.
  explicit FileLock(const std::filesystem::path& file);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  std::filesystem::path name_;
  FileDescriptor lock_;
};

/// The name of the file that locks `path`: `<path>.lock`.
std::filesystem::path lockName(const std::filesystem::path& path);

}  // namespace mass::detail
