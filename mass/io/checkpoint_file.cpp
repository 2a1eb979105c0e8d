#include <mass/io/atomic_file.hpp>
#include <mass/io/checkpoint_file.hpp>
#include <mass/io/checksum.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/io/regular_file.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

// Format of the file: a seal of 512 bytes (HDF5's user block), then HDF5. The seal has the length
// of the file and a checksum of its metadata, which are all bytes except the array data; it is
// checked first, since HDF5 may crash on damaged metadata. Array data have a checksum per block of
// rows; these checksums are metadata.

namespace mass::detail {

/// Contiguous array data in the file.
struct CheckpointRange {
  std::uint64_t offset;
  std::uint64_t bytes;
};

/// Block of rows that ends before `endRow`, and its checksum, as stored in the file.
struct CheckpointBlock {
  std::uint64_t endRow;
  std::uint64_t checksum;
};

/// Open dataset of an array in the file.
struct StoredArray {
  hdf5::Id data;
  hdf5::Id type;
  std::uint64_t hash = 0;
  std::vector<CheckpointBlock> blocks;
};

namespace {

constexpr std::uint64_t formatVersion = 1;
constexpr std::uint64_t blockBytes = std::uint64_t{1} << 20;
constexpr const char* textsGroup = "texts";

/// First 512 bytes of the file.
struct Seal {
  std::array<char, 32> magic{};
  std::uint64_t version = formatVersion;
  std::uint64_t fileBytes = 0;
  std::uint64_t rangesOffset = 0;  ///< offset of the table of ranges, which ascend
  std::uint64_t ranges = 0;
  std::uint64_t rangesChecksum = 0;
  std::uint64_t metadataChecksum = 0;
  std::array<std::byte, 424> zeros{};
  std::uint64_t checksum = 0;  ///< checksum of the bytes before it; same offset in all versions
};
static_assert(sizeof(Seal) == 512 && std::is_trivially_copyable_v<Seal>);

constexpr std::string_view magicText = "MASS checkpoint, then HDF5\n";

std::uint64_t sealChecksum(const Seal& seal) {
  return checksum(&seal, offsetof(Seal, checksum));
}

/// Returns the checksum of the bytes from the end of the seal to `fileBytes`, except `ranges`.
/// @param read read(offset, span) fills the span with bytes of the file
template <class Read>
std::uint64_t metadataChecksum(std::span<const CheckpointRange> ranges, std::uint64_t fileBytes,
                               Read read) {
  std::uint64_t sum = 0;
  std::vector<std::byte> piece;
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    while (from < to) {
      piece.resize(std::min(to - from, blockBytes));
      read(from, std::span(piece));
      sum = checksum(piece.data(), piece.size(), sum);
      from += piece.size();
    }
  };
  std::uint64_t at = sizeof(Seal);
  for (const CheckpointRange& range : ranges) {
    add(at, range.offset);
    at = range.offset + range.bytes;
  }
  add(at, fileBytes);
  return sum;
}

std::string describe(const ArrayInfo& info) {
  const std::string size =
      info.type == ElementType::opaque ? fmt::format(" of {} bytes", info.elementSize) : "";
  return fmt::format("{}{} [{}]", nameOf(info.type), size, fmt::join(info.shape, " x "));
}

std::vector<hsize_t> extents(const ArrayInfo& info) {
  return {info.shape.begin(), info.shape.end()};
}

/// @throws UsageError if the info is malformed
void requireSensible(const ArrayInfo& info) {
  if (info.name.empty() || info.name == "." || info.name.find('/') != std::string::npos) {
    throw UsageError("checkpoint: '{}' cannot be the name of an array; use one without '/'",
                     info.name);
  }
  const bool opaque = info.type == ElementType::opaque;
  if (info.elementSize == 0 || (!opaque && info.elementSize != sizeOf(info.type))) {
    throw UsageError("checkpoint: array '{}' is {} with elements of {} bytes", info.name,
                     nameOf(info.type), info.elementSize);
  }
  std::uint64_t bytes = info.elementSize;
  bool fits = true;
  for (std::uint64_t extent : info.shape) {
    fits = fits && !__builtin_mul_overflow(bytes, std::max<std::uint64_t>(extent, 1), &bytes);
  }
  if (info.shape.empty() || info.shape.size() > H5S_MAX_RANK || !fits || bytes >> 62 != 0) {
    throw UsageError("checkpoint: array '{}' has the impossible shape [{}]", info.name,
                     fmt::join(info.shape, " x "));
  }
}

}  // namespace

