#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <mass/io/file_lock.hpp>
#include <mass/support/error.hpp>
#include <optional>
#include <utility>

#include "../../support/temporary_folder.hpp"

namespace {

/// Called once, before the next file is locked.
std::function<void()> beforeNextLock;

}  // namespace

extern "C" int flock(int descriptor, int operation) noexcept {
  if (const auto call = std::exchange(beforeNextLock, nullptr)) call();
  return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;
using testing::TemporaryFolder;

TEST(FileLock, KeepsOthersFromTheFileWhileItLivesAndLeavesNothing) {
  const TemporaryFolder folder;
  std::optional<detail::FileLock> lock(folder / "a.h5");
  for (const auto& name : {folder / "a.h5", folder / "./a.h5"}) {
    const auto message = messageOf<OutputError>([&] { detail::FileLock{name}; });
    EXPECT_TRUE(contains(message, name.string())) << message;
    EXPECT_TRUE(contains(message, "another run")) << message;
  }
  EXPECT_NO_THROW(detail::FileLock{folder / "b.h5"});
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a.h5.lock"}))
      << "who is refused removes nothing";
  lock.reset();
  EXPECT_NO_THROW(detail::FileLock{folder / "a.h5"});
  EXPECT_TRUE(folder.names().empty());
}

TEST(FileLock, TakesOverWhatAKilledRunLeft) {
  const TemporaryFolder folder;
  testing::writeBytes(folder / "a.h5.lock", "");
  EXPECT_NO_THROW(detail::FileLock{folder / "a.h5"});
  EXPECT_TRUE(folder.names().empty());
}

TEST(FileLock, IsThatOfTheFileThatHasTheName) {
  const TemporaryFolder folder;
  // The previous owner removes the file that is about to be locked, and a third run creates it.
  beforeNextLock = [&] {
    std::filesystem::remove(folder / "a.h5.lock");
    testing::writeBytes(folder / "a.h5.lock", "");
  };
  const detail::FileLock lock(folder / "a.h5");
  EXPECT_EQ(beforeNextLock, nullptr) << "was called";
  EXPECT_TRUE(contains(messageOf<OutputError>([&] { detail::FileLock{folder / "a.h5"}; }),
                       "another run is writing it"));
}

TEST(FileLock, NeedsAFolderThatItMayWriteTo) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(messageOf<OutputError>([&] { detail::FileLock{folder / "missing/a.h5"}; }),
                       (folder / "missing/a.h5.lock").string()));
}

}  // namespace
}  // namespace mass
