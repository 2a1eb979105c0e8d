#pragma once

#include <mass/launch/field_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/rules/here.hpp>
#include <mass/rules/loading.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/world_position.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mass {
namespace detail {

/// FieldView of class P that contains the addresses of the components instead of pointing to them.
template <class P>
struct TypedFieldView {
  Layout layout;
  std::int64_t firstRow;
  AxisRatio ratio[3];
  const void* components[componentArraySize<P>];

  explicit TypedFieldView(const FieldView& view)
      : layout(view.layout),
        firstRow(view.firstRow),
        ratio{view.ratio[0], view.ratio[1], view.ratio[2]} {
    std::copy_n(view.components.begin(), AttributeSlots<P>::components, components);
  }
};

/// Coarser field of class P for one line of the rule's places, on a CPU.
template <class P>
struct WidenedFieldView {
  const TypedFieldView<P>* field;
  std::int64_t firstColumn;  ///< column of the rule's places of the first elements
  /// By component: the stored element above each column.
  const void* elements[componentArraySize<P>];
};

/// Places that a rule of other places reads: base class of Field, FinerField and CoarserField.
template <class P, Scale scale>
class FieldPlaces {
 public:
  static constexpr int dimensions = P::dimensions;  ///< Dimensions of the world.

  /// For kernels: the places around the position of a call.
  template <int D>
  MASS_FN FieldPlaces(const TypedFieldView<P>& view, const Here<D>& here)
      : view_(&view), at_(WorldPosition::at<scale>(here, view.ratio)) {}

  /// Returns the place at the position of the call; of a finer field, the first one of the block.
  MASS_FN P operator()() const { return (*this)(Offset<dimensions>{}); }
  /// Returns the place at the offset with these components, axis 0 first, in places of the field.
  /// @pre within P::reach of the position of the call or, of a finer field, of the block
  /// @throws UsageError in checked builds otherwise
  template <class... Steps>
  requires(sizeof...(Steps) == dimensions) MASS_FN P operator()(Steps... steps) const {
    return (*this)(Offset<dimensions>{static_cast<int>(steps)...});
  }
  /// Returns the place with a position, which may be outside the world.
  /// @param space space of the places of the field, see spaceOf()
  /// @pre it is within the same reach
  template <class Position>
  MASS_FN P at(const Space<dimensions>& space, const Position& position) const {
    return (*this)(space.offsetTo(coordinates(), position));
  }
  /// Returns the place at an offset; see above.
  MASS_FN P operator()(Offset<dimensions> offset) const {
    if constexpr (checked) checkReach(offset);
    const std::int64_t line = lineAt(offset);
    const auto column =
        static_cast<Index>(at_.column + (dimensions > 1 ? offset[dimensions - 1] : 0));
    return assemblePlace<P, LoadScope::neighbor>(
        [&](auto slot, std::size_t k) { return element<decltype(slot)>(k, line, column); });
  }

 protected:
  /// Number of places of the field along an axis for the place of the rule.
  MASS_FN int extent(int axis) const {
    if constexpr (scale != Scale::finer) return 1;
    return blockAlong<dimensions>(axis, view_->ratio);
  }

 private:
  /// Coordinates in the whole world of the place at which offsets begin.
  MASS_FN Coordinates<dimensions> coordinates() const { return at_.coordinates<dimensions>(); }
  /// Index of column 0 of the line at an offset.
  MASS_FN std::int64_t lineAt(const Offset<dimensions>& offset) const {
    return view_->layout.at(at_.row - view_->firstRow + offset[0],
                            dimensions == 3 ? at_.line + offset[1] : 0, 0);
  }
  template <class S>
  MASS_FN typename S::Element element(std::size_t k, std::int64_t line, Index column) const {
    // An index may exceed 32 bits: a field may have more places than the launch of the rule.
    const auto* const data =
        static_cast<const typename S::Stored*>(view_->components[S::first + k]);
    return loadElement<S>(data + S::interleave * line, Cursor(0, column));
  }
  void checkReach(const Offset<dimensions>& offset) const {
    for (int axis = 0; axis < dimensions; ++axis) {
      if (-P::reach <= offset[axis] && offset[axis] < extent(axis) + P::reach) continue;
      failReach(typeName<P>(), dimensions, coordinates().values, offset.values, P::reach);
    }
  }

