#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <mass/io/file_lock.hpp>
#include <mass/io/folder_lock.hpp>
#include <mass/support/error.hpp>
#include <optional>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace {
/// Errors of the next calls of flock, the first one last.
std::vector<int> failures;
}  // namespace

/// Replaces the function of the C library in this program.
extern "C" int flock(int file, int operation) {
  if (failures.empty()) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = failures.back();
  failures.pop_back();
  return -1;
}

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;
using testing::TemporaryFolder;

TEST(FolderLock, KeepsOthersOutWhileItLivesAndLeavesNothing) {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  std::optional<detail::FolderLock> lock(folder.path());
  const auto message = messageOf<OutputError>([&] { detail::FolderLock{folder.path()}; });
  EXPECT_TRUE(contains(message, folder.path().string())) << message;
  EXPECT_TRUE(contains(message, "another run")) << message;
  EXPECT_NO_THROW(detail::FolderLock{other.path()});
  lock.reset();
  EXPECT_NO_THROW(detail::FolderLock{folder.path()});
  EXPECT_TRUE(folder.names().empty());
}

TEST(FolderLock, NeedsAFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(detail::FolderLock{folder / "missing"}, OutputError);
}

TEST(FolderLock, RepeatsALockThatASignalInterrupts) {
  const TemporaryFolder folder;
  failures = {EINTR, EINTR};
  const detail::FolderLock lock(folder.path());
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(lock.note(), "");
  EXPECT_THROW(detail::FolderLock{folder.path()}, OutputError) << "the folder is locked";
}

TEST(FolderLock, SaysThatTheFileSystemCannotLock) {
  const TemporaryFolder folder;
  failures = {ENOLCK};
  const detail::FolderLock lock(folder.path());
  EXPECT_TRUE(contains(lock.note(), "cannot lock '" + folder.path().string() + "'"));
  EXPECT_TRUE(contains(lock.note(), "No locks available"));
  failures = {EOPNOTSUPP};
  const detail::FileLock file(folder / "a.h5");
  EXPECT_TRUE(contains(file.note(), (folder / "a.h5.lock").string()));
  EXPECT_TRUE(contains(file.note(), "not supported"));
}

}  // namespace
}  // namespace mass
