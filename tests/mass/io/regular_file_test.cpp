#include <mass/io/regular_file.hpp>

#include "../../support/temporary_folder.hpp"

#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace {

using mass::detail::readRegularFile;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

/// Returns the reason why a file is not read.
std::string reasonFor(const std::filesystem::path& path, std::uintmax_t largest = 1 << 20) {
  try {
    (void)readRegularFile(path, largest);
  } catch (const mass::InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(RegularFile, IsReadToItsEnd) {
  TemporaryFolder folder;
  const std::string bytes("a\0\n\xff", 4);
  writeBytes(folder / "file", bytes);
  EXPECT_EQ(readRegularFile(folder / "file", bytes.size()), bytes);
  writeBytes(folder / "file", "");
  EXPECT_EQ(readRegularFile(folder / "file", 0), "");
}

TEST(RegularFile, AnythingElseIsRefusedWithTheReason) {
  TemporaryFolder folder;
  writeBytes(folder / "file", std::string((1 << 20) + 1, 'x'));
  std::filesystem::create_symlink("file", folder / "link");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(reasonFor(folder / "file"), "it is larger than 1 MiB");
  EXPECT_EQ(reasonFor(folder / "none"), "there is no such file");
  EXPECT_EQ(reasonFor(folder.path()), "it is a folder");
  EXPECT_EQ(reasonFor(folder / "link"), "it is a symbolic link");
  EXPECT_EQ(reasonFor(folder / "fifo"), "it is a FIFO");
  EXPECT_EQ(reasonFor("/dev/null"), "it is a device");
  EXPECT_EQ(reasonFor(folder / "file/below"), "there is no such file");
}

}  // namespace
