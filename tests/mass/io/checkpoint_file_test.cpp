#include <mass/io/checkpoint_file.hpp>
#include <mass/io/checksum.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/support/error.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <thread>

#include "../../support/temporary_folder.hpp"

using mass::testing::TemporaryFolder;

namespace {

using mass::CheckpointError;
using mass::OutputError;
using mass::UsageError;
using mass::detail::ArrayInfo;
using mass::detail::CheckpointHeader;
using mass::detail::CheckpointReader;
using mass::detail::CheckpointWriter;
using mass::detail::ElementType;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct Pair {
  float x;
  std::int16_t y, z;
  bool operator==(const Pair&) const = default;
};

const CheckpointHeader header{"Life",
                              "rows: 7\nrule: B3/S23 # größer\n",
                              {{"life.step", 1234567890123u}, {"life/calls", 0}},
                              {{"time", 0.1}, {"max", -1e300}},
                              {{"species", std::string(70000, 'A')}, {"no text", ""}}};

template <class T>
ArrayInfo infoOf(const std::string& name, std::vector<std::uint64_t> shape) {
  return {name, mass::detail::elementTypeOf<T>(), sizeof(T), std::move(shape)};
}

template <class T>
std::vector<T> someValues(std::size_t count) {
  std::vector<T> values(count);
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < count * sizeof(T); ++i) {
    bytes[i] = static_cast<unsigned char>(i * 131 + 7);
  }
  return values;
}

template <class T>
void writeArray(CheckpointWriter& writer, const ArrayInfo& info, const std::vector<T>& values,
                std::uint64_t rowsAtOnce = 3, std::uint64_t hash = 99) {
  writer.begin(info);
  const std::uint64_t total = info.shape.front();
  for (std::uint64_t first = 0; first < total; first += rowsAtOnce) {
    const std::uint64_t count = std::min(rowsAtOnce, total - first);
    writer.rows(first, count,
                reinterpret_cast<const std::byte*>(values.data()) + first * info.rowBytes());
  }
  writer.end(hash);
}

template <class T>
std::vector<T> readArray(const CheckpointReader& reader, const std::string& name, std::size_t count,
                         std::uint64_t totalRows, std::uint64_t rowsAtOnce) {
  std::vector<T> values(count);
  const std::uint64_t rowBytes = count * sizeof(T) / std::max<std::uint64_t>(totalRows, 1);
  for (std::uint64_t first = 0; first < totalRows; first += rowsAtOnce) {
    reader.rows(name, first, std::min(rowsAtOnce, totalRows - first),
                reinterpret_cast<std::byte*>(values.data()) + first * rowBytes);
  }
  return values;
}

