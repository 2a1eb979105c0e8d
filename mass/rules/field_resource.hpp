#pragma once

#include <mass/rules/resource.hpp>
#include <mass/rules/world_position.hpp>
#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>

#include <string_view>

namespace mass {
namespace detail {

/// Throws the UsageError of a rule that takes from a place outside the block below its own.
[[noreturn]] MASS_EXPORT void failBlock(std::string_view place, int dimensions, const int* offset,
                                        const int* block);

}  // namespace detail

/// Attribute of other places that agents take from, each at the position of its own place;
/// otherwise as Resource. Parameter `const FieldResource<&P::member>&` of changing rules of agents;
/// the argument of callAll is a `Places<P>` of the shape of those on which the agents live:
///
///     MASS_FN void drink(const mass::FieldResource<&Water::level>& level) {
///       thirst -= level.takeUpTo(thirst);
///     }
template <auto Member>
class FieldResource : public Resource<Member> {
 public:
  /// For kernels: the attribute at the position of a call.
  template <int D>
  MASS_FN FieldResource(const detail::ResourceView& view, const Here<D>& here)
      : Resource<Member>(view, detail::WorldPosition::of(here)) {}
};

/// Attribute of coarser places that agents take from, each from the place that covers its own;
/// otherwise as FieldResource: along each axis, the places on which the agents live are a multiple
/// of these. All agents in the block of places that one of these covers take one after another, in
/// the row-major order of their places, and on each in the order of identities.
template <auto Member>
class CoarserResource : public Resource<Member> {
 public:
  /// For kernels: the attribute above the place of a call.
  template <int D>
  MASS_FN CoarserResource(const detail::ResourceView& view, const Here<D>& here)
      : Resource<Member>(view, detail::WorldPosition::of(here).over(view.ratio)) {}
};

/// Attribute of finer places that agents take from, each from any place of the block that lies in
/// its own place; otherwise as FieldResource: along each axis, these are a multiple of the places
/// on which the agents live. `grass(i, j)` is the Resource of the place in row i and column j of
/// the block, and `grass.at(space, position)` that at a position:
///
///     MASS_FN void graze(const mass::FinerResource<&Meadow::grass>& grass, mass::Space<2> space) {
///       if (grass.at(space, position).take(1)) energy += 4;
///     }
template <auto Member>
class FinerResource {
  using P = detail::HolderOf<Member>;

 public:
  static constexpr int dimensions = P::dimensions;  ///< Dimensions of the world.

  /// For kernels: the attribute below the place of a call.
  MASS_FN FinerResource(const detail::ResourceView& view, const Here<dimensions>& here)
      : view_(&view), first_(detail::WorldPosition::of(here).times(view.ratio)) {}

  /// Number of places of the block along each axis.
  MASS_FN Offset<dimensions> block() const { return detail::blockOf<dimensions>(view_->ratio); }
  /// Returns the attribute of the first place of the block.
  MASS_FN Resource<Member> operator()() const { return (*this)(Offset<dimensions>{}); }
  /// Returns the attribute of the place of the block with this row, line and column, from 0.
  /// @pre each number is at least 0 and less than block() along its axis
  /// @throws UsageError in checked builds otherwise
  template <class... Steps>
  requires(sizeof...(Steps) == dimensions) MASS_FN Resource<Member>
  operator()(Steps... steps) const {
    return (*this)(Offset<dimensions>{static_cast<int>(steps)...});
  }
  /// Returns the attribute of a place of the block; see above.
  MASS_FN Resource<Member> operator()(Offset<dimensions> offset) const {
    if constexpr (checked) checkBlock(offset);
    detail::WorldPosition at = first_;
    at.row += offset[0];
    if constexpr (dimensions == 3) at.line += offset[1];
    if constexpr (dimensions > 1) at.column += offset[dimensions - 1];
    return {*view_, at};
  }
  /// Returns the attribute of the place of the block that contains a position, or of the nearest
  /// one: rounding may put a position at the border of the agent's place outside the block.
  /// @param space space of these places, see spaceOf()
  /// @param position a position in the place of the agent
  template <class Position>
  MASS_FN Resource<Member> at(const Space<dimensions>& space, const Position& position) const {
    const auto first = first_.coordinates<dimensions>();
    const auto place = detail::placeInBlock(space, position, first, block());
    Offset<dimensions> offset{};
    for (int axis = 0; axis < dimensions; ++axis)
      offset[axis] = static_cast<int>(place[axis] - first[axis]);
    return (*this)(offset);
  }

 private:
  void checkBlock(const Offset<dimensions>& offset) const {
    const auto extent = block();
    for (int axis = 0; axis < dimensions; ++axis)
      if (offset[axis] < 0 || offset[axis] >= extent[axis])
        detail::failBlock(detail::typeName<P>(), dimensions, offset.values, extent.values);
  }

  const detail::ResourceView* view_;
  detail::WorldPosition first_;
};

}  // namespace mass
