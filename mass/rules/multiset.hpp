#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/bits.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>

namespace mass {

namespace detail {
/// Small numbers above 0, "codes", of `Bits` bits each, in a word of 32: sorted, the largest in the
/// lowest bits, with nothing between them. All functions take and return such words.
template <int Bits>
struct MultisetWord {
  static_assert(Bits == 4 || Bits == 8 || Bits == 16, "a code has 4, 8 or 16 bits");
  static constexpr int most = 32 / Bits;
  static constexpr std::uint32_t largest = (1U << Bits) - 1;

  /// How many codes a word holds.
  MASS_FN static int size(std::uint32_t word) { return (detail::bitWidth(word) + Bits - 1) / Bits; }
  MASS_FN static bool isFull(std::uint32_t word) { return word >> (32 - Bits) != 0; }
  MASS_FN static std::uint32_t last(std::uint32_t word) { return word & largest; }
  /// Element i in ascending order, 0 <= i < size(word).
  MASS_FN static std::uint32_t element(std::uint32_t word, int i) {
    return word >> ((size(word) - 1 - i) * Bits) & largest;
  }
  /// With one code more; the word must not be full.
  MASS_FN static std::uint32_t inserted(std::uint32_t word, std::uint32_t element) {
    if (word == 0) return element;
    const int shift = countAbove(word, element) * Bits;
    const std::uint32_t above = word & ((1U << shift) - 1);  // the word is not full: shift < 32
    return (word - above) << Bits | element << shift | above;
  }
  /// Without code i.
  MASS_FN static std::uint32_t removed(std::uint32_t word, int i) {
    const int shift = (size(word) - 1 - i) * Bits;
    const std::uint32_t above = word & ((1U << shift) - 1);
    return static_cast<std::uint32_t>(std::uint64_t{word} >> (shift + Bits) << shift) | above;
  }
  /// How many codes are larger than one.
  MASS_FN static int countAbove(std::uint32_t word, std::uint32_t element) {
    if constexpr (Bits == 16) {
      return (last(word) > element ? 1 : 0) + (word >> 16 > element ? 1 : 0);
    } else {
      // Every other code in a field of twice its bits, the highest of which a comparison leaves.
      constexpr std::uint32_t ones = Bits == 4 ? 0x01010101U : 0x00010001U;
      constexpr std::uint32_t fields = ones * largest, tops = ones << (2 * Bits - 1);
      const std::uint32_t least = ones * (element + 1);
      return detail::countOnes((((word & fields) | tops) - least) & tops) +
             detail::countOnes((((word >> Bits & fields) | tops) - least) & tops);
    }
  }
};
}  // namespace detail

/// The codes of one word, as those of a bag.
template <int Bits>
class MultisetView {
 public:
  MASS_FN explicit MultisetView(std::uint32_t word)
      : word_(word), size_(detail::MultisetWord<Bits>::size(word)) {}

  MASS_FN int size() const { return size_; }
  MASS_FN std::uint32_t element(int i) const {
    return word_ >> ((size_ - 1 - i) * Bits) & detail::MultisetWord<Bits>::largest;
  }

 private:
  std::uint32_t word_;
  int size_;
};

/// A multiset of codes, whole numbers from 1 to 2^Bits - 1, as an attribute of a place: species of
/// particles, for example. It lies in an array of words of 32 bits, the smallest codes in the
/// first, so that equal multisets have equal bits. Most places need no more than the first word;
/// the others cost memory, but no time where they are empty.
///
/// Rules that take an Scatter send codes to other places. Neighbours seen by a Neighborhood have
/// empty bags: what is in them may be under way.
template <int Bits, int Words>
class Multiset {
 public:
  using Word = detail::MultisetWord<Bits>;
  static constexpr int words = Words;
  static constexpr int capacity = Words * Word::most;
  static constexpr std::uint32_t largestElement = Word::largest;

