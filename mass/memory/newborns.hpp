#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Agents that join their class in the next manageAll(), in host memory. Every rank has those of
/// all ranks.
struct Newborns {
  std::vector<std::int64_t> places;           ///< index of the place in the order of rows
  std::vector<std::uint64_t> ids;             ///< identity
  std::vector<std::vector<char>> components;  ///< by component: values

  /// Returns the number of agents.
  std::size_t size() const { return places.size(); }
  /// Returns the indices of the agents on places [begin, end) in the order of rows.
  std::vector<std::size_t> onPlaces(std::int64_t begin, std::int64_t end) const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (begin <= places[i] && places[i] < end) indices.push_back(i);
    return indices;
  }
  /// Removes all agents.
  void clear() { *this = {}; }
};

/// Returns the values of some agents. @param length number of elements of an agent in `values`
template <class T>
std::vector<T> selected(const std::vector<T>& values, std::size_t length,
                        const std::vector<std::size_t>& agents) {
  std::vector<T> chosen;
  chosen.reserve(agents.size() * length);
  for (const std::size_t agent : agents) {
    const T* const first = values.data() + agent * length;
    chosen.insert(chosen.end(), first, first + length);
  }
  return chosen;
}

}  // namespace mass::detail
