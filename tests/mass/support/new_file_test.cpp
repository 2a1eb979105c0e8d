#include <mass/support/new_file.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <tests/support/temporary_folder.hpp>

#include <cerrno>

namespace mass {
namespace {

namespace fs = std::filesystem;
using testing::readBytes;
using testing::TemporaryFolder;
using testing::writeBytes;
using Names = std::set<std::string>;

/// Writes "new" to a new file.
void writeNew(const fs::path& path) {
  const int file = detail::openNewFile(path);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::write(file, "new", 3), 3);
  ::close(file);
}

TEST(NewFile, ReplacesAnOlderFileThatStaysReadableWhereItIsOpen) {
  const TemporaryFolder folder;
  writeBytes(folder / "a", "older and longer");
  fs::create_hard_link(folder / "a", folder / "other");
  writeNew(folder / "a");
  EXPECT_EQ(readBytes(folder / "a"), "new");
  EXPECT_EQ(readBytes(folder / "other"), "older and longer");
}

TEST(NewFile, DoesNotFollowSymbolicLinks) {
  const TemporaryFolder folder;
  writeBytes(folder / "precious", "old");
  for (const char* const target : {"precious", "missing"}) {
    fs::create_symlink(folder / target, folder / "a");
    writeNew(folder / "a");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / "a")));
    EXPECT_EQ(readBytes(folder / "a"), "new");
    fs::remove(folder / "a");
  }
  EXPECT_EQ(folder.names(), Names{"precious"});
  EXPECT_EQ(readBytes(folder / "precious"), "old");
}

TEST(NewFile, DoesNotWaitForTheReaderOfAFifo) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "a").c_str(), 0600), 0);
  writeNew(folder / "a");
  EXPECT_EQ(readBytes(folder / "a"), "new");
}

TEST(NewFile, LeavesAFolderAlone) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "a");
  EXPECT_EQ(detail::openNewFile(folder / "a"), -1);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(detail::openNewFile(folder / "missing/a"), -1);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace mass