template <class Work>
std::string messageOf(Work work) {
  try {
    work();
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "no CheckpointError";
}

std::string openingMessage(const fs::path& path) {
  return messageOf([&] { CheckpointReader{path}; });
}

std::vector<char> contentsOf(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void writeContents(const fs::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::size_t openHandles() {
  return static_cast<std::size_t>(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL));
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

const std::vector<double> heat = someValues<double>(7 * 5);
const std::vector<std::uint8_t> alive(7 * 5, 1);

void writeSmall(const fs::path& path) {
  CheckpointWriter writer(path, header);
  writeArray(writer, infoOf<double>("heat", {7, 5}), heat);
  writeArray(writer, infoOf<bool>("alive", {7, 5}), alive, 100, 5);
  writer.commit();
}

template <class T>
void roundTrip(const fs::path& path, const std::vector<std::uint64_t>& shape) {
  const std::size_t count =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  const std::vector<T> values = someValues<T>(count);
  const ArrayInfo info = infoOf<T>("values", shape);
  {
    CheckpointWriter writer(path, header);
    writeArray(writer, info, values);
    writer.commit();
  }
  const CheckpointReader reader(path);
  EXPECT_EQ(reader.header(), header);
  ASSERT_EQ(reader.arrays(), std::vector{info});
  reader.require(info);
  for (std::uint64_t rowsAtOnce : {1u, 2u, 5u, 1000u}) {
    const auto read = readArray<T>(reader, "values", count, shape[0], rowsAtOnce);
    if (count > 0) {
      ASSERT_EQ(std::memcmp(read.data(), values.data(), count * sizeof(T)), 0);
    }
  }
}

TEST(Checkpoint, KeepsEveryTypeAndRank) {
  const TemporaryFolder folder;
  roundTrip<std::int8_t>(folder / "a", {10});
  roundTrip<std::uint8_t>(folder / "a", {4, 3});
  roundTrip<std::int16_t>(folder / "a", {4, 3, 2});
  roundTrip<std::uint16_t>(folder / "a", {1});
  roundTrip<std::int32_t>(folder / "a", {1, 9});
  roundTrip<std::uint32_t>(folder / "a", {9, 1});
  roundTrip<std::int64_t>(folder / "a", {2, 2, 2, 19});
  roundTrip<std::uint64_t>(folder / "a", {7});
  roundTrip<float>(folder / "a", {7, 7});
  roundTrip<double>(folder / "a", {7, 7});
  roundTrip<Pair>(folder / "a", {3, 5});
  roundTrip<double>(folder / "a", {0, 5});
  roundTrip<double>(folder / "a", {5, 0});
  EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"a"});
}

TEST(Checkpoint, KeepsArraysOfManyBlocksReadInOtherPieces) {
  const TemporaryFolder folder;
  const std::vector<std::uint32_t> values = someValues<std::uint32_t>(3000 * 1001);
  CheckpointWriter writer(folder / "a", header);
  writeArray(writer, infoOf<std::uint32_t>("a", {3000, 1001}), values, 700, 17);
  writer.commit();
  const CheckpointReader reader(folder / "a");
  EXPECT_EQ(reader.hash("a"), 17u);
  for (std::uint64_t rowsAtOnce : {999u, 3000u, 13u}) {
    EXPECT_EQ(readArray<std::uint32_t>(reader, "a", values.size(), 3000, rowsAtOnce), values);
  }
}

TEST(Checkpoint, KeepsLongTextsAndManyCounters) {
  const TemporaryFolder folder;
  CheckpointHeader large;
  large.settings = std::string(200000, 'x');
  for (unsigned i = 0; i < 500; ++i) large.counters["counter " + std::to_string(i)] = i * 3u;
  CheckpointWriter(folder / "a", large).commit();
  EXPECT_EQ(CheckpointReader(folder / "a").header(), large);
  CheckpointWriter(folder / "a", {}).commit();
  EXPECT_EQ(CheckpointReader(folder / "a").header(), CheckpointHeader{});
}

TEST(Checkpoint, IsAPlainHdf5File) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  const mass::detail::hdf5::Id file = mass::detail::hdf5::openFile(folder / "a");
  std::vector<double> read(heat.size());
  mass::detail::hdf5::readDataset(file, "arrays/heat", H5T_NATIVE_DOUBLE, read.size(), read.data());
  EXPECT_EQ(std::memcmp(read.data(), heat.data(), heat.size() * sizeof(double)), 0);
  EXPECT_EQ(mass::detail::hdf5::readTextDataset(file, "settings"), header.settings);
}

