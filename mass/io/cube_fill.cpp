#include <mass/io/cube_fill.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mass::detail {
namespace {

CubeBlock blockOf(const CubeRange& range) {
  CubeBlock block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    block.low[axis] = static_cast<double>(range.low[axis]);
    block.high[axis] = static_cast<double>(range.high[axis]);
  }
  return block;
}

/// Returns the block of the middles of the cubes.
CubeBlock middlesOf(const CubeRange& range) {
  CubeBlock block = blockOf(range);
  for (std::size_t axis = 0; axis < 3; ++axis) block.low[axis] += 0.5, block.high[axis] -= 0.5;
  return block;
}

/// Returns the cubes that a block meets, and one more on each side.
CubeRange cubesOf(const CubeBlock& block) {
  CubeRange range;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    range.low[axis] = static_cast<std::int64_t>(std::floor(block.low[axis])) - 1;
    range.high[axis] = static_cast<std::int64_t>(std::ceil(block.high[axis])) + 1;
  }
  return range;
}

template <class S>
bool containsCorners(const S& solid, const CubeBlock& block) {
  for (unsigned bits = 0; bits < 8; ++bits)
    if (!solid.contains(block.corner(bits))) return false;
  return true;
}

std::size_t rootOf(std::vector<std::size_t>& pieces, std::size_t at) {
  while (pieces[at] != at) at = pieces[at] = pieces[pieces[at]];
  return at;
}

}  // namespace

double CubeRange::count() const {
  return static_cast<double>(size(0)) * static_cast<double>(size(1)) * static_cast<double>(size(2));
}

std::int64_t CubeRange::indexOf(const std::array<std::int64_t, 3>& cube) const {
  return ((cube[2] - low[2]) * size(1) + cube[1] - low[1]) * size(0) + cube[0] - low[0];
}

std::array<std::int64_t, 3> CubeRange::cubeAt(std::int64_t index) const {
  const std::int64_t row = index / size(0);
  return {low[0] + index % size(0), low[1] + row % size(1), low[2] + row / size(1)};
}

CubeFill::CubeFill(std::vector<Solid> solids, std::optional<Ball> region, bool byMiddle)
    : solids_(std::move(solids)), region_(region), byMiddle_(byMiddle) {
  if (region_) {
    // A cube whose middle is in the region is within sqrt(3) / 2 of it.
    const Ball near{region_->center, region_->radius + 1};
    const auto isFar = [&](Solid& solid) {
      auto* const frustum = std::get_if<Frustum>(&solid);
      return frustum != nullptr && !frustum->clip(near);
    };
    for (Solid& solid : solids_)
      if (isFar(solid)) solid = Ball{near.center, 0};  // meets nothing
  }
  bool isFirst = true;
  for (const Solid& solid : solids_) {
    const CubeRange range = rangeOf(solid);
    if (range.isEmpty()) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      range_.low[axis] = isFirst ? range.low[axis] : std::min(range_.low[axis], range.low[axis]);
      range_.high[axis] =
          isFirst ? range.high[axis] : std::max(range_.high[axis], range.high[axis]);
    }
    isFirst = false;
  }
}

/// Returns a range around the cubes of a solid, whose outermost cubes are not filled.
CubeRange CubeFill::rangeOf(const Solid& solid) const {
  CubeRange range = cubesOf(std::visit([](const auto& s) { return s.bounds(); }, solid));
  if (!region_) return range;
  const CubeRange around = cubesOf(region_->bounds());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    range.low[axis] = std::max(range.low[axis], around.low[axis]);
    range.high[axis] = std::min(range.high[axis], around.high[axis]);
  }
  return range;
}

double CubeFill::expectedCubes() const {
  const double most = region_ ? region_->cubes() : HUGE_VAL;
  double total = 0;
  for (const Solid& solid : solids_) {
    if (rangeOf(solid).isEmpty()) continue;
    total += std::min(most, std::visit([](const auto& s) { return s.cubes(); }, solid));
  }
  return std::min(total, most);
}

std::vector<FilledCube> CubeFill::cubes() {
  cubes_.clear();
  for (solid_ = 0; solid_ < solids_.size(); ++solid_) {
    const CubeRange range = rangeOf(solids_[solid_]);
    if (range.isEmpty()) continue;
    std::visit([&](const auto& solid) { fill(solid, range); }, solids_[solid_]);
  }
  sort();
  return std::move(cubes_);
}

/// Adds the cubes of a range that a solid fills.
template <class S>
void CubeFill::fill(const S& solid, const CubeRange& range) {
  if (!solid.meets(blockOf(range))) return;
  if (region_ && squaredDistance(middlesOf(range), region_->center) >
                     (region_->radius + contactDepth) * (region_->radius + contactDepth))
    return;
  if (range.size(0) == 1 && range.size(1) == 1 && range.size(2) == 1) {
    if (!byMiddle_ || solid.contains(middlesOf(range).low)) add(range);
    return;
  }
  if (containsAll(solid, range)) {
    add(range);
    return;
  }
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis)
    if (range.size(axis) > range.size(longest)) longest = axis;
  const std::int64_t middle = range.low[longest] + range.size(longest) / 2;
  CubeRange half = range;
  half.high[longest] = middle;
  fill(solid, half);
  half = range;
  half.low[longest] = middle;
  fill(solid, half);
}

/// True if all cubes of a range are in the region and in a solid, which are convex.
template <class S>
bool CubeFill::containsAll(const S& solid, const CubeRange& range) const {
  if (region_ && !containsCorners(*region_, middlesOf(range))) return false;
  return containsCorners(solid, byMiddle_ ? middlesOf(range) : blockOf(range));
}

/// Adds all cubes of a range.
void CubeFill::add(const CubeRange& range) {
  for (std::int64_t z = range.low[2]; z < range.high[2]; ++z) {
    for (std::int64_t y = range.low[1]; y < range.high[1]; ++y) {
      const std::int64_t row = range_.indexOf({range.low[0], y, z});
      for (std::int64_t x = 0; x < range.size(0); ++x) {
        cubes_.push_back({row + x, solid_});
        if (cubes_.size() >= sortAt_) sort();
      }
    }
  }
}

/// Sorts the cubes, and keeps the first solid of each.
void CubeFill::sort() {
  std::sort(cubes_.begin(), cubes_.end());
  const auto isSame = [](const FilledCube& a, const FilledCube& b) { return a.index == b.index; };
  cubes_.erase(std::unique(cubes_.begin(), cubes_.end(), isSame), cubes_.end());
  // Solids overlap, so memory grows with the number of different cubes only.
  sortAt_ = std::max(sortAt_, 2 * cubes_.size());
}

std::vector<std::size_t> facePieces(const std::vector<FilledCube>& cubes, const CubeRange& range) {
  std::vector<std::size_t> pieces(cubes.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = i;
  for (const std::int64_t stride :
       {std::int64_t{1}, range.size(0), range.size(0) * range.size(1)}) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      while (next < cubes.size() && cubes[next].index < cubes[i].index + stride) ++next;
      if (next == cubes.size()) break;
      if (cubes[next].index != cubes[i].index + stride) continue;
      const std::size_t a = rootOf(pieces, i), b = rootOf(pieces, next);
      pieces[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = rootOf(pieces, i);
  return pieces;
}

}  // namespace mass::detail