  MASS_FN bool empty() const { return words_[0] == 0; }
  MASS_FN int size() const {
    int total = 0;
    for (int k = 0; k < Words && words_[k] != 0; ++k) total += Word::size(words_[k]);
    return total;
  }
  /// Element i in ascending order, 0 <= i < size().
  MASS_FN std::uint32_t element(int i) const {
    return Word::element(words_[static_cast<unsigned>(i) / Word::most],
                         static_cast<int>(static_cast<unsigned>(i) % Word::most));
  }
  [[deprecated("use element()")]] MASS_FN std::uint32_t code(int i) const { return element(i); }
  MASS_FN int count(std::uint32_t element) const {
    int total = 0;
    for (int k = 0; k < Words && words_[k] != 0; ++k) {
      total += Word::countAbove(words_[k], element - 1) - Word::countAbove(words_[k], element);
    }
    return total;
  }
  /// Adds a code, or returns false where there is no room.
  MASS_FN bool add(std::uint32_t element) {
    for (int k = 0; k < Words; ++k) {
      if (!Word::isFull(words_[k])) {
        words_[k] = Word::inserted(words_[k], element);
        return true;
      }
      const std::uint32_t last = Word::last(words_[k]);
      if (element >= last) continue;
      words_[k] = Word::inserted(words_[k] >> Bits, element);
      element = last;
    }
    return false;
  }
  /// Removes code i.
  MASS_FN void remove(int i) {
    unsigned k = static_cast<unsigned>(i) / Word::most;
    words_[k] = Word::removed(words_[k], static_cast<int>(static_cast<unsigned>(i) % Word::most));
    // A word is full where the next one holds anything.
    for (; k + 1 < unsigned{Words} && words_[k + 1] != 0; ++k) {
      words_[k] = words_[k] << Bits | Word::element(words_[k + 1], 0);
      words_[k + 1] = Word::removed(words_[k + 1], 0);
    }
  }

  /// The words themselves, for what stores them.
  MASS_FN std::uint32_t& operator[](std::size_t k) { return words_[k]; }
  MASS_FN const std::uint32_t& operator[](std::size_t k) const { return words_[k]; }

  MASS_FN friend bool operator==(const Multiset& a, const Multiset& b) {
    for (int k = 0; k < Words; ++k) {
      if (a.words_[k] != b.words_[k]) return false;
    }
    return true;
  }

 private:
  std::uint32_t words_[static_cast<std::size_t>(Words)]{};
};

template <int Bits, int Words>
using Bag [[deprecated("use Multiset")]] = Multiset<Bits, Words>;
template <int Bits>
using BagView [[deprecated("use MultisetView")]] = MultisetView<Bits>;

namespace detail {

template <int Bits, int Words>
struct ValueTraits<Multiset<Bits, Words>>
    : ValueTraits<std::uint32_t[static_cast<std::size_t>(Words)]> {};

template <int Bits, int Words>
inline constexpr bool isMultiset<Multiset<Bits, Words>> = true;

/// What became of a code that was sent.
struct Arrival {
  bool overflowed = false;  ///< the first word was full
  bool lost = false;        ///< all of them were
};

/// Adds a code to a bag in memory, whatever other threads add there at the same time: a full word
/// keeps its smallest codes, whichever come first, so that the outcome depends on no order.
/// @param word gives the address of word k
/// @param known what the first word is thought to be
/// @param isShared whether threads of other GPUs may add codes, too
template <class B, class WordAt>
MASS_FN inline Arrival insertElement(WordAt&& word, std::uint32_t known, std::uint32_t element,
                                     bool isShared) {
  using Word = typename B::Word;
#if defined(__CUDA_ARCH__)
#pragma unroll 1  // rarely run: short code is worth more
#endif
  for (int k = 0; k < B::words; ++k, known = 0) {
    std::uint32_t& at = word(k);
    while (element != 0) {
      const bool full = Word::isFull(known);
      const std::uint32_t last = Word::last(known);
      if (full && element >= last) break;
      const std::uint32_t next = Word::inserted(full ? known >> (32 / Word::most) : known, element);
      const std::uint32_t seen = compareExchange(at, known, next, isShared);
      if (seen == known) element = full ? last : 0;
      if (seen == known && full) break;
      known = seen;
    }
    if (element == 0) return {k > 0, false};
  }
  return {true, true};
}

}  // namespace detail
}  // namespace mass
