#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <mass/io/atomic_file.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::messageOf;
using testing::readBytes;
using testing::TemporaryFolder;
using testing::writeBytes;
using Names = std::set<std::string>;

std::string text(int errorNumber) {
  return std::generic_category().message(errorNumber);
}

TEST(AtomicFile, AppearsOnlyWithCommit) {
  TemporaryFolder folder;
  detail::AtomicFile file(folder / "state.h5");
  EXPECT_EQ(file.temporary(), folder / "state.h5.partial");
  EXPECT_TRUE(folder.names().empty());
  writeBytes(file.temporary(), "new");
  EXPECT_EQ(folder.names(), Names{"state.h5.partial"});
  file.commit();
  EXPECT_EQ(folder.names(), Names{"state.h5"});
  EXPECT_EQ(readBytes(folder / "state.h5"), "new");
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  TemporaryFolder folder;
  writeBytes(folder / "a", "old");
  {
    detail::AtomicFile file(folder / "a");
    writeBytes(file.temporary(), "new");
  }
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(readBytes(folder / "a"), "old");
}

TEST(AtomicFile, CommitWithoutATemporaryFileSaysWhichIsMissing) {
  TemporaryFolder folder;
  detail::AtomicFile file(folder / "a");
  const std::string message = messageOf<OutputError>([&] { file.commit(); });
  EXPECT_TRUE(contains(message, (folder / "a.partial").string()));
  EXPECT_TRUE(contains(message, text(ENOENT)));
}

TEST(AtomicFile, AFolderInTheWayIsAnErrorAndLeavesNoPartialFile) {
  TemporaryFolder folder;
  fs::create_directory(folder / "a");
  const std::string message =
      messageOf<OutputError>([&] { detail::writeAtomically(folder / "a", "x"); });
  EXPECT_TRUE(contains(message, text(EISDIR)));
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(AtomicFile, ANameWithoutAFolderIsInTheWorkingFolder) {
  TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  detail::writeAtomically("here", "x");
  fs::current_path(before);
  EXPECT_EQ(folder.names(), Names{"here"});
}

TEST(WriteAtomically, ReplacesWithExactlyTheBytes) {
  TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  detail::writeAtomically(folder / "a", "something longer than that");
  detail::writeAtomically(folder / "a", bytes);
  EXPECT_EQ(readBytes(folder / "a"), bytes);
  detail::writeAtomically(folder / "a", "");
  EXPECT_EQ(readBytes(folder / "a"), "");
}

TEST(WriteAtomically, AMissingFolderIsAnError) {
  TemporaryFolder folder;
  const fs::path path = folder / "missing/file";
  const std::string message = messageOf<OutputError>([&] { detail::writeAtomically(path, "x"); });
  EXPECT_TRUE(contains(message, path.string()));
  EXPECT_TRUE(contains(message, text(ENOENT)));
}

/// Limits the size of the files that this process writes, to simulate a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : oldHandler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, oldHandler_);
  }

 private:
  rlimit old_{};
  void (*oldHandler_)(int);
};

TEST(WriteAtomically, AFailureInTheMiddleLeavesTheOldFileAlone) {
  TemporaryFolder folder;
  writeBytes(folder / "a", "old");
  std::string message;
  {
    FileSizeLimit limit(1000);  // the first write is short, the next fails
    message = messageOf<OutputError>(
        [&] { detail::writeAtomically(folder / "a", std::string(5000, 'x')); });
  }
  EXPECT_TRUE(contains(message, text(EFBIG)));
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(readBytes(folder / "a"), "old");
}

/// Mounts a small file system if the user is allowed to.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& folder) : folder_(folder) {
    isMounted_ = ::mount("none", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
  }
  ~SmallDisk() {
    if (isMounted_) ::umount(folder_.c_str());
  }
  bool isMounted() const { return isMounted_; }

 private:
  fs::path folder_;
  bool isMounted_;
};

