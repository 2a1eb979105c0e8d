#pragma once

#include <filesystem>
#include <mass/io/file_descriptor.hpp>
#include <string>

namespace mass::detail {

/// Excludes other runs from a folder, by an advisory lock on it. Leaves no file; the system
/// releases the lock of a killed program. Without effect on file systems that do not support locks
/// (some network file systems): see note().
class FolderLock {
 public:
  /// @throws OutputError if another run holds the lock, or the folder cannot be opened
  explicit FolderLock(const std::filesystem::path& folder);

  /// Returns why others are not excluded, a sentence for the user; empty if they are.
  std::string note() const;

 private:
  std::filesystem::path name_;
  FileDescriptor folder_;
  int error_ = 0;  ///< errno of a failed lock
};

}  // namespace mass::detail