std::uint64_t ArrayInfo::rowBytes() const {
  std::uint64_t bytes = elementSize;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) bytes *= shape[axis];
  return bytes;
}

// Writing

struct CheckpointWriter::State {
  std::string path;
  AtomicFile atomic;
  hdf5::NewFile file;
  hdf5::Id arrays;
  hdf5::Id checksums;
  std::vector<CheckpointRange> ranges;
  bool committed = false;

  // Open array.
  std::optional<ArrayInfo> info;
  hdf5::Id type;
  hdf5::Id data;
  std::uint64_t rowsGiven = 0;
  std::vector<CheckpointBlock> blocks;

  explicit State(const std::filesystem::path& p)
      : path(p.string()), atomic(p), file(atomic.temporary(), p, sizeof(Seal)) {}

  /// Runs `work` and converts failures of HDF5 into OutputError, preferably into the error of the
  /// disk that caused them.
  template <class Work>
  void guarded(Work work) {
    const hdf5::Lock lock;
    try {
      work();
    } catch (const hdf5::Failure& failure) {
      file.requireWritten();
      throw OutputError("cannot write {}: {}", path, failure.what());
    }
    file.requireWritten();
  }

  void requireOpen(bool wanted, std::string_view call) const {
    if (committed || info.has_value() != wanted) {
      throw UsageError("checkpoint {}: {}() is called {}", path, call,
                       committed ? "after commit()"
                       : wanted  ? "before begin()"
                                 : "before end() of the array '" + info->name + "'");
    }
  }

  void writeHeader(const CheckpointHeader& header);
  void begin(const ArrayInfo& wanted);
  void rows(std::uint64_t count, const std::byte* packed);
  void end(std::uint64_t hash);
  void seal();
};

void CheckpointWriter::State::writeHeader(const CheckpointHeader& header) {
  hdf5::writeAttribute(file, "format", std::string("MASS checkpoint"));
  hdf5::writeAttribute(file, "format_version", formatVersion);
  hdf5::writeAttribute(file, "model", header.model);
  if (!header.run.empty()) hdf5::writeAttribute(file, hdf5::runAttribute, header.run);
  hdf5::writeDataset(file, "settings", header.settings);
  const hdf5::Id counters = hdf5::createGroup(file, "counters");
  for (const auto& [name, value] : header.counters) hdf5::writeAttribute(counters, name, value);
  const hdf5::Id numbers = hdf5::createGroup(file, "numbers");
  for (const auto& [name, value] : header.numbers) hdf5::writeAttribute(numbers, name, value);
  // Datasets, since an attribute has at most 64 KiB.
  const hdf5::Id texts = hdf5::createGroup(file, textsGroup);
  for (const auto& [name, text] : header.texts) hdf5::writeDataset(texts, name, text);
  arrays = hdf5::createGroup(file, "arrays");
  checksums = hdf5::createGroup(file, "checksums");
}

void CheckpointWriter::State::begin(const ArrayInfo& wanted) {
  const hdf5::Id creation = hdf5::datasetProperties();
  hdf5::checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  hdf5::checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  type = hdf5::dataType(wanted.type, wanted.elementSize);
  data = hdf5::createDataset(arrays, wanted.name, type, hdf5::dataSpace(extents(wanted)), creation);
  hdf5::writeAttribute(data, "type", std::string(nameOf(wanted.type)));
  info = wanted;
  rowsGiven = 0;
  blocks.clear();
}

void CheckpointWriter::State::rows(std::uint64_t count, const std::byte* packed) {
  const std::uint64_t rowBytes = info->rowBytes();
  if (rowBytes == 0) {
    rowsGiven += count;
    return;
  }
  const std::vector<hsize_t> shape = extents(*info);
  const std::uint64_t rowsPerBlock = std::max<std::uint64_t>(1, blockBytes / rowBytes);
  while (count > 0) {
    const std::uint64_t now = std::min(count, rowsPerBlock);
    std::vector<hsize_t> memory = shape;
    memory.front() = now;
    hdf5::checked(H5Dwrite(data, type, hdf5::dataSpace(memory), hdf5::rowsOf(shape, rowsGiven, now),
                           H5P_DEFAULT, packed),
                  "H5Dwrite");
    file.requireWritten();
    rowsGiven += now;
    blocks.push_back({rowsGiven, checksum(packed, now * rowBytes)});
    packed += now * rowBytes;
    count -= now;
  }
}

