#pragma once

// Code of CPUs and GPUs that reduces blocks of elements to palette indices.

#include <mass/backend/block_image.hpp>
#include <mass/support/bits.hpp>

#include <cstddef>
#include <type_traits>

namespace mass::detail {

/// Elements of type T in memory.
template <class T>
struct TypedElements {
  const T* data;
  MASS_FN T operator()(std::int64_t at) const { return data[at]; }
};

/// Elements of a type that is known at run time only.
struct AnyElements {
  const void* data;
  ElementType type;

  template <class T>
  MASS_FN float as(std::int64_t at) const {
    return static_cast<float>(static_cast<const T*>(data)[at]);
  }
  MASS_FN float operator()(std::int64_t at) const {
    switch (type) {
      case ElementType::int8:
        return as<std::int8_t>(at);
      case ElementType::int16:
        return as<std::int16_t>(at);
      case ElementType::uint16:
        return as<std::uint16_t>(at);
      case ElementType::uint32:
        return as<std::uint32_t>(at);
      case ElementType::int64:
        return as<std::int64_t>(at);
      case ElementType::uint64:
        return as<std::uint64_t>(at);
      case ElementType::float64:
        return as<double>(at);
      default:
        return 0;
    }
  }
};

/// Bits in words of 64.
struct BitElements {
  const std::uint64_t* words;
};

/// Sum of the positions of a block.
struct MeanTally {
  using Word = std::uint64_t;
  static constexpr int words = 1;
  Word word[1] = {0};

  template <class T>
  MASS_FN void add(const BlockRule& rule, T value, std::uint32_t times) {
    const std::int32_t units = unitsOf(rule.scale(static_cast<float>(value)));
    word[0] += std::uint64_t{static_cast<std::uint32_t>(units)} * times;
  }
  MASS_FN static Word merged(Word one, Word other) { return one + other; }
};

/// Greatest position of a block.
struct MaximumTally {
  using Word = float;
  static constexpr int words = 1;
  Word word[1] = {0};

  template <class T>
  MASS_FN void add(const BlockRule& rule, T value, std::uint32_t times) {
    const float position = rule.scale(static_cast<float>(value));
    if (times > 0 && position > word[0]) word[0] = position;
  }
  MASS_FN static Word merged(Word one, Word other) { return one > other ? one : other; }
};

/// Numbers of places of each of at most `most` categories in a block.
template <int most>
struct CountTally {
  using Word = std::uint32_t;
  static constexpr int words = most;
  Word word[static_cast<std::size_t>(most)] = {};

  template <class T>
  MASS_FN void add(const BlockRule&, T value, std::uint32_t times) {
    // Without an address that depends on the value, the counts stay in registers.
    const auto category = static_cast<Word>(value);
    for (Word i = 0; i < Word{most}; ++i) word[i] += i == category ? times : 0;
  }
  MASS_FN static Word merged(Word one, Word other) { return one + other; }
};

/// True if a value is a category of the rule, or need not be one.
template <class T>
MASS_FN bool isAllowed(const BlockRule& rule, T value) {
  if (rule.categories == 0) return true;
  if constexpr (std::is_integral_v<T>) {
    const auto number = static_cast<std::int64_t>(value);
    return number >= 0 && number < rule.categories;
  } else {
    return value >= 0 && value < static_cast<T>(rule.categories) &&
           value == static_cast<T>(static_cast<int>(value));
  }
}

/// Rows and columns of a block.
struct BlockPart {
  std::int64_t top, bottom, left, right;