TEST(WriteAtomically, AFullDiskLeavesTheOldFileAlone) {
  TemporaryFolder folder;
  SmallDisk disk(folder.path());
  if (!disk.isMounted()) GTEST_SKIP() << "this user cannot mount a small disk";
  detail::writeAtomically(folder / "a", "old");
  const std::string message = messageOf<OutputError>(
      [&] { detail::writeAtomically(folder / "a", std::string(200'000, 'x')); });
  EXPECT_TRUE(contains(message, (folder / "a").string()));
  EXPECT_TRUE(contains(message, text(ENOSPC)));
  EXPECT_TRUE(contains(message, "free some space"));
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(readBytes(folder / "a"), "old");
}

TEST(MakeFolder, AFullDiskIsFoundOut) {
  TemporaryFolder folder;
  SmallDisk disk(folder.path());
  if (!disk.isMounted()) GTEST_SKIP() << "this user cannot mount a small disk";
  writeBytes(folder / "filler", std::string(64 * 1024, 'x'));
  const std::string message = messageOf<OutputError>([&] { detail::makeFolder(folder.path()); });
  EXPECT_TRUE(contains(message, text(ENOSPC)));
  EXPECT_EQ(folder.names(), Names{"filler"});
}

TEST(CannotWrite, HasTheRemedyOfEachError) {
  const std::vector<std::pair<int, std::string>> remedies{
      {ENOSPC, "free some space or choose another folder"},
      {EDQUOT, "free some space or choose another folder"},
      {EFBIG, "raise the limit on file sizes (ulimit -f) or choose another folder"},
      {EACCES, "choose a folder that you may write to"},
      {EPERM, "choose a folder that you may write to"},
      {EROFS, "choose a folder that you may write to"},
      {ENOTDIR, "a file is where a folder is needed: remove it or choose another folder"},
      {EEXIST, "a file is where a folder is needed: remove it or choose another folder"},
      {EISDIR, "a folder is where the file should go: remove it or choose another name"},
      {ENOENT, "create the folder first"},
      {EINTR, "a signal has ended the wait for the disk"},
      {ELOOP, "a symbolic link is where the file should go: remove it or choose another name"},
      {EMFILE, "raise the limit on open files (ulimit -n)"},
      {ENFILE, "the system has too many open files: end other programs"},
      {ENAMETOOLONG, "choose a shorter name"},
      {EBUSY, "another program uses it: end that or choose another name"},
      {EIO, "the disk may be faulty: choose another folder"},
      {ENODEV, "choose another folder"}};
  for (const auto& [error, remedy] : remedies)
    EXPECT_EQ(detail::cannotWrite("a/b", error).what(),
              "cannot write 'a/b': " + text(error) + " (" + remedy + ")");
}

TEST(MakeFolder, MakesParentsAndLeavesNothingInside) {
  TemporaryFolder folder;
  const fs::path deep = folder / "a/b/c";
  detail::makeFolder(deep);
  EXPECT_TRUE(fs::is_directory(deep));
  EXPECT_TRUE(fs::is_empty(deep));
  writeBytes(deep / "kept", "x");
  detail::makeFolder(deep);  // existing, with contents
  EXPECT_EQ(readBytes(deep / "kept"), "x");
}

TEST(MakeFolder, AFileInTheWayIsNamed) {
  TemporaryFolder folder;
  writeBytes(folder / "a", "a file");
  for (const fs::path& path : {folder / "a", folder / "a/b"}) {
    const std::string message = messageOf<OutputError>([&] { detail::makeFolder(path); });
    EXPECT_TRUE(contains(message, path.string()));
    EXPECT_TRUE(contains(message, "a file is where a folder is needed"));
  }
  EXPECT_EQ(readBytes(folder / "a"), "a file");
}

TEST(MakeFolder, AFolderWithoutPermissionIsAnError) {
  if (::geteuid() == 0) {
    // Root may write to every file system except those of the kernel.
    const std::string message =
        messageOf<OutputError>([] { detail::makeFolder("/proc/self/mass"); });
    EXPECT_TRUE(contains(message, "/proc/self/mass"));
    return;
  }
  TemporaryFolder folder;
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  const std::string message =
      messageOf<OutputError>([&] { detail::makeFolder(folder / "locked"); });
  EXPECT_TRUE(contains(message, text(EACCES)));
}

}  // namespace
}  // namespace mass
