#include <mass/model/rank_checkpoint.hpp>

#include <mass/support/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
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

RankCheckpoint::RankCheckpoint(Ranks& ranks, const std::filesystem::path& file)
    : ranks_(ranks), path_(file) {
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

void RankCheckpoint::rows(const std::string& name, std::int64_t first, std::int64_t count,
                          void* packed) const {
  if (reader_)
    reader_->rows(name, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                  packed);
}

std::vector<char> RankCheckpoint::bytesOf(const ArrayInfo& array) const {
  std::vector<char> bytes(array.shape[0] * array.rowBytes());
  if (bytes.empty()) return bytes;
  rows(array.name, 0, static_cast<std::int64_t>(array.shape[0]), bytes.data());
  ranks_.broadcast(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace mass::detail
