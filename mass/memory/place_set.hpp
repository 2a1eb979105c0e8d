#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Set of some of the places 0, 1, ... of a worker, a bit for each.
class PlaceSet {
 public:
  /// Provides for `count` places, of which none is a member.
  void allocate(std::int32_t count) {
    count_ = count;
    words_.assign((static_cast<std::size_t>(count) + 63) / 64, 0);
  }
  /// Makes all places members.
  void fill() {
    words_.assign(words_.size(), ~std::uint64_t{0});
    if (count_ % 64 != 0) words_.back() = (std::uint64_t{1} << count_ % 64) - 1;
  }
  void insert(std::int32_t place) {
    words_[static_cast<std::size_t>(place) / 64] |= std::uint64_t{1} << place % 64;
  }
  void erase(std::int32_t place) {
    words_[static_cast<std::size_t>(place) / 64] &= ~(std::uint64_t{1} << place % 64);
  }
  /// True if all places are members.
  bool isFull() const {
    std::int64_t members = 0;
    for (const std::uint64_t bits : words_) members += std::popcount(bits);
    return members == count_;
  }
  /// Returns the first member from `place` on, or the number of places.
  std::int32_t next(std::int32_t place) const {
    if (place >= count_) return count_;
    auto word = static_cast<std::size_t>(place) / 64;
    std::uint64_t bits = words_[word] & ~std::uint64_t{0} << place % 64;
    while (bits == 0) {
      if (++word == words_.size()) return count_;
      bits = words_[word];
    }
    return static_cast<std::int32_t>(word * 64) + std::countr_zero(bits);
  }
  /// Calls f(place) for the members in ascending order, also for those inserted further on by f.
  template <class F>
  void forEach(F&& f) const {
    for (std::int32_t place = next(0); place < count_; place = next(place + 1)) f(place);
  }
  /// Returns the number of bytes allocated.
  std::size_t bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  std::int32_t count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace mass::detail