TEST(Checkpoint, HasItsNameOnlyAfterCommit) {
  const TemporaryFolder folder;
  {
    CheckpointWriter writer(folder / "a", header);
    writeArray(writer, infoOf<double>("heat", {7, 5}), heat);
    EXPECT_FALSE(fs::exists(folder / "a"));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(openHandles(), 0u);
}

TEST(Checkpoint, RefusesMisuse) {
  const TemporaryFolder folder;
  CheckpointWriter writer(folder / "a", header);
  const ArrayInfo info = infoOf<double>("heat", {7, 5});
  EXPECT_THROW(writer.rows(0, 1, heat.data()), UsageError);
  EXPECT_THROW(writer.end(0), UsageError);
  EXPECT_THROW(writer.begin(infoOf<double>("", {7})), UsageError);
  EXPECT_THROW(writer.begin(infoOf<double>("a/b", {7})), UsageError);
  EXPECT_THROW(writer.begin(infoOf<double>("a", {})), UsageError);
  EXPECT_THROW(writer.begin(infoOf<double>("a", {1ull << 40, 1ull << 40})), UsageError);
  EXPECT_THROW(writer.begin({"a", ElementType::float32, 8, {7}}), UsageError);
  EXPECT_THROW(writer.begin({"a", ElementType::opaque, 0, {7}}), UsageError);
  writer.begin(info);
  EXPECT_THROW(writer.begin(info), UsageError);
  EXPECT_THROW(writer.commit(), UsageError);
  EXPECT_THROW(writer.rows(1, 1, heat.data()), UsageError);
  EXPECT_THROW(writer.rows(0, 8, heat.data()), UsageError);
  writer.rows(0, 6, heat.data());
  EXPECT_THROW(writer.end(0), UsageError);
  writer.rows(6, 1, heat.data());
  writer.end(0);
  EXPECT_THROW(writer.begin(info), UsageError);  // the name is taken
  writer.commit();
  EXPECT_THROW(writer.commit(), UsageError);
  CheckpointReader{folder / "a"}.require(info);
}

TEST(Checkpoint, SaysWhatIsNotThere) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  const CheckpointReader reader(folder / "a");
  double value = 0;
  EXPECT_THAT(messageOf([&] { reader.rows("cold", 0, 1, &value); }),
              AllOf(HasSubstr("'cold'"), HasSubstr("heat, alive"), HasSubstr(folder / "a")));
  EXPECT_THAT(messageOf([&] {
                reader.require(infoOf<float>("heat", {7, 5}));
              }),
              AllOf(HasSubstr("float64 [7 x 5]"), HasSubstr("float32 [7 x 5]")));
  EXPECT_THAT(messageOf([&] {
                reader.require(infoOf<double>("heat", {5, 7}));
              }),
              AllOf(HasSubstr("float64 [7 x 5]"), HasSubstr("float64 [5 x 7]")));
  EXPECT_THAT(messageOf([&] {
                reader.require(infoOf<Pair>("heat", {7, 5}));
              }),
              HasSubstr("opaque of 8 bytes"));
  EXPECT_THAT(messageOf([&] { reader.rows("heat", 7, 1, &value); }), HasSubstr("has 7 rows"));
  EXPECT_THAT(messageOf([&] { reader.rows("heat", 1, ~std::uint64_t{0}, &value); }),
              HasSubstr("has 7 rows"));
  EXPECT_THAT(messageOf([&] { reader.hash("cold"); }), HasSubstr("'cold'"));
}

TEST(Checkpoint, SaysWhyAFileIsNoCheckpoint) {
  const TemporaryFolder folder;
  EXPECT_THAT(openingMessage(folder / "none"), HasSubstr("no such file"));
  EXPECT_THAT(openingMessage(folder.path()), HasSubstr("not a file"));
  writeContents(folder / "empty", {});
  EXPECT_THAT(openingMessage(folder / "empty"), HasSubstr("neither a MASS checkpoint"));
  writeContents(folder / "text", std::vector<char>(5000, 'x'));
  EXPECT_THAT(openingMessage(folder / "text"), HasSubstr("neither a MASS checkpoint"));
  mass::detail::hdf5::NewFile(folder / "other.h5", folder / "other.h5").finish();
  EXPECT_THAT(openingMessage(folder / "other.h5"), HasSubstr("HDF5 file, but no MASS checkpoint"));
}

TEST(Checkpoint, PrintsNothingAndLeavesTheErrorHandlerAlone) {
  const TemporaryFolder folder;
  writeContents(folder / "text", std::vector<char>(5000, 'x'));
  H5E_auto2_t before = nullptr, after = nullptr;
  void *beforeData = nullptr, *afterData = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &beforeData);
  testing::internal::CaptureStderr();
  openingMessage(folder / "text");
  writeSmall(folder / "a");
  EXPECT_THROW(CheckpointWriter(folder / "no" / "a", header), OutputError);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &afterData);
  EXPECT_EQ(before, after);
  EXPECT_EQ(beforeData, afterData);
}

