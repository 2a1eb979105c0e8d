#pragma once

#include <filesystem>
#include <mass/io/temporary_files.hpp>
#include <mass/support/error.hpp>
#include <string_view>

namespace mass::detail {

/// File that has its final name only when it is complete. The caller writes to `temporary()`;
/// `commit` renames that file and replaces an older one. Without a commit an older file is
/// unchanged.
class AtomicFile {
 public:
  /// Has no effect on the disk.
  explicit AtomicFile(std::filesystem::path path);

  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Removes the temporary file unless it was committed. So does a crash (ProcessGuard).
  ~AtomicFile();

  /// Returns the final name.
  const std::filesystem::path& path() const { return path_; }

  /// Returns the name to write to, partialName(path()).
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Flushes the temporary file to the disk and renames it.
  /// @pre the temporary file is complete and closed
  /// @throws OutputError if that fails
  void commit();
  /// Renames the temporary file. It is complete if the program is killed, but may be lost by a
  /// power failure before the next synchronizeFolder().
  /// @pre the temporary file is complete and closed
  /// @throws OutputError if that fails
  void publish();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  TemporaryFile marked_{temporary_};
  bool committed_ = false;
};

/// Returns `<path>.partial`, the name of a file that is not yet complete.
std::filesystem::path partialName(const std::filesystem::path& path);

/// Renames the closed file `from` to `to` in the same folder. After a power failure `to` is either
/// the old file or the complete new one.
/// @throws OutputError if that fails
void renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes a file with the contents `bytes`, replacing an older one, and flushes it to the disk.
/// @throws OutputError if that fails; the older file is then unchanged
void writeAtomically(const std::filesystem::path& path, std::string_view bytes);
/// Writes a file as writeAtomically(), but does not flush it; see AtomicFile::publish().
void publishAtomically(const std::filesystem::path& path, std::string_view bytes);

/// Flushes all files on the disk of a folder, in one call of the system instead of one for each
/// file.
/// @throws OutputError if that fails
void synchronizeFolder(const std::filesystem::path& folder);

/// Creates the folder `path` and its parents if they do not exist, and writes a test file in it.
/// @throws OutputError if the folder cannot be created or written to
void makeFolder(const std::filesystem::path& path);

/// Returns the error for a file or folder that cannot be written; the message names the path, the
/// cause and a remedy.
/// @param errorNumber an errno
OutputError cannotWrite(const std::filesystem::path& path, int errorNumber);

}  // namespace mass::detail
