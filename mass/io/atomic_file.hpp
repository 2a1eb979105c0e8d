#pragma once

#include <filesystem>
#include <mass/support/error.hpp>
#include <string_view>

namespace mass::detail {

/// A file that appears under its name only when it is complete. Whoever writes it writes to
/// `temporary()`; `commit` makes that the file, replacing an older one. Without a commit an older
/// file stays as it is.
class AtomicFile {
 public:
  /// Touches nothing on the disk.
  explicit AtomicFile(std::filesystem::path path);

  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Removes the temporary file unless it was committed.
  ~AtomicFile();

  const std::filesystem::path& path() const { return path_; }

  /// `<name>.partial` in the folder of the file.
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Puts the temporary file, which must be closed, on the disk under its final name.
  /// Throws OutputError.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// The name under which the file `path` is written until it is complete: `<path>.partial`.
std::filesystem::path partialName(const std::filesystem::path& path);

/// Renames `from`, a closed file, to `to` in the same folder, such that after a power cut there is
/// either the old `to` or all of the new one. Throws OutputError.
void renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes `bytes` the contents of the file `path`. Throws OutputError; an older file stays intact
/// then.
void writeAtomically(const std::filesystem::path& path, std::string_view bytes);

/// Makes the folder `path`, parents included, unless it is there, and proves that files with
/// contents can be made in it. Throws OutputError.
void makeFolder(const std::filesystem::path& path);

/// The error for a file or folder that could not be written because of `errorNumber` (an errno):
/// names the path, the cause, and what to change.
OutputError cannotWrite(const std::filesystem::path& path, int errorNumber);

}  // namespace mass::detail
