#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/bits.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>

namespace mass {

namespace detail {
/// Operations on a word of 32 bits that holds elements of `Bits` bits each. Elements are numbers
/// above 0, sorted: the largest is in the lowest bits, and unused high bits are 0.
template <int Bits>
struct MultisetWord {
  static_assert(Bits == 4 || Bits == 8 || Bits == 16,
                "an element of a Multiset must have 4, 8 or 16 bits");
  static constexpr int most = 32 / Bits;                      ///< Capacity of a word.
  static constexpr std::uint32_t largest = (1U << Bits) - 1;  ///< Largest element.

  /// Returns the number of elements.
  MASS_FN static int size(std::uint32_t word) { return (detail::bitWidth(word) + Bits - 1) / Bits; }
  MASS_FN static bool isFull(std::uint32_t word) { return word >> (32 - Bits) != 0; }
  /// Returns the largest element; 0 if there is none.
  MASS_FN static std::uint32_t last(std::uint32_t word) { return word & largest; }
  /// Returns element i in ascending order, 0 <= i < size(word).
  MASS_FN static std::uint32_t element(std::uint32_t word, int i) {
    return word >> ((size(word) - 1 - i) * Bits) & largest;
  }
  /// Returns the word with one element more. @pre the word is not full
  MASS_FN static std::uint32_t inserted(std::uint32_t word, std::uint32_t element) {
    if (word == 0) return element;
    const int shift = countGreater(word, element) * Bits;
    const std::uint32_t above = word & ((1U << shift) - 1);  // the word is not full: shift < 32
    return (word - above) << Bits | element << shift | above;
  }
  /// Returns the word without element i, 0 <= i < size(word).
  MASS_FN static std::uint32_t removed(std::uint32_t word, int i) {
    const int shift = (size(word) - 1 - i) * Bits;
    const std::uint32_t above = word & ((1U << shift) - 1);
    return static_cast<std::uint32_t>(std::uint64_t{word} >> (shift + Bits) << shift) | above;
  }
  /// Returns the number of elements greater than `element`.
  MASS_FN static int countGreater(std::uint32_t word, std::uint32_t element) {
    if constexpr (Bits == 16) {
      return (last(word) > element ? 1 : 0) + (word >> 16 > element ? 1 : 0);
    } else {
      // Fields of 2 * Bits bits hold every second element. A subtraction in all fields at once
      // leaves the highest bit of a field set if its element is greater.
      constexpr std::uint32_t ones = Bits == 4 ? 0x01010101U : 0x00010001U;
      constexpr std::uint32_t fields = ones * largest, tops = ones << (2 * Bits - 1);
      const std::uint32_t least = ones * (element + 1);
      return detail::countOnes((((word & fields) | tops) - least) & tops) +
             detail::countOnes((((word >> Bits & fields) | tops) - least) & tops);
    }
  }
};
}  // namespace detail

/// View of the elements in one word of a Multiset; other words are not seen. Computes the size
/// once. For multisets whose elements are all in the first word.
template <int Bits>
class MultisetView {
 public:
  /// View of word k of a Multiset, `multiset[k]`.
  MASS_FN explicit MultisetView(std::uint32_t word)
      : word_(word), size_(detail::MultisetWord<Bits>::size(word)) {}

  /// Number of elements in the word, 0 to 32 / Bits.
  MASS_FN int size() const { return size_; }
  /// Element i in ascending order, 0 <= i < size().
  MASS_FN std::uint32_t element(int i) const {
    return word_ >> ((size_ - 1 - i) * Bits) & detail::MultisetWord<Bits>::largest;
  }

