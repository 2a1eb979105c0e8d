#include <mass/program/step_agreement.hpp>

#include <cstddef>
#include <vector>

namespace mass::detail {

StepWish agree(Ranks& ranks, const StepWish& own) {
  if (ranks.count() == 1) return own;
  std::vector<StepWish> wishes(static_cast<std::size_t>(ranks.count()));
  wishes[static_cast<std::size_t>(ranks.number())] = own;
  std::vector<std::size_t> offsets;
  for (std::size_t rank = 0; rank <= wishes.size(); ++rank)
    offsets.push_back(rank * sizeof(StepWish));
  ranks.allGatherInPlace(wishes.data(), offsets);
  StepWish agreed{0, false, wishes.front().chunk};
  for (const StepWish& wish : wishes) {
    if (agreed.signal == 0) agreed.signal = wish.signal;
    agreed.wantsCheckpoint |= wish.wantsCheckpoint;
  }
  return agreed;
}

}  // namespace mass::detail