  /// Returns the part of a block that is in a grid. @param row, column those of the block
  MASS_FN static BlockPart of(const BlockGrid& grid, std::int64_t row, std::int64_t column) {
    const std::int64_t top = row * grid.block - grid.before, bottom = top + grid.block;
    const std::int64_t left = column * grid.block, right = left + grid.block;
    return {top < 0 ? 0 : top, bottom < grid.rows ? bottom : grid.rows, left,
            right < grid.columns ? right : grid.columns};
  }
  /// Returns the part of a block by its number.
  MASS_FN static BlockPart of(const BlockGrid& grid, std::int64_t number) {
    return of(grid, number / grid.blockColumns(), number % grid.blockColumns());
  }
  MASS_FN std::int64_t places() const { return (bottom - top) * (right - left); }
};

/// Adds the elements of a block whose columns are `lane` modulo `lanes`.
/// @return number of values that are no category
template <class Elements, class Tally>
MASS_FN std::uint64_t addBlock(const Elements& elements, const BlockGrid& grid,
                               const BlockRule& rule, const BlockPart& part, int lane, int lanes,
                               Tally& tally) {
  std::uint64_t wrong = 0;
  for (std::int64_t column = part.left + lane; column < part.right; column += lanes) {
    std::int64_t at = grid.first + part.top * grid.rowStride + column * grid.columnStride;
    for (std::int64_t row = part.top; row < part.bottom; ++row, at += grid.rowStride) {
      const auto value = elements(at);
      const bool isGood = isAllowed(rule, value);
      tally.add(rule, isGood ? value : 0, isGood ? 1U : 0U);
      wrong += isGood ? 0U : 1U;
    }
  }
  return wrong;
}

/// Returns the number of 1 bits of [begin, end) of a row of words.
MASS_FN inline std::uint32_t onesOf(const std::uint64_t* words, std::int64_t begin,
                                    std::int64_t end) {
  std::uint32_t ones = 0;
  for (std::int64_t word = begin / 64; word * 64 < end; ++word) {
    std::uint64_t bits = words[word];
    if (word * 64 < begin) bits &= ~std::uint64_t{0} << (begin - word * 64);
    if (end - word * 64 < 64) bits &= ~(~std::uint64_t{0} << (end - word * 64));
    ones += static_cast<std::uint32_t>(countOnes(static_cast<std::uint32_t>(bits)) +
                                       countOnes(static_cast<std::uint32_t>(bits >> 32)));
  }
  return ones;
}

/// Adds the bits of a block whose rows are `lane` modulo `lanes`.
template <class Tally>
MASS_FN std::uint64_t addBlock(const BitElements& elements, const BlockGrid& grid,
                               const BlockRule& rule, const BlockPart& part, int lane, int lanes,
                               Tally& tally) {
  const auto width = static_cast<std::uint32_t>(part.right - part.left);
  for (std::int64_t row = part.top + lane; row < part.bottom; row += lanes) {
    const std::uint64_t* const words = elements.words + grid.first + row * grid.rowStride;
    const std::uint32_t ones = onesOf(words, grid.firstBit + part.left, grid.firstBit + part.right);
    tally.add(rule, 1, ones);
    tally.add(rule, 0, width - ones);
  }
  return 0;
}

/// Returns the palette index of a block. @param tally merged words @param places number of places
/// of the block
template <class Total>
MASS_FN std::uint8_t indexOf(const BlockRule& rule, const void* tally, std::int64_t places,
                             const Total* totals) {
  switch (rule.value) {
    case BlockValue::mean:
      return meanIndex(*static_cast<const std::uint64_t*>(tally), places);
    case BlockValue::maximum:
      return paletteIndex(*static_cast<const float*>(tally));
    case BlockValue::counts:
      return rule.indices.of(static_cast<const std::uint32_t*>(tally), totals);
  }
  return 0;
}

/// Calls f(elements) with the type of the elements at `data`.
template <class F>
void withElements(const BlockRule& rule, const void* data, F&& f) {
  if (rule.areBits) return f(BitElements{static_cast<const std::uint64_t*>(data)});
  switch (rule.type) {
    case ElementType::boolean:
    case ElementType::uint8:
      return f(TypedElements<std::uint8_t>{static_cast<const std::uint8_t*>(data)});
    case ElementType::int32:
      return f(TypedElements<std::int32_t>{static_cast<const std::int32_t*>(data)});
    case ElementType::float32:
      return f(TypedElements<float>{static_cast<const float*>(data)});
    default:
      return f(AnyElements{data, rule.type});
  }
}

/// Calls f(tally) with an empty tally of the rule.
template <class F>
void withTally(const BlockRule& rule, F&& f) {
  if (rule.value == BlockValue::mean) return f(MeanTally{});
  if (rule.value == BlockValue::maximum) return f(MaximumTally{});
  if (rule.countsOf() == 2) return f(CountTally<2>{});
  f(CountTally<BlockRule::mostCounted>{});
}

/// Merges tallies of parts of the same blocks. @param blocks number of tallies
/// @param part tallies of one part @param whole receives those of both
inline void mergeTallies(const BlockRule& rule, std::int64_t blocks, const void* part,
                         void* whole) {
  withTally(rule, [&](const auto& tally) {
    using Tally = std::decay_t<decltype(tally)>;
    const auto* const from = static_cast<const typename Tally::Word*>(part);
    auto* const to = static_cast<typename Tally::Word*>(whole);
    for (std::int64_t i = 0; i < blocks * Tally::words; ++i) to[i] = Tally::merged(to[i], from[i]);
  });
}

}  // namespace mass::detail
