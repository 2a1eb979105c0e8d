#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/rules/lane_group.hpp>
#include <mass/rules/radius_search.hpp>
#include <mass/rules/residents.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>

#include <cstdint>

namespace mass {

template <class A>
class NeighborSums;

/// The agents of class A on the places around one, as they were before the call.
template <class A>
class Neighbors {
 public:
  static constexpr int dimensions = A::Home::dimensions;

  /// `self` is the number of the agent whose neighbours these are, or -1.
  MASS_FN Neighbors(const detail::TypedAgentView<A>& view, std::int64_t row, std::int64_t line,
                    std::int64_t column, std::int64_t self)
      : view_(&view),
        row_(static_cast<std::int32_t>(row)),
        line_(static_cast<std::int32_t>(line)),
        column_(static_cast<std::int32_t>(column)),
        self_(static_cast<std::int32_t>(self)) {}

  /// Those of the place at an offset along every axis; none where the world has ended. No component
  /// may exceed A::reach (checked builds throw UsageError).
  template <class... Steps>
  requires(sizeof...(Steps) == dimensions) MASS_FN Residents<A>
  operator()(Steps... steps) const {
    return (*this)(Offset<dimensions>{static_cast<int>(steps)...});
  }
  MASS_FN Residents<A> operator()(Offset<dimensions> offset) const {
    if constexpr (checked) checkReach(offset);
    if constexpr (dimensions == 1) return {*view_, view_->bins.at(row_ + offset[0], 0, 0)};
    if constexpr (dimensions == 2) {
      return {*view_, view_->bins.at(row_ + offset[0], 0, column_ + offset[1])};
    }
    if constexpr (dimensions == 3) {
      return {*view_, view_->bins.at(row_ + offset[0], line_ + offset[1], column_ + offset[2])};
    }
  }

  /// Calls visit(const A& other, const Way<dimensions>& way) for every agent, but for the one whose
  /// rule this is, that is nearer than `radius` to a position in this place: place by place in
  /// row-major order, in each in the order of identities, none twice. `Position` is the attribute
  /// with an agent's position, by which it is in its place; `way` leads to it. Looks at as many
  /// places along every axis as the radius needs, which may not exceed A::reach.
  /// @throws UsageError when it does; on GPUs, where nothing is visited then, what asks for any
  /// agents next throws it.
  template <auto Position, class Point, class Visitor>
  MASS_FN void within(const Space<dimensions>& space, const Point& position, float radius,
                      Visitor&& visit) const {
    search<Position>(space, position, radius, visit, {});
  }

 private:
  friend class NeighborSums<A>;