TEST(Checkpoint, SeesAFileThatIsCutOffAnywhere) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  for (std::uint64_t size = fs::file_size(folder / "a"); size-- > 27;) {
    fs::resize_file(folder / "a", size);
    ASSERT_THAT(openingMessage(folder / "a"), HasSubstr("cut off")) << size;
  }
  EXPECT_EQ(openHandles(), 0u);
}

TEST(Checkpoint, SeesBytesAfterItsEnd) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  fs::resize_file(folder / "a", fs::file_size(folder / "a") + 3);
  EXPECT_THAT(openingMessage(folder / "a"), HasSubstr("3 bytes follow"));
}

TEST(Checkpoint, DetectsEveryCorruptedByte) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  const std::vector<char> whole = contentsOf(folder / "a");
  const int file = ::open((folder / "a").c_str(), O_RDWR);
  ASSERT_GE(file, 0);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const char flipped = static_cast<char>(whole[at] ^ (1 << (at % 8)));
    ASSERT_EQ(::pwrite(file, &flipped, 1, static_cast<off_t>(at)), 1);
    EXPECT_NE(messageOf([&] {
                const CheckpointReader reader(folder / "a");
                readArray<double>(reader, "heat", heat.size(), 7, 2);
                readArray<std::uint8_t>(reader, "alive", alive.size(), 7, 7);
              }),
              "no CheckpointError")
        << "byte " << at;
    ASSERT_EQ(::pwrite(file, &whole[at], 1, static_cast<off_t>(at)), 1);
  }
  ::close(file);
  EXPECT_EQ(openHandles(), 0u);
  CheckpointReader{folder / "a"}.require(infoOf<bool>("alive", {7, 5}));
}

/// Replaces a number in the first 512 bytes of a checkpoint, and renews their checksum.
void forgeSeal(const fs::path& path, std::size_t at, std::uint64_t number) {
  constexpr std::size_t checksumAt = 512 - sizeof(std::uint64_t);
  std::vector<char> bytes = contentsOf(path);
  std::memcpy(&bytes[at], &number, sizeof number);
  const std::uint64_t sum = mass::detail::checksum(bytes.data(), checksumAt);
  std::memcpy(&bytes[checksumAt], &sum, sizeof sum);
  writeContents(path, bytes);
}

TEST(Checkpoint, TakesNoMemoryForMoreArraysThanTheFileHolds) {
  const TemporaryFolder folder;
  constexpr std::size_t tableOffset = 48;
  constexpr std::size_t tableLength = 56;
  for (const std::uint64_t count :
       {std::uint64_t{3}, std::uint64_t{1} << 28, std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
    writeSmall(folder / "a");
    forgeSeal(folder / "a", tableLength, count);
    EXPECT_THAT(openingMessage(folder / "a"), HasSubstr("larger than the file")) << count;
  }
  writeSmall(folder / "a");
  forgeSeal(folder / "a", tableOffset, ~std::uint64_t{0} - 7);
  EXPECT_THAT(openingMessage(folder / "a"), HasSubstr("larger than the file"));
}

struct Range {
  std::uint64_t offset, bytes;
};

/// Appends a table of the array data to a file and renews all checksums, so that every byte passes
/// them.
void forgeRanges(const fs::path& path, const std::vector<Range>& ranges) {
  std::vector<char> bytes = contentsOf(path);
  const std::uint64_t tableOffset = bytes.size(), tableBytes = ranges.size() * sizeof(Range);
  const auto* const table = reinterpret_cast<const char*>(ranges.data());
  if (!ranges.empty()) bytes.insert(bytes.end(), table, table + tableBytes);
  std::uint64_t metadata = 0, at = 512;
  const auto add = [&](std::uint64_t end) {
    if (at < end) metadata = mass::detail::checksum(&bytes[at], end - at, metadata);
  };
  for (const Range& range : ranges) {
    add(range.offset);
    at = range.offset + range.bytes;
  }
  add(bytes.size());
  writeContents(path, bytes);
  const std::uint64_t numbers[] = {bytes.size(), tableOffset, ranges.size(),
                                   mass::detail::checksum(ranges.data(), tableBytes), metadata};
  for (std::size_t i = 0; i < std::size(numbers); ++i) forgeSeal(path, 40 + 8 * i, numbers[i]);
}

TEST(Checkpoint, RefusesArraysThatAreNotInTheFile) {
  const TemporaryFolder folder;
  const auto messageWith = [&](const std::vector<Range>& ranges) {
    writeSmall(folder / "a");
    forgeRanges(folder / "a", ranges);
    return openingMessage(folder / "a");
  };
  writeSmall(folder / "a");
  const std::uint64_t end = fs::file_size(folder / "a");
  EXPECT_EQ(messageWith({}), "no CheckpointError");
  EXPECT_EQ(messageWith({{700, 50}, {800, end + 2 * sizeof(Range) - 800}}), "no CheckpointError");
  for (const std::vector<Range>& ranges :
       {std::vector<Range>{{700, 50}, {800, end + 2 * sizeof(Range) - 799}},
        {{700, end + sizeof(Range)}},
        {{511, 50}},
        {{700, 50}, {749, 10}},
        {{end + sizeof(Range) + 1, 0}}})
    EXPECT_THAT(messageWith(ranges), HasSubstr("description of the arrays is damaged"))
        << ranges.back().offset << ", " << ranges.back().bytes;
}

/// Opens a checkpoint for writing by HDF5, calls edit(file), and renews all checksums.
template <class Edit>
void edit(const fs::path& path, Edit edit) {
  {
    const mass::detail::hdf5::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose,
                                      "H5Fopen");
    edit(file);
  }
  forgeRanges(path, {});
}

