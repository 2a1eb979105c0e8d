#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <mass/io/atomic_file.hpp>
#include <mass/io/folder_lock.hpp>

namespace mass::detail {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_.isOpen()) throw cannotWrite(folder, errno);
  if (::flock(folder_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw OutputError(
        "cannot write '{}': another run is writing there (wait for its end or choose another "
        "folder)",
        folder.string());
  }
}

}  // namespace mass::detail
