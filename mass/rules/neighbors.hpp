#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/rules/lane_group.hpp>
#include <mass/rules/node.hpp>
#include <mass/rules/radius_search.hpp>
#include <mass/rules/residents.hpp>
#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>

#include <cstdint>
#include <string_view>

namespace mass {
namespace detail {

/// Throws the UsageError of an agent whose position is not in the bin of its place. @param place,
/// bin one number per axis; `bin` may be nowhere (Space::nowhere)
[[noreturn]] MASS_EXPORT void failBin(std::string_view agent, std::uint64_t id, int dimensions,
                                      const std::int64_t* place, const std::int64_t* bin);
/// Throws the UsageError of a search around a position that is not in the bin of the rule's place.
[[noreturn]] MASS_EXPORT void failSearch(std::string_view agent, int dimensions,
                                         const std::int64_t* place, const std::int64_t* bin);

}  // namespace detail

template <class A>
class NeighborSums;

/// Agents of class A on the places around a place, with their attributes as before the call.
/// Parameter `const Neighbors<A>&` of rules of places and of agents; the argument of callAll is an
/// `Agents<A>`.
template <class A>
class Neighbors {
  static_assert(!detail::isNode<typename A::Home>,
                "agents on the nodes of a network have no neighbours at offsets: use Residents");

 public:
  static constexpr int dimensions = A::Home::dimensions;  ///< Dimensions of the world.

  /// For kernels: neighbours of the place at a local position.
  /// @param self local index of the agent whose rule this is, if it is of class A; else -1
  MASS_FN Neighbors(const detail::TypedAgentView<A>& view, std::int64_t row, std::int64_t line,
                    std::int64_t column, std::int64_t self)
      : view_(&view),
        row_(static_cast<std::int32_t>(row)),
        line_(static_cast<std::int32_t>(line)),
        column_(static_cast<std::int32_t>(column)),
        self_(static_cast<std::int32_t>(self)) {}

  /// Returns the agents on the place at the offset with these components, axis 0 first. Beyond a
  /// border that is not periodic there is no agent.
  /// @pre each component is at most A::reach in magnitude
  /// @throws UsageError in checked builds otherwise
  template <class... Steps>
  requires(sizeof...(Steps) == dimensions) MASS_FN Residents<A>
  operator()(Steps... steps) const {
    return (*this)(Offset<dimensions>{static_cast<int>(steps)...});
  }
  /// Returns the agents on the place at an offset; see above.
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

  /// Calls visit(const A& other, const Way<dimensions>& way) or visit(other, way, std::uint64_t id)
  /// once for each agent nearer than `radius` to `position`, except for the agent whose rule this
  /// is. The order is that of the places (row-major), and on each place that of identities. `way`
  /// points from `position` to the position of `other`, `id` is its identity. A visitor that
  /// returns bool ends the search by false.
  /// @tparam Position pointer to member of the attribute with the position of an agent: float[D] or
  /// std::array<float, D>
  /// @param space geometry of the places (mass::spaceOf); each agent must live on the place
  /// `space.binOf(its position)`. So call manageAll after a rule that changes positions, before the
  /// rule that searches.
  /// @param position a position in the place of the call
  /// @param radius at least 0, in the unit of `space.edge`; radius / space.edge, rounded to float,
  /// is at most A::reach. The product A::reach * space.edge meets this if A::reach is a power of 2;
  /// otherwise rounding may exceed it.
  /// @throws UsageError if a place beyond A::reach can have agents nearer than `radius`. On GPUs no
  /// agent is visited then, and the next call that reads agents on the host throws. In checked
  /// builds also if `position`, or that of an agent in the search, is in the bin of another place.
  template <auto Position, class From, class Visitor>
  MASS_FN void within(const Space<dimensions>& space, const From& position, float radius,
                      Visitor&& visit) const {
    search<Position>(space, position, radius, visit, {});
  }

 private:
  friend class NeighborSums<A>;