void CheckpointWriter::State::end(std::uint64_t hash) {
  hdf5::writeAttribute(data, "hash", hash);
  const std::array<hsize_t, 2> shape{blocks.size(), 2};
  const hdf5::Id table =
      hdf5::createDataset(checksums, info->name, H5T_STD_U64LE, hdf5::dataSpace(shape));
  hdf5::checked(H5Dwrite(table, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, blocks.data()),
                "H5Dwrite");
  if (!blocks.empty()) {
    const haddr_t offset = H5Dget_offset(data);
    if (offset == HADDR_UNDEF) hdf5::checked(-1, "H5Dget_offset");
    ranges.push_back({offset, info->shape.front() * info->rowBytes()});
  }
  data.reset();
  type.reset();
  info.reset();
}

void CheckpointWriter::State::seal() {
  std::sort(ranges.begin(), ranges.end(),
            [](const CheckpointRange& a, const CheckpointRange& b) { return a.offset < b.offset; });
  arrays.reset();
  checksums.reset();
  file.finish();

  // The table follows the last byte of HDF5, which ignores it.
  Seal seal;
  std::copy(magicText.begin(), magicText.end(), seal.magic.begin());
  const std::span<const CheckpointRange> table(ranges);
  seal.rangesOffset = file.size();
  seal.ranges = ranges.size();
  seal.rangesChecksum = checksum(table.data(), table.size_bytes());
  file.write(seal.rangesOffset, std::as_bytes(table));
  seal.fileBytes = seal.rangesOffset + table.size_bytes();
  seal.metadataChecksum = metadataChecksum(
      table, seal.fileBytes,
      [this](std::uint64_t offset, std::span<std::byte> into) { file.read(offset, into); });
  seal.checksum = sealChecksum(seal);
  file.write(0, std::as_bytes(std::span(&seal, 1)));
  file.close();
}

CheckpointWriter::CheckpointWriter(const std::filesystem::path& path,
                                   const CheckpointHeader& header) {
  const hdf5::Lock lock;
  try {
    state_ = std::make_unique<State>(path);
  } catch (const hdf5::Failure& failure) {
    throw OutputError("cannot write {}: {}", path.string(), failure.what());
  }
  state_->guarded([&] { state_->writeHeader(header); });
}

CheckpointWriter::~CheckpointWriter() {
  const hdf5::Lock lock;
  state_.reset();
}

void CheckpointWriter::begin(const ArrayInfo& info) {
  state_->requireOpen(false, "begin");
  requireSensible(info);
  state_->guarded([&] {
    if (H5Lexists(state_->arrays, info.name.c_str(), H5P_DEFAULT) > 0) {
      throw UsageError("checkpoint {}: there are two arrays named '{}'", state_->path, info.name);
    }
    state_->begin(info);
  });
}

void CheckpointWriter::rows(std::uint64_t first, std::uint64_t count, const void* packed) {
  state_->requireOpen(true, "rows");
  const std::uint64_t total = state_->info->shape.front();
  if (first != state_->rowsGiven || count > total - first) {
    throw UsageError("checkpoint {}: array '{}' got rows {} to {} after {} of its {} rows",
                     state_->path, state_->info->name, first, first + count, state_->rowsGiven,
                     total);
  }
  state_->guarded([&] { state_->rows(count, static_cast<const std::byte*>(packed)); });
}

void CheckpointWriter::end(std::uint64_t hash) {
  state_->requireOpen(true, "end");
  if (state_->rowsGiven != state_->info->shape.front()) {
    throw UsageError("checkpoint {}: array '{}' got {} of its {} rows", state_->path,
                     state_->info->name, state_->rowsGiven, state_->info->shape.front());
  }
  state_->guarded([&] { state_->end(hash); });
}

void CheckpointWriter::commit() {
  state_->requireOpen(false, "commit");
  state_->guarded([&] { state_->seal(); });
  state_->atomic.commit();
  state_->committed = true;
}

// Reading

bool beginsAsCheckpoint(const std::filesystem::path& path) {
  constexpr std::string_view beginning = "MASS checkpoint";
  static_assert(magicText.starts_with(beginning));
  std::array<char, beginning.size()> bytes{};
  try {
    const FileDescriptor file = openRegularFile(std::filesystem::canonical(path));
    return ::read(file.number(), bytes.data(), bytes.size()) == std::ssize(bytes) &&
           std::string_view(bytes.data(), bytes.size()) == beginning;
  } catch (const InputError&) {
    return false;
  } catch (const std::filesystem::filesystem_error&) {
    return false;
  }
}

