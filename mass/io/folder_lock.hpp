#pragma once

#include <filesystem>
#include <mass/io/file_descriptor.hpp>

namespace mass::detail {

/// Keeps other runs out of a folder while it lives. Nothing is left in the folder, and the system
/// ends the lock of a program that is killed. File systems without locks (some network ones) keep
/// nobody out.
class FolderLock {
 public:
  /// Throws OutputError when another run has the folder, or when it cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor folder_;
};

}  // namespace mass::detail
