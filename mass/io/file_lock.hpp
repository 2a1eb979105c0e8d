#pragma once

#include <filesystem>
#include <mass/io/file_descriptor.hpp>
#include <string>

namespace mass::detail {

/// Excludes other runs from writing a file, by an advisory lock on an empty file `<file>.lock`
/// beside it; the destructor removes both. A killed program leaves the empty file, but not the
/// lock. Without effect on file systems that do not support locks (some network file systems): see
/// note().
class FileLock {
 public:
  /// @throws OutputError if another run holds the lock, or `<file>.lock` cannot be created
  explicit FileLock(const std::filesystem::path& file);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Returns why others are not excluded, a sentence for the user; empty if they are.
  std::string note() const;

 private:
  std::filesystem::path name_;
  FileDescriptor lock_;
  int error_ = 0;  ///< errno of a failed lock
};

/// Returns the sentence for the user about a lock of `path` that failed.
/// @param errorNumber an errno, or 0: the sentence is then empty
std::string lockFailureNote(const std::filesystem::path& path, int errorNumber);

/// Returns `<path>.lock`, the name of the file that locks `path`.
std::filesystem::path lockName(const std::filesystem::path& path);

}  // namespace mass::detail
