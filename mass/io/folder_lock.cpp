#include <fcntl.h>

#include <cerrno>
#include <mass/io/atomic_file.hpp>
#include <mass/io/file_lock.hpp>
#include <mass/io/folder_lock.hpp>

namespace mass::detail {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : name_(folder), folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_.isOpen()) throw cannotWrite(folder, errno);
  error_ = folder_.lock();
  if (error_ == EWOULDBLOCK) {
    throw OutputError(
        "cannot write '{}': another run is writing there (wait for its end or choose another "
        "folder)",
        folder.string());
  }
}

std::string FolderLock::note() const {
  return lockFailureNote(name_, error_);
}

}  // namespace mass::detail