  const TypedFieldView<P>* view_;
  WorldPosition at_;
};

}  // namespace detail

/// Places of another class, as they are at the call. Parameter `const Field<P>&` of rules of places
/// and of agents; the argument of callAll is a `Places<P>` of the same shape as the places of the
/// rule:
///
///     MASS_FN void feed(const mass::Field<Chemical>& chemical) { mass += chemical().sugar; }
///
/// `chemical()` is the place at the position of the call, `chemical(-1, 0)` the one in the row
/// above, within Chemical::reach; beyond borders lies what those of the chemical's places
/// prescribe. A place is returned by value; the compiler removes loads of attributes that the rule
/// does not use. Multisets are empty.
template <class P>
class Field : public detail::FieldPlaces<P, detail::Scale::same> {
 public:
  using detail::FieldPlaces<P, detail::Scale::same>::FieldPlaces;
};

/// Places of which one covers a block of places of the rule, otherwise as Field: along each axis
/// the rule's places are a multiple of these. `field()` is the place that covers the position of
/// the call.
template <class P>
class CoarserField : public detail::FieldPlaces<P, detail::Scale::coarser> {
  using Base = detail::FieldPlaces<P, detail::Scale::coarser>;

 public:
  using Base::Base;
  using Base::operator();

  /// For kernels: the places around a place of a line.
  template <int D>
  MASS_FN CoarserField(const detail::WidenedFieldView<P>& line, const Here<D>& here)
      : Base(*line.field, here),
        line_(&line),
        column_(detail::LocalPosition::of(here).column - line.firstColumn) {}

  /// Returns the place that covers the position of the call.
  MASS_FN P operator()() const {
    if (line_ == nullptr) return Base::operator()();
    return detail::assemblePlace<P, detail::LoadScope::neighbor>([&](auto slot, std::size_t k) {
      using S = decltype(slot);
      const detail::Cursor at(0, static_cast<Index>(column_));
      return detail::loadElement<S>(line_->elements[S::first + k], at);
    });
  }

 private:
  const detail::WidenedFieldView<P>* line_ = nullptr;
  std::int64_t column_ = 0;
};

/// Places of which a block lies in each place of the rule, otherwise as Field: along each axis they
/// are a multiple of the rule's places. `field(i, j)` is the place in row i and column j of the
/// block; a loop `for (const P place : field)` visits those of the block in row-major order.
template <class P>
class FinerField : public detail::FieldPlaces<P, detail::Scale::finer> {
  using Base = detail::FieldPlaces<P, detail::Scale::finer>;

 public:
  using Base::Base;
  using Base::dimensions;

  /// Number of places of the block along each axis.
  MASS_FN Offset<dimensions> block() const {
    Offset<dimensions> block{};
    for (int axis = 0; axis < dimensions; ++axis) block[axis] = this->extent(axis);
    return block;
  }

  /// Iterator over the places of a block, in row-major order.
  class Iterator {
   public:
    /// Iterator at a place of the block.
    MASS_FN Iterator(const FinerField& field, Offset<dimensions> at) : field_(&field), at_(at) {}
    /// Returns the place.
    MASS_FN P operator*() const { return (*field_)(at_); }
    /// Advances to the next place.
    MASS_FN Iterator& operator++() {
      int axis = dimensions - 1;
      while (++at_[axis] == field_->extent(axis) && axis > 0) at_[axis--] = 0;
      return *this;
    }
    /// True if both are at the same place. @pre both are of the same block
    MASS_FN friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const FinerField* field_;
    Offset<dimensions> at_;
  };

  /// Iterator at the first place of the block.
  MASS_FN Iterator begin() const { return {*this, {}}; }
  /// Iterator behind the last place of the block.
  MASS_FN Iterator end() const {
    Offset<dimensions> behind{};
    behind[0] = this->extent(0);
    return {*this, behind};
  }
};

}  // namespace mass
