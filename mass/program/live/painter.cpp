#include <mass/program/live/painter.hpp>

#include <mass/program/picture_sink.hpp>

#include <algorithm>
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
    if (auto frame = drawFrame(*field, *outline, request, style_))
      return {std::move(outline), std::move(*frame)};
  }
  const auto picture = whole(model, request.slice);
  return {picture, drawFrame(*picture, request, style_)};
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
