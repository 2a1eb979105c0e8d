#include <mass/io/file_sum.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tests/support/temporary_folder.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mass::detail {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

/// Returns that many bytes without a period of a block.
std::string sample(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>((i * i) >> 7);
  return text;
}

/// True if the sum of a file changes with the lowest bit of a byte.
bool detects(const std::string& bytes, std::size_t at) {
  const TemporaryFolder folder;
  writeBytes(folder / "a", bytes);
  const FileSum sum = sumOf(folder / "a");
  EXPECT_EQ(sum.bytes, bytes.size());
  std::string damaged = bytes;
  damaged[at] = static_cast<char>(damaged[at] ^ 1);
  writeBytes(folder / "a", damaged);
  return sumOf(folder / "a") != sum;
}

TEST(FileSum, coversEveryByteOfASmallFile) {
  const std::string bytes = sample(512 << 10);
  for (std::size_t at = 0; at < bytes.size(); at += 40009) EXPECT_TRUE(detects(bytes, at)) << at;
  EXPECT_TRUE(detects(bytes, bytes.size() - 1));
}

TEST(FileSum, coversTheEndsAndSamplesOfALargeFile) {
  const std::string bytes = sample((2 << 20) + 5);
  const std::vector<std::size_t> covered{0,
                                         (64 << 10) - 1,
                                         128 << 10,
                                         (128 << 10) + 4095,
                                         1 << 20,
                                         bytes.size() - (64 << 10),
                                         bytes.size() - 1};
  for (const std::size_t at : covered) EXPECT_TRUE(detects(bytes, at)) << at;
}

TEST(FileSum, changesWithTheLength) {
  const TemporaryFolder folder;
  writeBytes(folder / "a", std::string(100, '\0'));
  writeBytes(folder / "b", std::string(101, '\0'));
  writeBytes(folder / "none", "");
  EXPECT_NE(sumOf(folder / "a"), sumOf(folder / "b"));
  EXPECT_EQ(sumOf(folder / "none").bytes, 0U);
}

TEST(FileSum, isThatOfARegularFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("absent", folder / "link");
  EXPECT_EQ(messageOf<Error>([&] { sumOf(folder / "pipe"); }), "it is a FIFO");
  EXPECT_EQ(messageOf<Error>([&] { sumOf(folder / "link"); }), "it is a symbolic link");
  EXPECT_EQ(messageOf<Error>([&] { sumOf(folder.path()); }), "it is a folder");
  EXPECT_EQ(messageOf<Error>([&] { sumOf(folder / "absent"); }), "there is no such file");
}

}  // namespace
}  // namespace mass::detail
