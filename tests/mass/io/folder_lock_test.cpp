#include <gtest/gtest.h>

#include <mass/io/folder_lock.hpp>
#include <mass/support/error.hpp>
#include <optional>

#include "../../support/temporary_folder.hpp"

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

}  // namespace
}  // namespace mass