/// Replaces the blocks of an array, pairs of the end of their rows and a checksum.
void replaceBlocks(hid_t file, const std::string& array,
                   const std::vector<std::array<std::uint64_t, 2>>& blocks) {
  namespace hdf5 = mass::detail::hdf5;
  const std::string name = "checksums/" + array;
  hdf5::checked(H5Ldelete(file, name.c_str(), H5P_DEFAULT), "H5Ldelete");
  const std::vector<hsize_t> shape{blocks.size(), 2};
  const hdf5::Id table = hdf5::createDataset(file, name, H5T_STD_U64LE, hdf5::dataSpace(shape));
  hdf5::checked(H5Dwrite(table, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, blocks.data()),
                "H5Dwrite");
}

TEST(Checkpoint, RefusesBlocksThatAreNotTheRows) {
  const TemporaryFolder folder;
  const auto messageWith = [&](const std::vector<std::array<std::uint64_t, 2>>& blocks) {
    writeSmall(folder / "a");
    edit(folder / "a", [&](hid_t file) { replaceBlocks(file, "alive", blocks); });
    return openingMessage(folder / "a");
  };
  EXPECT_EQ(messageWith({{3, 0}, {7, 0}}), "no CheckpointError");
  for (const std::vector<std::array<std::uint64_t, 2>>& blocks :
       {std::vector<std::array<std::uint64_t, 2>>{{6, 0}},
        {{8, 0}},
        {{7, 0}, {7, 0}},
        {{4, 0}, {3, 0}, {7, 0}},
        {{0, 0}, {7, 0}}})
    EXPECT_THAT(messageWith(blocks), HasSubstr("do not cover its rows")) << blocks.size();
}

TEST(Checkpoint, TakesNoMemoryForAnArrayLargerThanTheFile) {
  namespace hdf5 = mass::detail::hdf5;
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  edit(folder / "a", [](hid_t file) {
    constexpr std::uint64_t rows = std::uint64_t{1} << 40;
    hdf5::checked(H5Ldelete(file, "arrays/heat", H5P_DEFAULT), "H5Ldelete");
    const std::vector<hsize_t> shape{rows};
    const hdf5::Id set =
        hdf5::createDataset(file, "arrays/heat", H5T_IEEE_F64LE, hdf5::dataSpace(shape));
    hdf5::writeAttribute(set, "type", std::string("float64"));
    hdf5::writeAttribute(set, "hash", std::uint64_t{1});
    replaceBlocks(file, "heat", {{rows, 0}});
  });
  EXPECT_THAT(openingMessage(folder / "a"), HasSubstr("array 'heat' is larger than the file"));
}