namespace {

/// Reads bytes of the file.
class Bytes {
 public:
  explicit Bytes(const std::string& path) : path_(path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
      throw CheckpointError("checkpoint {}: there is no such file", path);
    }
    if (!std::filesystem::is_regular_file(status)) {
      throw CheckpointError("checkpoint {}: this is not a file", path);
    }
    stream_.open(path, std::ios::binary);  // opened after the checks, since opening a pipe blocks
    size_ = std::filesystem::file_size(path, error);
    if (!stream_ || error) throw CheckpointError("checkpoint {}: cannot be read", path);
  }

  std::uint64_t size() const { return size_; }
  void read(std::uint64_t offset, std::span<std::byte> into) {
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
    if (!stream_) throw CheckpointError("checkpoint {}: cannot be read at byte {}", path_, offset);
  }

 private:
  std::string path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  throw CheckpointError("checkpoint {}: {}; use an earlier checkpoint", path, what);
}

/// Reads the seal.
/// @throws CheckpointError if it is missing, damaged or of a newer version
Seal readSeal(Bytes& bytes, const std::string& path) {
  Seal seal;
  const std::size_t present = std::min<std::uint64_t>(bytes.size(), sizeof(Seal));
  const std::span<std::byte> into(reinterpret_cast<std::byte*>(&seal), present);
  bytes.read(0, into);
  const std::string_view magic(seal.magic.data(), std::min(present, magicText.size()));
  if (magic.empty() || magic != magicText.substr(0, magic.size())) {
    constexpr std::string_view hdf5("\x89HDF\r\n\x1a\n");
    const bool isHdf5 = std::string_view(seal.magic.data(), std::min(present, hdf5.size())) == hdf5;
    throw CheckpointError("checkpoint {}: this is {}", path,
                          isHdf5 ? "an HDF5 file, but no MASS checkpoint"
                                 : "neither a MASS checkpoint nor another HDF5 file");
  }
  if (present < sizeof(Seal)) {
    damaged(path, fmt::format("the file is cut off after {} bytes", present));
  }
  if (seal.checksum != sealChecksum(seal)) damaged(path, "its first 512 bytes are damaged");
  if (seal.version > formatVersion) {
    throw CheckpointError(
        "checkpoint {}: it has format version {}, this program reads up to {}; use a newer MASS",
        path, seal.version, formatVersion);
  }
  return seal;
}

/// True if the ranges ascend and lie between the seal and the end of the file.
bool areInside(std::span<const CheckpointRange> ranges, std::uint64_t fileBytes) {
  std::uint64_t at = sizeof(Seal);
  for (const CheckpointRange& range : ranges) {
    if (range.offset < at || range.offset > fileBytes || range.bytes > fileBytes - range.offset)
      return false;
    at = range.offset + range.bytes;
  }
  return true;
}

/// True if an array has at most `bytes` bytes.
bool fitsInto(const ArrayInfo& info, std::uint64_t bytes) {
  if (info.shape.empty() || info.elementSize == 0) return false;
  std::uint64_t elements = bytes / info.elementSize;
  for (const std::uint64_t extent : info.shape) {
    if (extent == 0) return true;
    elements /= extent;
  }
  return elements > 0;
}

/// True if the blocks are consecutive rows of an array from the first to the last.
bool areBlocksOf(const ArrayInfo& info, std::span<const CheckpointBlock> blocks) {
  std::uint64_t row = 0;
  for (const CheckpointBlock& block : blocks) {
    if (block.endRow <= row) return false;
    row = block.endRow;
  }
  return row == (info.rowBytes() == 0 ? 0 : info.shape.front());
}

