#include <mass/model/rank_checkpoint.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

namespace mass::detail {
namespace {

/// Bytes of values, one after the other; a text follows its length, a map its size.
class ByteWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(T value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  template <class T>
  void add(const std::map<std::string, T>& values) {
    add(values.size());
    for (const auto& [name, value] : values) {
      add(name);
      add(value);
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads the values of a ByteWriter in the same order.
class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  void get(T& value) {
    std::memcpy(&value, bytes_.data() + next_, sizeof(value));
    next_ += sizeof(value);
  }
  void get(std::string& text) {
    std::size_t size = 0;
    get(size);
    text = bytes_.substr(next_, size);
    next_ += size;
  }
  template <class T>
  void get(std::map<std::string, T>& values) {
    std::size_t size = 0;
    get(size);
    for (std::size_t i = 0; i < size; ++i) {
      std::string name;
      get(name);
      get(values[name]);
    }
  }

 private:
  const std::string& bytes_;
  std::size_t next_ = 0;
};

/// Calls f(member) for each member of a header.
template <class Header, class F>
void forEachMember(Header& header, F&& f) {
  f(header.model);
  f(header.settings);
  f(header.counters);
  f(header.numbers);
  f(header.texts);
  f(header.run);
}

}  // namespace

void forEachRowPiece(const ArrayInfo& array, std::size_t pieceBytes, const RowPieceFunction& work) {
  const std::size_t rows = array.shape[0];
  if (rows == 0) return;
  const std::size_t rowBytes = array.rowBytes();
  const std::size_t most =
      std::clamp<std::size_t>(pieceBytes / std::max<std::size_t>(rowBytes, 1), 1, rows);
  const auto buffer = std::make_unique_for_overwrite<char[]>(most * rowBytes);
  for (std::size_t first = 0; first < rows; first += most) {
    work(static_cast<std::int64_t>(first), static_cast<std::int64_t>(std::min(most, rows - first)),
         buffer.get());
  }
}

RankCheckpoint::RankCheckpoint(Ranks& ranks, const std::filesystem::path& file,
                               std::size_t pieceBytes)
    : ranks_(ranks), path_(file), pieceBytes_(pieceBytes) {
  if (ranks.isFirst()) {
    reader_.emplace(file);
    header_ = reader_->header();
  }
  if (ranks.count() == 1) return;
  ByteWriter writer;
  forEachMember(header_, [&](const auto& member) { writer.add(member); });
  const std::string bytes = ranks.broadcast(writer.bytes());
  ByteReader reader(bytes);
  forEachMember(header_, [&](auto& member) { reader.get(member); });
}

void RankCheckpoint::requireArrays(const std::vector<ArrayInfo>& arrays) const {
  if (!reader_) return;
  for (const ArrayInfo& array : arrays) reader_->require(array);
  if (arrays.size() == reader_->arrays().size()) return;
  throw CheckpointError(
      "{} has {} arrays, this model {}: it was written by another version of the model",
      path_.string(), reader_->arrays().size(), arrays.size());
}

std::uint64_t RankCheckpoint::hash(const std::string& name) const {
  return ranks_.broadcast(reader_ ? reader_->hash(name) : 0);
}

// A rank waits for the next piece, not for all pieces of other ranks, which may take longer than
// the timeout of messages.
void RankCheckpoint::forEachPiece(const ArrayInfo& array, const RowPieceFunction& work) const {
  forEachRowPiece(array, pieceBytes_, [&](std::int64_t first, std::int64_t count, char* packed) {
    if (reader_)
      reader_->rows(array.name, static_cast<std::uint64_t>(first),
                    static_cast<std::uint64_t>(count), packed);
    work(first, count, packed);
    ranks_.barrier();
  });
}

std::vector<char> RankCheckpoint::ownRows(const ArrayInfo& array,
                                          std::span<const std::size_t> firstRows) const {
  const std::size_t rowBytes = array.rowBytes();
  const auto rank = static_cast<std::size_t>(ranks_.number());
  std::vector<char> own((firstRows[rank + 1] - firstRows[rank]) * rowBytes);
  char* next = own.data();
  forEachPiece(array, [&](std::int64_t first, std::int64_t count, const char* packed) {
    const auto begin = static_cast<std::size_t>(first);
    const auto end = begin + static_cast<std::size_t>(count);
    std::vector<std::size_t> offsets;
    for (const std::size_t row : firstRows)
      offsets.push_back((std::clamp(row, begin, end) - begin) * rowBytes);
    ranks_.scatterFromFirst(packed, next, offsets);
    next += offsets[rank + 1] - offsets[rank];
  });
  return own;
}

std::vector<char> RankCheckpoint::allRows(const ArrayInfo& array) const {
  std::vector<char> all(array.shape[0] * array.rowBytes());
  forEachPiece(array, [&](std::int64_t first, std::int64_t count, char* packed) {
    const std::size_t bytes = static_cast<std::size_t>(count) * array.rowBytes();
    ranks_.broadcast(packed, bytes);
    std::memcpy(all.data() + static_cast<std::size_t>(first) * array.rowBytes(), packed, bytes);
  });
  return all;
}

RankCheckpointWriter::RankCheckpointWriter(Ranks& ranks, const std::filesystem::path& file,
                                           const CheckpointHeader& header, std::size_t pieceBytes)
    : ranks_(ranks), pieceBytes_(pieceBytes) {
  if (ranks.isFirst()) writer_.emplace(file, header);
}

void RankCheckpointWriter::add(const ArrayInfo& array, std::uint64_t hash,
                               const RowPieceFunction& read) {
  if (writer_) writer_->begin(array);
  forEachRowPiece(array, pieceBytes_, [&](std::int64_t first, std::int64_t count, char* packed) {
    read(first, count, packed);
    ranks_.barrier();  // see forEachPiece()
    if (writer_)
      writer_->rows(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), packed);
  });
  if (writer_) writer_->end(hash);
}

void RankCheckpointWriter::commit() {
  if (writer_) writer_->commit();
}

}  // namespace mass::detail
