#include <mass/io/byte_array.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tests/support/temporary_folder.hpp>

#include <array>
#include <string>
#include <utility>
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

TEST(FloatArray, isReadFromARawFileAndFromADatasetOfAnyNumbers) {
  const TemporaryFolder folder;
  const std::vector<float> floats{0, -1.5F, 2, 3e30F, 4, 1e-30F};
  writeBytes(folder / "cell.raw", {reinterpret_cast<const char*>(floats.data()), 24});
  EXPECT_EQ(readFloatArray(folder / "cell.raw", "", shape), floats);
  const auto path = folder / "cell.h5";
  {
    const detail::hdf5::Quiet quiet;
    detail::hdf5::NewFile file(path, path);
    detail::hdf5::writeDataset(file, "real", std::vector<double>(floats.begin(), floats.end()));
    detail::hdf5::writeDataset(file, "whole", std::vector<std::int64_t>{0, 1, 2, 3, 4, 1000});
    detail::hdf5::writeDataset(file, "short", std::vector<double>{0, 1});
  }
  EXPECT_EQ(readFloatArray(path, "real", shape), floats);
  EXPECT_EQ(readFloatArray(path, "whole", shape), (std::vector<float>{0, 1, 2, 3, 4, 1000}));
  EXPECT_TRUE(contains(messageOf<InputError>([&] { readFloatArray(path, "short", shape); }),
                       "its shape is 2"));
  writeBytes(folder / "cell.raw", "12345");
  EXPECT_TRUE(
      contains(messageOf<InputError>([&] { readFloatArray(folder / "cell.raw", "", shape); }),
               "it has 5 bytes, not 2 x 3, four for each place"));
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

using detail::hdf5::checked;
using detail::hdf5::Id;

/// Writes the expected numbers to a dataset with these properties of creation.
void writeWith(hid_t file, const std::string& name, hid_t properties) {
  const std::array<hsize_t, 2> extents{2, 3};
  const Id set = detail::hdf5::createDataset(file, name, H5T_STD_U8LE,
                                             detail::hdf5::dataSpace(extents), properties);
  checked(H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, expected.data()),
          "H5Dwrite");
}