 private:
  std::uint32_t word_;
  int size_;
};

/// Multiset of elements, whole numbers from 1 to 2^Bits - 1, as an attribute of a place: for
/// example species of particles. Its memory is an array of sorted words of 32 bits with the
/// smallest elements in the first word, so equal multisets have equal bits. Empty words cost memory
/// but no time.
///
/// Rules with a Scatter send elements to other places. Places read through a Neighborhood have
/// empty multisets, because a rule may be replacing their elements at that time.
/// @tparam Bits 4, 8 or 16
/// @tparam Words number of words; the capacity is Words * 32 / Bits elements
template <int Bits, int Words>
class Multiset {
 public:
  using Word = detail::MultisetWord<Bits>;                        ///< Operations on one word.
  static constexpr int words = Words;                             ///< Number of words.
  static constexpr int capacity = Words * Word::most;             ///< Maximum of size().
  static constexpr std::uint32_t largestElement = Word::largest;  ///< 2^Bits - 1.
  /// Former name of largestElement.
  [[deprecated("use largestElement")]] static constexpr std::uint32_t largestCode = largestElement;

  /// True if there is no element.
  MASS_FN bool empty() const { return words_[0] == 0; }
  /// Number of elements, 0 to `capacity`; each of several equal elements counts.
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
  /// Deprecated name of element().
  [[deprecated("use element()")]] MASS_FN std::uint32_t code(int i) const { return element(i); }
  /// Number of elements equal to `element`, 1 <= element <= largestElement.
  MASS_FN int count(std::uint32_t element) const {
    int total = 0;
    for (int k = 0; k < Words && words_[k] != 0; ++k) {
      total += Word::countGreater(words_[k], element - 1) - Word::countGreater(words_[k], element);
    }
    return total;
  }
  /// Adds an element, 1 <= element <= largestElement.
  /// @return false if the multiset was full. Then it holds the `capacity` smallest of its elements
  /// and the new one, and the largest one is lost.
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
  /// Removes element i in ascending order, 0 <= i < size().
  MASS_FN void remove(int i) {
    unsigned k = static_cast<unsigned>(i) / Word::most;
    words_[k] = Word::removed(words_[k], static_cast<int>(static_cast<unsigned>(i) % Word::most));
    // A word is full if the next one is not empty.
    for (; k + 1 < unsigned{Words} && words_[k + 1] != 0; ++k) {
      words_[k] = words_[k] << Bits | Word::element(words_[k + 1], 0);
      words_[k + 1] = Word::removed(words_[k + 1], 0);
    }
  }

  /// Word k, 0 <= k < words, for input and output.
  MASS_FN std::uint32_t& operator[](std::size_t k) { return words_[k]; }
  /// Word k, 0 <= k < words.
  MASS_FN const std::uint32_t& operator[](std::size_t k) const { return words_[k]; }

  /// True if both contain the same elements equally often.
  MASS_FN friend bool operator==(const Multiset& a, const Multiset& b) {
    for (int k = 0; k < Words; ++k) {
      if (a.words_[k] != b.words_[k]) return false;
    }
    return true;
  }

 private:
  std::uint32_t words_[static_cast<std::size_t>(Words)]{};
};

/// Deprecated name of Multiset.
template <int Bits, int Words>
using Bag [[deprecated("use Multiset")]] = Multiset<Bits, Words>;
/// Deprecated name of MultisetView.
template <int Bits>
using BagView [[deprecated("use MultisetView")]] = MultisetView<Bits>;

namespace detail {

template <int Bits, int Words>
struct ValueTraits<Multiset<Bits, Words>>
    : ValueTraits<std::uint32_t[static_cast<std::size_t>(Words)]> {};

template <int Bits, int Words>
inline constexpr bool isMultiset<Multiset<Bits, Words>> = true;

/// Result of insertElement().
struct Insertion {
  bool overflowed = false;  ///< True if the first word was full.
  bool lost = false;        ///< True if all words were full: the largest element was lost.
};

/// Inserts an element into a multiset in memory, by atomic operations: other threads may insert
/// elements at the same time. A full word keeps its smallest elements and passes the largest one to
/// the next word, so the result does not depend on the order of the insertions.
/// @tparam B type of the multiset
/// @param word function that returns a reference to word k
/// @param known expected value of the first word; another value costs one more atomic operation
/// @param isShared true if threads of other GPUs may insert elements, too
template <class B, class WordAt>
MASS_FN inline Insertion insertElement(WordAt&& word, std::uint32_t known, std::uint32_t element,
                                       bool isShared) {
  using Word = typename B::Word;
  MASS_ROLLED_ON_GPU  // rarely executed
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