TEST(Checkpoint, NamesTheCorruptedRows) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  std::vector<char> bytes = contentsOf(folder / "a");
  const auto* row4 = reinterpret_cast<const char*>(heat.data() + 4 * 5);
  const auto found = std::search(bytes.begin(), bytes.end(), row4, row4 + 40);
  ASSERT_NE(found, bytes.end());
  std::swap(found[0], found[8]);
  writeContents(folder / "a", bytes);
  const CheckpointReader reader(folder / "a");
  std::vector<double> row(5);
  reader.rows("heat", 0, 1, row.data());  // the undamaged rows are readable
  EXPECT_THAT(messageOf([&] { reader.rows("heat", 5, 1, row.data()); }),
              AllOf(HasSubstr("'heat'"), HasSubstr("rows 3 to 6")));
}

TEST(Checkpoint, NamesANewerFormat) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  std::vector<char> bytes = contentsOf(folder / "a");
  bytes[32] = 2;  // the version
  const std::uint64_t sum = mass::detail::checksum(bytes.data(), 504);
  std::memcpy(&bytes[504], &sum, 8);
  writeContents(folder / "a", bytes);
  EXPECT_THAT(openingMessage(folder / "a"), HasSubstr("format version 2"));
}

// Failing disks

/// Writes a checkpoint of `rows` KiB over an existing one. Expects an OutputError and the old file
/// unchanged.
void expectRefusal(const fs::path& folder, std::uint64_t rows, const std::string& reason) {
  const std::vector<char> before = contentsOf(folder / "a");
  const std::vector<std::uint8_t> values = someValues<std::uint8_t>(rows * 1024);
  try {
    CheckpointWriter writer(folder / "a", header);
    writeArray(writer, infoOf<std::uint8_t>("values", {rows, 1024}), values, 64);
    writer.commit();
    ADD_FAILURE() << "written: " << rows;
  } catch (const OutputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(folder / "a"), HasSubstr(reason)));
  }
  EXPECT_EQ(contentsOf(folder / "a"), before);
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{"a"});
  EXPECT_EQ(openHandles(), 0u);
}

/// Limits the size of files to `bytes` during its lifetime.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

TEST(Checkpoint, LeavesTheOldOneWhereTheFileCannotGrow) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  for (rlim_t limit : {0u, 100u, 512u, 700u, 1500u, 3000u, 5000u, 100000u, 500000u}) {
    const FileSizeLimit limited(limit);
    expectRefusal(folder.path(), 512, "too large");
  }
}

// The write fails in the header, the data, the metadata at the close, and the seal.
TEST(Checkpoint, SurvivesALimitAtEveryLength) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  const std::uint64_t size = fs::file_size(folder / "a");
  for (rlim_t limit = 0; limit < size; limit += 7) {
    const FileSizeLimit limited(limit);
    ASSERT_THROW(writeSmall(folder / "b"), OutputError) << limit;
    ASSERT_EQ(openHandles(), 0u) << limit;
    ASSERT_EQ(namesIn(folder.path()), std::vector<std::string>{"a"}) << limit;
  }
}

TEST(Checkpoint, LeavesTheOldOneWhereTheDiskIsFull) {
  const TemporaryFolder folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "only root can make a small disk";
  }
  writeSmall(folder / "a");
  const std::uint64_t free = fs::space(folder.path()).available / 1024;
  expectRefusal(folder.path(), 2 * free, "No space left");
  // The data fit, the metadata do not.
  expectRefusal(folder.path(), free, "No space left");
  ::umount(folder.path().c_str());
}

TEST(Checkpoint, IsWholeAfterAKillAtAnyMoment) {
  const TemporaryFolder folder;
  writeSmall(folder / "a");
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) writeSmall(folder / "a");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const CheckpointReader reader(folder / "a");
    const std::vector<double> read = readArray<double>(reader, "heat", heat.size(), 7, 7);
    ASSERT_EQ(std::memcmp(read.data(), heat.data(), heat.size() * sizeof(double)), 0);
    for (const std::string& name : namesIn(folder.path())) {
      EXPECT_TRUE(name == "a" || name == "a.partial") << name;
    }
  }
}

}  // namespace
