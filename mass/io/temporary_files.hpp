#pragma once

#include <filesystem>

namespace mass::detail {

/// Marks a file as temporary while the object exists, so that removeTemporaryFiles() removes it if
/// the program crashes. At most 64 files are marked at a time; further ones stay after a crash.
class TemporaryFile {
 public:
  /// @param path must outlive this and not change
  explicit TemporaryFile(const std::filesystem::path& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

 private:
  int slot_ = -1;  ///< -1 if it is not marked
};

/// Removes all marked files. May be called by a signal handler.
void removeTemporaryFiles();

}  // namespace mass::detail
