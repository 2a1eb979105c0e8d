#include <mass/program/live/frame.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mass::detail::live {
namespace {

std::int64_t ceilDivide(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Returns the begin and the length of the part of [begin, begin + length) within [0, total).
/// @param length 0: up to the end
std::pair<std::int64_t, std::int64_t> clippedRange(std::int64_t begin, std::int64_t length,
                                                   std::int64_t total) {
  begin = std::clamp<std::int64_t>(begin, 0, total - 1);
  const std::int64_t rest = total - begin;
  return {begin, length == 0 ? rest : std::clamp<std::int64_t>(length, 1, rest)};
}

/// Returns `picture` without its values, for `rows` x `columns` others.
Picture withoutValues(const Picture& picture, std::int64_t rows, std::int64_t columns) {
  Picture other{{}, rows, columns, picture.low, picture.high};
  other.categories = picture.categories;
  other.colors = picture.colors;
  other.values.reserve(static_cast<std::size_t>(rows * columns));
  return other;
}

/// Greatest value of the present places of a block.
struct Maximum {
  float value = 0;
  bool isAbsent = true;

  void add(float other, bool isOtherAbsent) {
    if (isOtherAbsent) return;
    // NaN has the first colour and is below all numbers.
    if (isAbsent || other > value || std::isnan(value)) value = other;
    isAbsent = false;
  }
};

/// Returns the maxima of the blocks of a box. Blocks of one place are a copy.
Picture maxima(const Picture& picture, const Box& box, std::int64_t block) {
  const std::int64_t rows = ceilDivide(box.rows, block), columns = ceilDivide(box.columns, block);
  Picture reduced = withoutValues(picture, rows, columns);
  std::vector<Maximum> line(static_cast<std::size_t>(columns));
  const bool hasAbsent = !picture.absent.empty();
  for (std::int64_t row = 0; row < box.rows; ++row) {
    auto at = static_cast<std::size_t>((box.top + row) * picture.columns + box.left);
    for (std::int64_t column = 0; column < box.columns; ++column, ++at) {
      const bool isAbsent = hasAbsent && picture.absent[at];
      line[static_cast<std::size_t>(column / block)].add(picture.values[at], isAbsent);
    }
    if ((row + 1) % block != 0 && row + 1 < box.rows) continue;
    for (Maximum& maximum : line) {
      reduced.values.push_back(maximum.isAbsent ? picture.low : maximum.value);
      if (hasAbsent) reduced.absent.push_back(maximum.isAbsent);
      maximum = {};
    }
  }
  return reduced;
}

/// Returns the values of a box.
Picture cropped(const Picture& picture, const Box& box) {
  Picture part = withoutValues(picture, box.rows, box.columns);
  for (std::int64_t row = box.top; row < box.top + box.rows; ++row) {
    const std::int64_t begin = row * picture.columns + box.left;
    const auto first = picture.values.begin() + begin;
    part.values.insert(part.values.end(), first, first + box.columns);
    if (picture.absent.empty()) continue;
    const auto mark = picture.absent.begin() + begin;
    part.absent.insert(part.absent.end(), mark, mark + box.columns);
  }
  return part;
}

/// @throws UsageError if the numbers of values and marks are not those of the places
void requireComplete(const Picture& picture) {
  const auto places = static_cast<std::size_t>(picture.rows * picture.columns);
  if (picture.values.size() == places &&
      (picture.absent.empty() || picture.absent.size() == places))
    return;
  throw UsageError(
      "a picture has {} values and {} marks of absent places for {} rows of {} columns",
      picture.values.size(), picture.absent.size(), picture.rows, picture.columns);
}

}  // namespace

Box clipped(const Box& box, const Picture& picture) {
  const auto [top, rows] = clippedRange(box.top, box.rows, picture.rows);
  const auto [left, columns] = clippedRange(box.left, box.columns, picture.columns);
  return {top, left, rows, columns};
}

std::int64_t blockOf(const Box& box, std::int64_t width, std::int64_t height) {
  const auto pixels = [&](std::int64_t block) {
    return static_cast<std::size_t>(ceilDivide(box.rows, block) * ceilDivide(box.columns, block));
  };
  std::int64_t block = std::max(ceilDivide(box.columns, width), ceilDivide(box.rows, height));
  const std::int64_t longer = std::max(box.rows, box.columns);
  // render() derives the edge from the number of pixels of the longer side.
  const auto isRendered = [&](std::int64_t edge) {
    return ceilDivide(longer, ceilDivide(longer, edge)) == edge;
  };
  while (pixels(block) > mostFramePixels || !isRendered(block)) ++block;
  return block;
}

Frame drawFrame(const Picture& picture, const FrameRequest& request, const PictureStyle& style) {
  requireComplete(picture);
  const Box box = clipped(request.box, picture);
  const std::int64_t block = blockOf(box, request.width, request.height);
  const bool isWhole = box == Box{0, 0, picture.rows, picture.columns};
  PictureStyle own = style;
  own.hasLegend = false;
  // The longer side, of blocks of this size: drawPicture() neither enlarges nor reduces further.
  own.size = {1, ceilDivide(std::max(box.rows, box.columns), block)};
  if (request.reduction == Reduction::maximum && block > 1)
    return {box, block, drawPicture(maxima(picture, box, block), own, ""), request.slice};
  if (isWhole) return {box, block, drawPicture(picture, own, ""), request.slice};
  return {box, block, drawPicture(cropped(picture, box), own, ""), request.slice};
}

std::optional<Frame> drawFrame(PictureField& field, const Picture& outline,
                               const FrameRequest& request, const PictureStyle& style) {
  const Box box = clipped(request.box, outline);
  const std::int64_t block = blockOf(box, request.width, request.height);
  const Slice slice = request.slice;
  const FieldPlane plane{
      slice.axis < 0 ? 1 : slice.axis, slice.at, box.top, box.left, box.rows, box.columns, block};
  auto picture = field.draw(plane, request.reduction == Reduction::maximum, style);
  if (!picture) return {};
  return Frame{box, block, std::move(*picture), slice};
}

}  // namespace mass::detail::live
