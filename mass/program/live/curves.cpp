#include <mass/program/live/curves.hpp>

#include <utility>

namespace mass::detail::live {

void Curves::add(std::int64_t step, std::span<const double> values) {
  if (added_++ % stride_ != 0) return;
  rows_.push_back({step, {values.begin(), values.end()}});
  if (rows_.size() > most) thinOut();
}

void Curves::clear() {
  rows_.clear();
  added_ = 0;
  stride_ = 1;
  ++generation_;
}

/// Keeps every second row, and from now on half as many.
void Curves::thinOut() {
  for (std::size_t i = 0; 2 * i < rows_.size(); ++i) std::swap(rows_[i], rows_[2 * i]);
  rows_.resize((rows_.size() + 1) / 2);
  stride_ *= 2;
  ++generation_;
}

}  // namespace mass::detail::live