  /// Visits the agents of this lane within the radius.
  template <auto Position, class From, class Visitor>
  MASS_FN void search(const Space<dimensions>& space, const From& position, float radius,
                      const Visitor& visit, detail::LaneGroup lane) const {
    const auto box = space.binsWithin(radius);
    if (!isInReach(box)) return;
    if constexpr (checked) checkBins<Position>(space, position, box);
    // Far from periodic borders, which is the usual case, distances need fewer operations.
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
    bool isStopped = false;
    const detail::RadiusQuery<A, Position, WayTo, Visitor> query{
        view_->components, view_->ids, self_, radius * radius, wayTo, visit, isStopped};
    using Visitors = detail::RadiusVisitor<dimensions>;
    typename Visitors::Buffer buffer;
    Visitors visitor(buffer, lane);
    forEachLine<0>(box, {}, [&](const Offset<dimensions>& line) {
      forEachAgentRange<Straight>(box, line, [&](std::int32_t begin, std::int32_t end) {
        if (begin < end && !query.isOver()) visitor.scan(begin, end, query);
      });
    });
    visitor.flush(query);
  }
  MASS_FN Coordinates<dimensions> coordinates() const {
    const std::int64_t row = row_ + view_->bins.firstRow;
    if constexpr (dimensions == 1) return {row};
    if constexpr (dimensions == 2) return {row, column_};
    if constexpr (dimensions == 3) return {row, line_, column_};
  }
  /// Calls visit(offset) for each line of a box; lines are along the last axis.
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
  /// Calls visit(begin, end) for the ranges of agents on a line of the box. Agents of neighbouring
  /// places of a line are contiguous: there is one range, or two if the line crosses a periodic
  /// border. In 1-D there is one range for each place, as ghost rows are stored separately.
  /// @tparam Straight true for a box that crosses no periodic border
  template <bool Straight, class Box, class Visitor>
  MASS_FN void forEachAgentRange(const Box& box, Offset<dimensions> offset,
                                 const Visitor& visit) const {
    constexpr int axis = dimensions - 1;
    if constexpr (dimensions == 1) {
      for (offset[0] = box.first[0]; offset[0] <= box.last[0]; ++offset[0]) {
        const Residents<A> there = (*this)(offset);
        visit(there.begin_, there.end_);
      }
    } else {
      const std::int32_t line = binOfLine<Straight>(offset);
      if (line < 0) return;
      const auto columns = static_cast<std::int32_t>(view_->bins.columns);
      const std::int32_t left = column_ + box.first[axis], right = column_ + box.last[axis];
      const bool wraps = !Straight && view_->bins.columnsWrap && (left < 0 || right >= columns);
      for (int part = 0; part < (wraps ? 2 : 1); ++part) {
        std::int32_t first = left > 0 ? left : 0, last = right < columns ? right : columns - 1;
        if (wraps && part == 0) first = left < 0 ? left + columns : left, last = columns - 1;
        if (wraps && part == 1) first = 0, last = left < 0 ? right : right - columns;
        visit(view_->first[line + first], view_->first[line + last + 1]);
      }
    }
  }
  /// Returns the bin in column 0 of the line at an offset; -1 if it is outside the world.
  template <bool Straight>
  MASS_FN std::int32_t binOfLine(const Offset<dimensions>& offset) const {
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
  /// True if the box is within A::reach. Otherwise throws UsageError on a CPU, or stores the
  /// distance for the host on a GPU.
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
  /// Checks that `position` is in this place, and each agent in the box in the bin of its position.
  template <auto Position, class From, class Box>
  void checkBins(const Space<dimensions>& space, const From& position, const Box& box) const {
    const Coordinates<dimensions> here = coordinates();
    if (const auto bin = space.binOf(position); !(bin == here)) {
      detail::failSearch(detail::typeName<A>(), dimensions, here.values, bin.values);
    }
    constexpr int axis = dimensions - 1;
    forEachLine<0>(box, {}, [&](Offset<dimensions> offset) {
      for (offset[axis] = box.first[axis]; offset[axis] <= box.last[axis]; ++offset[axis]) {
        checkResidents<Position>(space, offset);
      }
    });
  }
  /// Checks the agents on the place at an offset.
  template <auto Position>
  void checkResidents(const Space<dimensions>& space, const Offset<dimensions>& offset) const {
    const Residents<A> there = (*this)(offset);
    Coordinates<dimensions> place = coordinates();
    for (int axis = 0; axis < dimensions; ++axis) {
      place[axis] = sourceOf(place[axis] + offset[axis], space.bins[axis], Border::periodic);
    }
    for (std::int64_t i = 0; i < there.size(); ++i) {
      const A agent = there[i];
      if (const auto bin = space.binOf(agent.*Position); !(bin == place)) {
        detail::failBin(detail::typeName<A>(), there.id(i), dimensions, place.values, bin.values);
      }
    }
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

/// Sums over the agents of class A on the places around an agent, with their attributes as before
/// the call. Parameter `const NeighborSums<A>&` of rules of agents; the argument of callAll is an
/// `Agents<A>`. An alternative to Neighbors for rules that only add up values of other agents: in
/// 1-D and 2-D, several threads of a GPU share the work for one agent if there are few agents.
template <class A>
class NeighborSums {
 public:
  static constexpr int dimensions = A::Home::dimensions;  ///< Dimensions of the world.

  /// For kernels: the share of this lane.
  MASS_FN NeighborSums(const Neighbors<A>& neighbors, detail::LaneGroup lane)
      : neighbors_(neighbors), lane_(lane) {}

  /// Calls add(Sum& sum, const A& other, const Way<dimensions>& way), or the same with the identity
  /// of `other` as last argument, for the agents that Neighbors::within visits, and returns the
  /// sum, which begins as Sum{}. Threads of a GPU that
  /// share an agent have partial sums, which are combined by `+=`. The number of these threads
  /// depends only on the number of agents ever created: results are the same on each number of
  /// GPUs, but the rounding of floating-point sums may differ from that of CPUs.
  /// @tparam Position pointer to member of the attribute with the position; see Neighbors::within
  /// @tparam Sum trivially copyable class of numbers of 32 or 64 bits with `+=`
  /// @throws UsageError if Neighbors::within would
  template <auto Position, class Sum, class From, class Add>
  MASS_FN Sum within(const Space<dimensions>& space, const From& position, float radius,
                     const Add& add) const {
    Sum sum{};
    const auto visit = [&](const A& other, const Way<dimensions>& way, std::uint64_t id) {
      detail::visitWith(add, id, sum, other, way);
    };
    neighbors_.template search<Position>(space, position, radius, visit, lane_);
    detail::reduceLanes(lane_, sum);
    return sum;
  }

 private:
  Neighbors<A> neighbors_;
  detail::LaneGroup lane_;
};

}  // namespace mass