  /// Visits this lane's of the agents that are near enough.
  template <auto Position, class Point, class Visitor>
  MASS_FN void search(const Space<dimensions>& space, const Point& position, float radius,
                      const Visitor& visit, detail::LaneGroup lane) const {
    const auto box = space.binsWithin(radius);
    if (!isInReach(box)) return;
    // Most are far from where the world goes round, and shorter done.
    if (space.isStraight(coordinates(), box)) {
      searchBox<Position, true>(box, radius, visit, lane, [&](const auto& to) {
        return Space<dimensions>::straightWay(position, to);
      });
    } else {
      searchBox<Position, false>(box, radius, visit, lane,
                                 [&](const auto& to) { return space.way(position, to); });
    }
  }
  template <auto Position, bool Straight, class Box, class Visitor, class WayTo>
  MASS_FN void searchBox(const Box& box, float radius, const Visitor& visit, detail::LaneGroup lane,
                         const WayTo& wayTo) const {
    const detail::RadiusQuery<A, Position, WayTo, Visitor> query{view_->components, self_,
                                                                 radius * radius, wayTo, visit};
    using Visiting = detail::Visiting<dimensions>;
    typename Visiting::Room room;
    Visiting visiting(room, lane);
    forEachLine<0>(box, {}, [&](const Offset<dimensions>& line) {
      forEachStretch<Straight>(box, line, [&](std::int32_t begin, std::int32_t end) {
        if (begin < end) visiting.lookAt(begin, end, query);
      });
    });
    visiting.finish(query);
  }
  MASS_FN Coordinates<dimensions> coordinates() const {
    const std::int64_t row = row_ + view_->bins.firstRow;
    if constexpr (dimensions == 1) return {row};
    if constexpr (dimensions == 2) return {row, column_};
    if constexpr (dimensions == 3) return {row, line_, column_};
  }
  /// Calls visit(offset) for the lines of a box, which are along the last axis.
  template <int Axis, class Box, class Visitor>
  MASS_FN static void forEachLine(const Box& box, Offset<dimensions> offset, const Visitor& visit) {
    if constexpr (Axis == dimensions - 1) {
      visit(offset);
    } else {
      for (offset[Axis] = box.first[Axis]; offset[Axis] <= box.last[Axis]; ++offset[Axis]) {
        forEachLine<Axis + 1>(box, offset, visit);
      }
    }
  }
  /// Calls visit(begin, end) for the agents of a line of places. Those of places beside each other
  /// follow each other, so this is once, or twice where the line goes round; but for each place in
  /// a world of one axis, whose ghosts lie elsewhere. `Straight` is a box that goes round nowhere.
  template <bool Straight, class Box, class Visitor>
  MASS_FN void forEachStretch(const Box& box, Offset<dimensions> offset,
                              const Visitor& visit) const {
    constexpr int axis = dimensions - 1;
    if constexpr (dimensions == 1) {
      for (offset[0] = box.first[0]; offset[0] <= box.last[0]; ++offset[0]) {
        const Residents<A> there = (*this)(offset);
        visit(there.begin_, there.end_);
      }
    } else {
      const std::int32_t line = lineAt<Straight>(offset);
      if (line < 0) return;
      const auto columns = static_cast<std::int32_t>(view_->bins.columns);
      const std::int32_t left = column_ + box.first[axis], right = column_ + box.last[axis];
      const bool goesRound = !Straight && view_->bins.columnsWrap && (left < 0 || right >= columns);
      for (int part = 0; part < (goesRound ? 2 : 1); ++part) {
        std::int32_t first = left > 0 ? left : 0, last = right < columns ? right : columns - 1;
        if (goesRound && part == 0) first = left < 0 ? left + columns : left, last = columns - 1;
        if (goesRound && part == 1) first = 0, last = left < 0 ? right : right - columns;
        visit(view_->first[line + first], view_->first[line + last + 1]);
      }
    }
  }
  /// The bin in column 0 of the line at an offset, or -1.
  template <bool Straight>
  MASS_FN std::int32_t lineAt(const Offset<dimensions>& offset) const {
    const detail::BinIndexing& bins = view_->bins;
    const std::int32_t row = row_ + offset[0];
    const std::int32_t line = dimensions == 3 ? line_ + offset[dimensions - 2] : 0;
    if constexpr (!Straight) return static_cast<std::int32_t>(bins.at(row, line, 0));
    const auto rows = static_cast<std::int32_t>(bins.rows);
    const auto depth = static_cast<std::int32_t>(bins.depth);
    const auto lines = static_cast<std::int32_t>(bins.lines);
    if (row < -depth || row >= rows + depth || line < 0 || line >= lines) return -1;
    const std::int32_t place = row >= 0 ? row : row + rows + 2 * depth;
    return (place * lines + line) * static_cast<std::int32_t>(bins.columns);
  }
  /// Whether a rule may look at all places of a box. Where it may not, it throws, or tells the
  /// host.
  template <class Box>
  MASS_FN bool isInReach(const Box& box) const {
    int far = 0;
    for (int axis = 0; axis < dimensions; ++axis) {
      if (far < -box.first[axis]) far = -box.first[axis];
      if (far < box.last[axis]) far = box.last[axis];
    }
    if (far <= A::reach) return true;
    if constexpr (onGpu) {
      *view_->farthest = far;
    } else {
      checkReach(box.first);
      checkReach(box.last);
    }
    return false;
  }
  void checkReach(Offset<dimensions> offset) const {
    for (int axis = 0; axis < dimensions; ++axis) {
      if (offset[axis] < -A::reach || offset[axis] > A::reach) {
        detail::failReach(detail::typeName<A>(), dimensions, coordinates().values, offset.values,
                          A::reach);
      }
    }
  }

  const detail::TypedAgentView<A>* view_;
  std::int32_t row_, line_, column_, self_;
};

/// Sums over the agents of class A on the places around one, as they were before the call: what a
/// rule of agents takes in place of Neighbors<A> if all that it does with others is to add
/// something up. In a world of one or two axes, several threads of a GPU then share the others of
/// one agent, if there are few agents.
template <class A>
class NeighborSums {
 public:
  static constexpr int dimensions = A::Home::dimensions;

  MASS_FN NeighborSums(const Neighbors<A>& neighbors, detail::LaneGroup lane)
      : neighbors_(neighbors), lane_(lane) {}

  /// Calls add(Sum& sum, const A& other, const Way<dimensions>& way) for those that
  /// Neighbors::within visits, and returns the sum, which begins as Sum{}. On a GPU there may be
  /// several, in the end added up with `+=`: which ones depends on how many agents there have ever
  /// been, so it is the same on any number of GPUs, but sums of floats may be rounded otherwise on
  /// CPUs. A Sum consists of numbers of 32 or 64 bits.
  template <auto Position, class Sum, class Point, class Add>
  MASS_FN Sum within(const Space<dimensions>& space, const Point& position, float radius,
                     const Add& add) const {
    Sum sum{};
    const auto visit = [&](const A& other, const Way<dimensions>& way) { add(sum, other, way); };
    neighbors_.template search<Position>(space, position, radius, visit, lane_);
    detail::reduceLanes(lane_, sum);
    return sum;
  }

 private:
  Neighbors<A> neighbors_;
  detail::LaneGroup lane_;
};

}  // namespace mass
