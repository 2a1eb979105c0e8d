#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <mass/support/new_file.hpp>

namespace mass::detail {

int openNewFile(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return -1;
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

}  // namespace mass::detail
