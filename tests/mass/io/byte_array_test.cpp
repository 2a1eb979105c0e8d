#include <mass/io/byte_array.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tests/support/temporary_folder.hpp>

#include <array>
#include <string>
#include <vector>

namespace mass {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

constexpr std::array<std::int64_t, 2> shape{2, 3};
const std::vector<std::uint8_t> expected{0, 1, 2, 3, 4, 255};

TEST(ByteArray, isReadFromARawFile) {
  const TemporaryFolder folder;
  const std::string bytes(expected.begin(), expected.end());
  writeBytes(folder / "cell.raw", bytes);
  EXPECT_EQ(readByteArray(folder / "cell.raw", "", shape), expected);
}

TEST(ByteArray, isReadFromADatasetOfAnyIntegers) {
  const TemporaryFolder folder;
  const auto path = folder / "cell.h5";
  {
    const detail::hdf5::Quiet quiet;
    detail::hdf5::NewFile file(path, path);
    detail::hdf5::writeDataset(file, "list", std::vector<std::int64_t>{0, 1, 2, 3, 4, 255});
    detail::hdf5::writeDataset(file, "large", std::vector<std::int64_t>{0, 1, 2, 3, 4, 256});
    detail::hdf5::writeDataset(file, "real", std::vector<double>{0, 1, 2, 3, 4, 5});
    detail::hdf5::writeDataset(file, "short", std::vector<std::int64_t>{0, 1});
    const std::array<hsize_t, 2> extents{2, 3};
    const auto space = detail::hdf5::dataSpace(extents);
    const auto set = detail::hdf5::createDataset(file, "bytes", H5T_STD_U8LE, space);
    detail::hdf5::checked(
        H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, expected.data()),
        "H5Dwrite");
    const std::array<hsize_t, 2> turned{3, 2};
    const auto other = detail::hdf5::dataSpace(turned);
    const auto unused = detail::hdf5::createDataset(file, "turned", H5T_STD_U8LE, other);
  }
  {
    const detail::hdf5::Quiet quiet;
    EXPECT_EQ(readByteArray(path, "list", shape), expected);
    EXPECT_EQ(readByteArray(path, "bytes", shape), expected);
  }
  const auto error = [&](const std::string& dataset) {
    return messageOf<InputError>([&] { readByteArray(path, dataset, shape); });
  };
  EXPECT_TRUE(contains(error("large"), "it holds 256, which is not 0 to 255"));
  EXPECT_TRUE(contains(error("real"), "it does not hold integers"));
  EXPECT_TRUE(contains(error("short"), "its shape is 2, not 2 x 3"));
  EXPECT_TRUE(contains(error("turned"), "its shape is 3 x 2, not 2 x 3"));
  EXPECT_TRUE(contains(error("none"), "cannot read the dataset 'none' of '" + path.string()));
}

TEST(ByteArray, isRefusedWhereTheFileIsAnother) {
  const TemporaryFolder folder;
  writeBytes(folder / "cell.raw", "12345");
  EXPECT_TRUE(
      contains(messageOf<InputError>([&] { readByteArray(folder / "cell.raw", "", shape); }),
               "it has 5 bytes, not 2 x 3, one for each place"));
  EXPECT_TRUE(
      contains(messageOf<InputError>([&] { readByteArray(folder / "none.raw", "", shape); }),
               "No such file"));
  EXPECT_TRUE(contains(messageOf<InputError>([&] { readByteArray(folder.path(), "", shape); }),
                       "a folder"));
  // Opening a pipe would block until another process opens it for writing.
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* const dataset : {"", "types"}) {
    const auto message =
        messageOf<InputError>([&] { readByteArray(folder / "pipe", dataset, shape); });
    EXPECT_TRUE(contains(message, "pipe'")) << message;
  }
}

}  // namespace
}  // namespace mass
