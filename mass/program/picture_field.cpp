#include <mass/program/picture_field.hpp>

#include <mass/memory/field_io.hpp>
#include <mass/model/any_places.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mass::detail {
namespace {

/// Returns numbers of a type as floats.
std::vector<float> asFloats(ElementType type, const char* values, std::size_t count) {
  std::vector<float> floats(count);
  withElement(type, [&](auto element) {
    const auto* const from = reinterpret_cast<const decltype(element)*>(values);
    std::transform(from, from + count, floats.begin(),
                   [](auto value) { return static_cast<float>(value); });
  });
  return floats;
}

/// Returns the rule by which the devices draw; nothing if they cannot.
std::optional<BlockRule> blockRuleOf(const Picture& picture, const CategoryIndices& indices,
                                     ElementType type, bool takesMaximum) {
  BlockRule rule;
  rule.type = type;
  rule.indices = indices;
  rule.categories = indices.categories;
  rule.value = takesMaximum ? BlockValue::maximum : BlockValue::mean;
  if (picture.categories.empty()) {
    rule.scale = ValueScale::between(picture.low, picture.high);
    return rule;
  }
  rule.scale = ValueScale::between(0, 255);
  if (takesMaximum) return rule;
  rule.value = BlockValue::counts;
  if (rule.categories > BlockRule::mostCounted) return {};
  return rule;
}

}  // namespace

PictureField::PictureField(std::shared_ptr<PlacesState> places, std::string attribute,
                           Picture style)
    : places_(std::move(places)), attribute_(std::move(attribute)), style_(std::move(style)) {
  style_.name = attribute_;
}

const AttributeInfo& PictureField::info() const {
  return *std::ranges::find(places_->attributes, attribute_, &AttributeInfo::name);
}

std::vector<std::int64_t> PictureField::shape() const {
  return AnyPlaces(places_).shape();
}

Picture PictureField::outline(int across) const {
  const auto& shape = places_->fields->domain().shape;
  Picture picture = style_;
  picture.rows = shape[across == 0 ? 1 : 0];
  picture.columns = shape[across == 2 ? 1 : 2];
  if (places_->fields->domain().dimensions == 2) picture.columns = shape[1];
  return picture;
}

const IndexColors& PictureField::colorsIn(const PictureStyle& style) {
  if (!colors_ || colors_->first != style) colors_.emplace(style, indexColors(style_, style));
  return colors_->second;
}

/// Returns the values of a part of a plane, row by row.
std::vector<float> PictureField::valuesOf(int across, std::int64_t at, std::int64_t row,
                                          std::int64_t rows, std::int64_t column,
                                          std::int64_t columns) const {
  AnyPlaces::Box box{{row, column}, {row + rows, column + columns}};
  if (places_->fields->domain().dimensions == 3) {
    box.low.insert(box.low.begin() + across, at);
    box.high.insert(box.high.begin() + across, at + 1);
  }
  const auto count = static_cast<std::size_t>(rows * columns);
  std::vector<char> values(count * info().valueSize);
  AnyPlaces(places_).read(attribute_, box, values.data());
  return asFloats(info().valueType, values.data(), count);
}

Picture PictureField::picture(int across, std::int64_t at) const {
  requireAllPlaces(*places_, "pictures of an attribute");
  if (info().valueType == ElementType::opaque)
    throw UsageError("a picture cannot show '{}' of '{}', which is no number", attribute_,
                     places_->name);
  Picture picture = outline(across);
  const auto bytes = static_cast<double>(picture.rows * picture.columns) *
                     static_cast<double>(info().valueSize + sizeof(float));
  requireHostMemory(places_->fields->devices(), bytes,
                    fmt::format("a picture of '{}'", places_->name));
  picture.values = valuesOf(across, at, 0, picture.rows, 0, picture.columns);
  return picture;
}

float PictureField::value(int across, std::int64_t at, std::int64_t row,
                          std::int64_t column) const {
  return valuesOf(across, at, row, 1, column, 1).front();
}

std::optional<PalettePicture> PictureField::draw(const FieldPlane& plane, bool takesMaximum,
                                                 const PictureStyle& style) {
  const AttributeInfo& info = this->info();
  if (places_->mask || places_->fields->areOrdered() || places_->fields->areBlocks() ||
      info.decode != nullptr || info.type == ElementType::opaque)
    return {};
  const auto& [colors, indices] = colorsIn(style);
  const auto rule = blockRuleOf(style_, indices, info.type, takesMaximum || plane.block == 1);
  if (!rule) return {};
  auto pixels = imager_.draw(*places_->fields, info.firstComponent, plane, *rule);
  if (!pixels) return {};
  return PalettePicture{{plane.blockColumns(), plane.blockRows(), std::move(*pixels)}, colors};
}

}  // namespace mass::detail
