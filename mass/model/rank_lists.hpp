#pragma once

#include <mass/backend/ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mass::detail {

/// Returns the number of elements of the ranks before each rank, and of all ranks. All ranks call
/// it together. @param own number of elements of this rank
inline std::vector<std::size_t> countsBeforeRanks(Ranks& ranks, std::size_t own) {
  std::vector<std::size_t> before{0};
  for (const std::size_t count : ranks.allGather(own)) before.push_back(before.back() + count);
  return before;
}

/// Appends the elements of all ranks to `all`, in the order of ranks, which call it together.
/// @param own elements of this rank
/// @param before countsBeforeRanks() of elements of `length` values
template <class T>
void appendOfRanks(Ranks& ranks, const std::vector<T>& own, const std::vector<std::size_t>& before,
                   std::size_t length, std::vector<T>& all) {
  const std::size_t first = all.size();
  all.resize(first + before.back() * length);
  std::vector<std::size_t> offsets;
  for (const std::size_t count : before) offsets.push_back(count * length * sizeof(T));
  T* const added = all.data() + first;
  std::ranges::copy(own, added + before[static_cast<std::size_t>(ranks.number())] * length);
  ranks.allGatherInPlace(added, offsets);
}

}  // namespace mass::detail