Id newProperties() {
  return Id(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate");
}

/// Returns properties of a dataset of chunks of that many numbers.
Id chunked(const std::array<hsize_t, 2>& extents) {
  Id properties = newProperties();
  checked(H5Pset_chunk(properties, 2, extents.data()), "H5Pset_chunk");
  return properties;
}

TEST(ByteArray, isReadFromGroupsAndChunks) {
  const TemporaryFolder folder;
  const auto path = folder / "cell.h5";
  {
    const detail::hdf5::Quiet quiet;
    detail::hdf5::NewFile file(path, path);
    const Id outer = detail::hdf5::createGroup(file, "outer");
    const Id inner = detail::hdf5::createGroup(outer, "inner");
    writeWith(inner, "bytes", chunked({2, 2}));
    const Id compressed = chunked({2, 3});
    checked(H5Pset_shuffle(compressed), "H5Pset_shuffle");
    checked(H5Pset_deflate(compressed, 6), "H5Pset_deflate");
    writeWith(file, "small", compressed);
    checked(H5Lcreate_hard(inner, "bytes", file, "again", H5P_DEFAULT, H5P_DEFAULT),
            "H5Lcreate_hard");
  }
  for (const char* const name : {"outer/inner/bytes", "/outer//inner/bytes", "small", "again"})
    EXPECT_EQ(readByteArray(path, name, shape), expected) << name;
}

TEST(ByteArray, followsNoLinksAndReadsNoOtherFile) {
  const TemporaryFolder folder;
  const auto path = folder / "cell.h5";
  writeBytes(folder / "secret.raw", "abcdef");
  {
    const detail::hdf5::Quiet quiet;
    detail::hdf5::NewFile other(folder / "other.h5", folder / "other.h5");
    writeWith(other, "bytes", newProperties());
    detail::hdf5::NewFile file(path, path);
    writeWith(file, "bytes", newProperties());
    checked(H5Lcreate_soft("/bytes", file, "soft", H5P_DEFAULT, H5P_DEFAULT), "H5Lcreate_soft");
    checked(H5Lcreate_soft("/", file, "root", H5P_DEFAULT, H5P_DEFAULT), "H5Lcreate_soft");
    checked(H5Lcreate_external((folder / "other.h5").c_str(), "/bytes", file, "foreign",
                               H5P_DEFAULT, H5P_DEFAULT),
            "H5Lcreate_external");
    const Id external = newProperties();
    checked(H5Pset_external(external, (folder / "secret.raw").c_str(), 0, 6), "H5Pset_external");
    const std::array<hsize_t, 2> extents{2, 3};
    const Id space = detail::hdf5::dataSpace(extents);
    const Id unused = detail::hdf5::createDataset(file, "outside", H5T_STD_U8LE, space, external);
    const Id compact = newProperties();
    checked(H5Pset_layout(compact, H5D_COMPACT), "H5Pset_layout");
    writeWith(file, "compact", compact);
    const Id view = newProperties();
    checked(H5Pset_virtual(view, space, (folder / "other.h5").c_str(), "/bytes", space),
            "H5Pset_virtual");
    const Id empty = detail::hdf5::createDataset(file, "virtual", H5T_STD_U8LE, space, view);
  }
  const auto error = [&](const std::string& dataset) {
    return messageOf<InputError>([&] { readByteArray(path, dataset, shape); });
  };
  EXPECT_TRUE(contains(error("soft"), "'soft' is a soft or external link"));
  EXPECT_TRUE(contains(error("root/bytes"), "'root' is a soft or external link"));
  EXPECT_TRUE(contains(error("foreign"), "'foreign' is a soft or external link"));
  EXPECT_TRUE(contains(error("outside"), "its values are in another file"));
  EXPECT_TRUE(contains(error("compact"), "a compact dataset"));
  EXPECT_TRUE(contains(error("virtual"), "a virtual dataset"));
  EXPECT_TRUE(contains(error("bytes/more"), "there is no 'more'") ||
              contains(error("bytes/more"), "in no group"));
}

TEST(ByteArray, takesNoMemoryForMoreThanTheFileCanHold) {
  const TemporaryFolder folder;
  const auto path = folder / "cell.h5";
  constexpr hsize_t many = hsize_t{1} << 33;
  {
    const detail::hdf5::Quiet quiet;
    detail::hdf5::NewFile file(path, path);
    const std::array<hsize_t, 2> extents{many, 3};
    const Id space = detail::hdf5::dataSpace(extents);
    // Space in the file is taken with the first value only.
    const Id a = detail::hdf5::createDataset(file, "long", H5T_STD_U8LE, space, newProperties());
    const std::array<hsize_t, 2> small{2, 3};
    const std::array<hsize_t, 2> most{H5S_UNLIMITED, 3};
    const Id growing(H5Screate_simple(2, small.data(), most.data()), H5Sclose, "H5Screate_simple");
    const Id b =
        detail::hdf5::createDataset(file, "chunks", H5T_STD_U8LE, growing, chunked({1 << 30, 3}));
  }
  const std::array<std::int64_t, 2> world{static_cast<std::int64_t>(many), 3};
  EXPECT_TRUE(contains(messageOf<InputError>([&] { readByteArray(path, "long", world); }),
                       "more values than a file of"));
  EXPECT_TRUE(contains(messageOf<InputError>([&] { readByteArray(path, "chunks", shape); }),
                       "larger chunks than a file of"));
}

TEST(ByteArray, fromADamagedFileIsAMessageOrTheNumbers) {
  const TemporaryFolder folder;
  const auto path = folder / "cell.h5";
  {
    const detail::hdf5::Quiet quiet;
    detail::hdf5::NewFile file(path, path);
    writeWith(detail::hdf5::createGroup(file, "group"), "bytes", chunked({2, 2}));
  }
  const std::string whole = testing::readBytes(path);
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    writeBytes(path, damaged);
    try {
      EXPECT_EQ(readByteArray(path, "group/bytes", shape).size(), expected.size());
    } catch (const InputError& error) {
      EXPECT_TRUE(contains(error.what(), path.string()));
      EXPECT_FALSE(contains(error.what(), "H5")) << "names of HDF5: " << error.what();
    }
  }
}

TEST(ByteArray, saysWhatTheFileHasInstead) {
  const TemporaryFolder folder;
  const auto path = folder / "cell.h5";
  {
    const detail::hdf5::Quiet quiet;
    detail::hdf5::NewFile file(path, path);
    const auto group = detail::hdf5::createGroup(file, "group");
    writeWith(group, "bytes", newProperties());
    for (const auto& [name, kind] :
         {std::pair("scalar", H5S_SCALAR), std::pair("null", H5S_NULL)}) {
      const Id space(H5Screate(kind), H5Sclose, "H5Screate");
      detail::hdf5::createDataset(file, name, H5T_STD_U8LE, space);
    }
    detail::hdf5::writeDataset(file, "text", std::string("abc"));
  }
  const auto error = [&](const std::string& dataset) {
    return messageOf<InputError>([&] { readByteArray(path, dataset, shape); });
  };
  EXPECT_TRUE(contains(error("scalar"), "it is a single value, not an array"));
  EXPECT_TRUE(contains(error("null"), "it is empty"));
  EXPECT_TRUE(contains(error("text"), "it does not hold numbers"));
  EXPECT_TRUE(contains(error("group"), "it is a group: give the path of a dataset in it"));
  const std::string whole = testing::readBytes(path);
  writeBytes(path, whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(contains(error("group/bytes"), "was cut off"));
  EXPECT_FALSE(contains(error("group/bytes"), "H5"));
  writeBytes(path, "P5 2 3 255\nabcdef");
  EXPECT_TRUE(contains(error("group/bytes"), "it is no HDF5 file"));
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
