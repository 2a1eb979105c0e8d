#include <mass/program/live/painter.hpp>

#include <mass/program/picture_sink.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mass::detail::live {
namespace {

/// Returns the slice that a model has; the picture of the run if it has no slices.
Slice existing(const ModelRun& model, const Slice& slice) {
  if (!model.slices || slice.axis < 0) return {};
  const std::int64_t end = model.slices->shape[static_cast<std::size_t>(slice.axis)];
  return {slice.axis, std::clamp<std::int64_t>(slice.at, 0, end - 1)};
}

/// Returns the attribute that a slice, or the picture, shows; null if a function makes it.
PictureField* fieldOf(const ModelRun& model, const Slice& slice) {
  return slice.axis < 0 ? model.pictureField.get() : model.slices->field.get();
}

/// Returns the axis of Layout across which a plane lies.
int acrossOf(const Slice& slice) {
  return slice.axis < 0 ? 1 : slice.axis;
}

/// Largest number of agents of which the host reads the positions for a frame.
constexpr std::int64_t mostAgentsRead = 500'000;

/// Returns the positions within a box. @param shares positions as shares of the height and width
std::vector<std::array<std::uint16_t, 2>> inBox(const std::vector<std::array<float, 2>>& shares,
                                                const Picture& picture, const Box& box) {
  constexpr double units = 65535;
  std::vector<std::array<std::uint16_t, 2>> found;
  for (const auto& share : shares) {
    const double row =
        (share[0] * static_cast<double>(picture.rows) - static_cast<double>(box.top)) /
        static_cast<double>(box.rows);
    const double column =
        (share[1] * static_cast<double>(picture.columns) - static_cast<double>(box.left)) /
        static_cast<double>(box.columns);
    if (!(row >= 0 && row <= 1 && column >= 0 && column <= 1)) continue;
    found.push_back({static_cast<std::uint16_t>(std::lround(row * units)),
                     static_cast<std::uint16_t>(std::lround(column * units))});
  }
  return found;
}

}  // namespace

void Painter::begin(const ModelRun& model) {
  style_ = pictureStyleOf(model);
  clear();
}

std::shared_ptr<const Picture> Painter::outline(const ModelRun& model) {
  if (!model.pictureField) return whole(model, {});
  return std::make_shared<const Picture>(model.pictureField->outline());
}

/// Returns a picture with all values, which it keeps until the state changes.
const std::shared_ptr<const Picture>& Painter::whole(const ModelRun& model, const Slice& slice) {
  const auto found =
      std::ranges::find(whole_, slice, [](const auto& entry) { return entry.first; });
  if (found != whole_.end()) return found->second;
  auto picture = slice.axis < 0 ? model.picture() : model.slices->picture(slice.axis, slice.at);
  return whole_.emplace_back(slice, std::make_shared<const Picture>(std::move(picture))).second;
}

Painting Painter::paint(const ModelRun& model, FrameRequest request) {
  request.slice = existing(model, request.slice);
  if (PictureField* const field = fieldOf(model, request.slice)) {
    auto outline = std::make_shared<const Picture>(field->outline(acrossOf(request.slice)));
    if (auto frame = drawFrame(*field, *outline, request, style_)) {
      frame->points = pointsIn(model, *outline, *frame);
      return {std::move(outline), std::move(*frame)};
    }
  }
  const auto picture = whole(model, request.slice);
  Frame frame = drawFrame(*picture, request, style_);
  frame.points = pointsIn(model, *picture, frame);
  return {picture, std::move(frame)};
}

/// Returns the agents in view, if they are few and a place is a pixel or more.
std::vector<Points> Painter::pointsIn(const ModelRun& model, const Picture& picture,
                                      const Frame& frame) {
  if (frame.block > 1 || frame.slice.axis >= 0) return {};
  std::int64_t agents = 0;
  for (const PointDeclaration& each : model.points) agents += each.count();
  if (agents > mostAgentsRead) return {};
  std::vector<Points> points;
  std::size_t shown = 0;
  for (const PointDeclaration& each : model.points) {
    points.push_back({each.name, each.color, inBox(each.positions(), picture, frame.box)});
    shown += points.back().at.size();
  }
  return shown > mostPoints ? std::vector<Points>{} : points;
}

std::optional<float> Painter::value(const ModelRun& model, ValueRequest request) {
  const Slice slice = existing(model, request.slice);
  const PictureField* const field = fieldOf(model, slice);
  const Picture outline = field != nullptr ? field->outline(acrossOf(slice)) : Picture{};
  const Picture& picture = field != nullptr ? outline : *whole(model, slice);
  if (request.row >= picture.rows || request.column >= picture.columns) return {};
  if (field != nullptr) return field->value(acrossOf(slice), slice.at, request.row, request.column);
  const auto at = static_cast<std::size_t>(request.row * picture.columns + request.column);
  if (at < picture.absent.size() && picture.absent[at]) return {};
  return picture.values[at];
}

}  // namespace mass::detail::live
