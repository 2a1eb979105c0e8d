#pragma once

#include <filesystem>
#include <mass/io/file_descriptor.hpp>

namespace mass::detail {

/// Excludes other runs from a folder, by an advisory lock on it. Leaves no file; the system
/// releases the lock of a killed program. Without effect on file systems that do not support locks
/// (some network file systems).
class FolderLock {
 public:
  /// @throws OutputError if another run holds the lock, or the folder cannot be opened
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor folder_;
};

}  // namespace mass::detail
