#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mass/io/temporary_files.hpp>

namespace mass::detail {
namespace {

// Global, since a signal handler has no other state.
std::array<std::atomic<const char*>, 64> marked{};
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

TemporaryFile::TemporaryFile(const std::filesystem::path& path) {
  for (std::size_t i = 0; i < marked.size() && slot_ < 0; ++i) {
    const char* none = nullptr;
    if (marked[i].compare_exchange_strong(none, path.c_str())) slot_ = static_cast<int>(i);
  }
}

TemporaryFile::~TemporaryFile() {
  if (slot_ >= 0) marked[static_cast<std::size_t>(slot_)] = nullptr;
}

void removeTemporaryFiles() {
  for (const std::atomic<const char*>& name : marked) {
    if (const char* const path = name) ::unlink(path);
  }
}

}  // namespace mass::detail
