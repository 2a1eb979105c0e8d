#include <mass/launch/bool_table.hpp>

#include <bit>

namespace mass::detail {

std::optional<LifeCounts> BoolTable::counts() const {
  std::uint32_t alive[2] = {0, 0}, dead[2] = {0, 0};  // by own state: counts with each result
  for (int pattern = 0; pattern < patterns; ++pattern) {
    const int own = pattern >> ownBit & 1;
    const int living = std::popcount(static_cast<unsigned>(pattern)) - own;
    (at(pattern) ? alive : dead)[own] |= 1U << living;
  }
  if ((alive[0] & dead[0]) != 0 || (alive[1] & dead[1]) != 0) return std::nullopt;
  return LifeCounts{alive[0], alive[1]};
}

}  // namespace mass::detail
