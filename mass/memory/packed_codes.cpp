#include <mass/memory/packed_codes.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace mass::detail {
namespace {

constexpr std::int64_t rowsOfWord = 16;
/// Number of words between two tests for a value that does not fit.
constexpr std::int64_t wordsOfBlock = 256;
static_assert(std::endian::native == std::endian::little, "row 0 is the lowest byte of a word");

/// Moves the two lowest bits of each byte together.
std::uint32_t gathered(std::uint64_t bytes) {
  bytes = (bytes | bytes >> 6) & 0x000f000f000f000f;
  bytes = (bytes | bytes >> 12) & 0x000000ff000000ff;
  return static_cast<std::uint32_t>((bytes | bytes >> 24) & 0xffff);
}

/// Packs the values of whole words. @return bitwise or of all values, in any byte
std::uint64_t packWords(const unsigned char* values, std::int64_t count, std::uint32_t* words) {
  std::uint64_t all = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t bytes[2];
    std::memcpy(bytes, values + i * rowsOfWord, sizeof(bytes));
    all |= bytes[0] | bytes[1];
    words[i] = gathered(bytes[0]) | gathered(bytes[1]) << rowsOfWord;
  }
  return all;
}

bool areCodes(std::uint64_t all) {
  return (all & 0xfcfcfcfcfcfcfcfc) == 0;
}

}  // namespace

bool PackedCodes::pack(const unsigned char* values, std::int64_t before, std::int64_t count) {
  wordsBefore_ = (before + rowsOfWord - 1) / rowsOfWord;
  const std::int64_t firstRow = wordsBefore_ * rowsOfWord - before;  // within the first word
  words_.resize(static_cast<std::size_t>((firstRow + count + rowsOfWord - 1) / rowsOfWord));
  // Values that do not fill a word are copied into one.
  std::uint32_t* word = words_.data();
  const auto packPart = [&](std::int64_t first, std::int64_t rows) {
    unsigned char part[rowsOfWord] = {};
    std::copy_n(values, rows, part + first);
    values += rows;
    count -= rows;
    return areCodes(packWords(part, 1, word++));
  };
  if (firstRow > 0 && !packPart(firstRow, std::min(count, rowsOfWord - firstRow))) return false;
  while (count >= rowsOfWord) {
    const std::int64_t words = std::min(count / rowsOfWord, wordsOfBlock);
    if (!areCodes(packWords(values, words, word))) return false;
    word += words;
    values += words * rowsOfWord;
    count -= words * rowsOfWord;
  }
  return count == 0 || packPart(0, count);
}

}  // namespace mass::detail