/// Checks all bytes that are not array data.
void checkMetadata(Bytes& bytes, const Seal& seal, const std::string& path) {
  if (bytes.size() < seal.fileBytes) {
    damaged(path, fmt::format("the file is cut off: it has {} of {} bytes", bytes.size(),
                              seal.fileBytes));
  }
  if (bytes.size() > seal.fileBytes) {
    damaged(path, fmt::format("{} bytes follow its end", bytes.size() - seal.fileBytes));
  }
  if (seal.rangesOffset > seal.fileBytes ||
      seal.ranges > (seal.fileBytes - seal.rangesOffset) / sizeof(CheckpointRange)) {
    damaged(path, fmt::format("its table of {} arrays at byte {} is larger than the file",
                              seal.ranges, seal.rangesOffset));
  }
  std::vector<CheckpointRange> ranges(seal.ranges);
  bytes.read(seal.rangesOffset, std::as_writable_bytes(std::span(ranges)));
  const bool whole =
      areInside(ranges, seal.fileBytes) &&
      checksum(ranges.data(), ranges.size() * sizeof(CheckpointRange)) == seal.rangesChecksum &&
      metadataChecksum(ranges, seal.fileBytes,
                       [&](std::uint64_t offset, std::span<std::byte> into) {
                         bytes.read(offset, into);
                       }) == seal.metadataChecksum;
  if (!whole) damaged(path, "its description of the arrays is damaged");
}

}  // namespace

struct CheckpointReader::State {
  std::string path;
  std::uint64_t fileBytes = 0;
  hdf5::Id file;
  CheckpointHeader header;
  std::vector<ArrayInfo> infos;
  std::map<std::string, StoredArray> stored;

  /// Runs `work` and converts failures of HDF5 into CheckpointError.
  template <class Work>
  void guarded(Work work) {
    const hdf5::Lock lock;
    try {
      work();
    } catch (const hdf5::Failure& failure) {
      throw CheckpointError("checkpoint {}: {}", path, failure.what());
    }
  }

  void open();
  void addArray(hid_t arrays, hid_t checksums, const std::string& name);
  const ArrayInfo& info(const std::string& name) const;
  void rows(const ArrayInfo& info, std::uint64_t first, std::uint64_t end, std::byte* packed);
  void readRows(const ArrayInfo& info, std::uint64_t first, std::uint64_t end, void* into);
};

void CheckpointReader::State::open() {
  Bytes bytes(path);
  checkMetadata(bytes, readSeal(bytes, path), path);
  fileBytes = bytes.size();
  file = hdf5::openFile(path);
  header.model = hdf5::readTextAttribute(file, "model");
  if (H5Aexists(file, hdf5::runAttribute.c_str()) > 0)
    header.run = hdf5::readTextAttribute(file, hdf5::runAttribute);
  header.settings = hdf5::readTextDataset(file, "settings", fileBytes);
  const auto openGroup = [&](const char* name) {
    return hdf5::Id(H5Gopen2(file, name, H5P_DEFAULT), H5Gclose, "H5Gopen2");
  };
  const hdf5::Id counters = openGroup("counters");
  for (const std::string& name : hdf5::attributeNames(counters)) {
    hdf5::readAttribute(counters, name, H5T_NATIVE_UINT64, 1, &header.counters[name]);
  }
  const hdf5::Id numbers = openGroup("numbers");
  for (const std::string& name : hdf5::attributeNames(numbers)) {
    hdf5::readAttribute(numbers, name, H5T_NATIVE_DOUBLE, 1, &header.numbers[name]);
  }
  // Files of earlier versions do not have the group.
  if (H5Lexists(file, textsGroup, H5P_DEFAULT) > 0) {
    const hdf5::Id texts = openGroup(textsGroup);
    for (const std::string& name : hdf5::memberNames(texts))
      header.texts[name] = hdf5::readTextDataset(texts, name, fileBytes);
  }
  const hdf5::Id arrays = openGroup("arrays");
  const hdf5::Id checksums = openGroup("checksums");
  for (const std::string& name : hdf5::memberNames(arrays)) addArray(arrays, checksums, name);
}

void CheckpointReader::State::addArray(hid_t arrays, hid_t checksums, const std::string& name) {
  StoredArray array;
  array.data = hdf5::Id(H5Dopen2(arrays, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  array.type = hdf5::Id(H5Dget_type(array.data), H5Tclose, "H5Dget_type");
  hdf5::readAttribute(array.data, "hash", H5T_NATIVE_UINT64, 1, &array.hash);

  const std::string typeName = hdf5::readTextAttribute(array.data, "type");
  const auto type = elementTypeNamed(typeName);
  if (!type) throw hdf5::Failure("array '{}' has the unknown type '{}'", name, typeName);
  const std::vector<hsize_t> shape = hdf5::shapeOf(array.data);
  infos.push_back({name, *type, H5Tget_size(array.type), {shape.begin(), shape.end()}});

  const hdf5::Id table(H5Dopen2(checksums, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  const std::vector<hsize_t> blocks = hdf5::shapeOf(table);
  // Before memory is allocated for them.
  const bool isPossible = !blocks.empty() &&
                          blocks.front() <= fileBytes / sizeof(CheckpointBlock) &&
                          fitsInto(infos.back(), fileBytes);
  if (!isPossible) damaged(path, fmt::format("array '{}' is larger than the file", name));
  array.blocks.resize(blocks.front());
  hdf5::readDataset(checksums, name, H5T_NATIVE_UINT64, array.blocks.size() * 2,
                    array.blocks.data());
  if (!areBlocksOf(infos.back(), array.blocks))
    damaged(path, fmt::format("the checksums of array '{}' do not cover its rows", name));
  stored.emplace(name, std::move(array));
}

const ArrayInfo& CheckpointReader::State::info(const std::string& name) const {
  const auto found = std::find_if(infos.begin(), infos.end(),
                                  [&](const ArrayInfo& info) { return info.name == name; });
  if (found == infos.end()) {
    std::vector<std::string> names;
    for (const ArrayInfo& info : infos) names.push_back(info.name);
    throw CheckpointError("checkpoint {}: it holds no array '{}', only: {}", path, name,
                          fmt::join(names, ", "));
  }
  return *found;
}

void CheckpointReader::State::readRows(const ArrayInfo& info, std::uint64_t first,
                                       std::uint64_t end, void* into) {
  const StoredArray& array = stored.at(info.name);
  const std::vector<hsize_t> shape = extents(info);
  std::vector<hsize_t> memory = shape;
  memory.front() = end - first;
  hdf5::checked(H5Dread(array.data, array.type, hdf5::dataSpace(memory),
                        hdf5::rowsOf(shape, first, end - first), H5P_DEFAULT, into),
                "H5Dread");
}

void CheckpointReader::State::rows(const ArrayInfo& info, std::uint64_t first, std::uint64_t end,
                                   std::byte* packed) {
  const std::vector<CheckpointBlock>& blocks = stored.at(info.name).blocks;
  const std::uint64_t rowBytes = info.rowBytes();
  std::vector<std::byte> whole;  // a block of which only a part is returned
  std::uint64_t blockStart = 0;
  for (const CheckpointBlock& block : blocks) {
    const std::uint64_t from = std::max(first, blockStart);
    const std::uint64_t to = std::min(end, block.endRow);
    if (from < to) {
      const bool partial = from != blockStart || to != block.endRow;
      if (partial) whole.resize((block.endRow - blockStart) * rowBytes);
      std::byte* const into = partial ? whole.data() : packed + (from - first) * rowBytes;
      readRows(info, blockStart, block.endRow, into);
      if (checksum(into, (block.endRow - blockStart) * rowBytes) != block.checksum) {
        damaged(path, fmt::format("rows {} to {} of array '{}' are damaged", blockStart,
                                  block.endRow, info.name));
      }
      if (partial) {
        std::memcpy(packed + (from - first) * rowBytes, into + (from - blockStart) * rowBytes,
                    (to - from) * rowBytes);
      }
    }
    blockStart = block.endRow;
  }
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path)
    : state_(std::make_unique<State>()) {
  state_->path = path.string();
  state_->guarded([this] { state_->open(); });
}

CheckpointReader::~CheckpointReader() {
  const hdf5::Lock lock;
  state_.reset();
}

const CheckpointHeader& CheckpointReader::header() const {
  return state_->header;
}

const std::vector<ArrayInfo>& CheckpointReader::arrays() const {
  return state_->infos;
}

void CheckpointReader::require(const ArrayInfo& wanted) const {
  const ArrayInfo& present = state_->info(wanted.name);
  if (present != wanted) {
    throw CheckpointError("checkpoint {}: array '{}' is {}, but {} is needed", state_->path,
                          wanted.name, describe(present), describe(wanted));
  }
}

std::uint64_t CheckpointReader::hash(const std::string& name) const {
  return state_->stored.at(state_->info(name).name).hash;
}

void CheckpointReader::rows(const std::string& name, std::uint64_t first, std::uint64_t count,
                            void* packed) const {
  const ArrayInfo& info = state_->info(name);
  const std::uint64_t total = info.shape.front();
  if (first > total || count > total - first) {
    throw CheckpointError("checkpoint {}: array '{}' has {} rows, not rows {} to {}", state_->path,
                          name, total, first, first + count);
  }
  state_->guarded(
      [&] { state_->rows(info, first, first + count, static_cast<std::byte*>(packed)); });
}

}  // namespace mass::detail
