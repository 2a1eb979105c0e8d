#pragma once

#include <mass/memory/agent_launch.hpp>
#include <mass/model/near_agents.hpp>
#include <mass/model/neighborhood.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>

#include <algorithm>
#include <cstdint>

namespace mass {
namespace detail {

/// The agents of class A on one device, as a kernel is given them: with all addresses in itself.
template <class A>
struct AgentsHere {
  Bins bins;
  const void* components[componentRoom<A>];
  const std::uint64_t* ids;
  const std::int32_t* first;

  explicit AgentsHere(const AgentView& view) : bins(view.bins), ids(view.ids), first(view.first) {
    std::copy_n(view.components, Slots<A>::components, components);
  }
};

}  // namespace detail

template <class A>
class Neighbors;

/// The agents of class A on one place, in the order of their identities, as they were before the
/// call. Each is a value; attributes that are not used are not loaded.
template <class A>
class Residents {
 public:
  /// Gives the agents one after the other.
  class Iterator {
   public:
    MASS_FN Iterator(const Residents& residents, std::int64_t number)
        : residents_(&residents), number_(number) {}
    MASS_FN A operator*() const { return (*residents_)[number_]; }
    MASS_FN Iterator& operator++() {
      ++number_;
      return *this;
    }
    MASS_FN friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.number_ == b.number_;
    }

   private:
    const Residents* residents_;
    std::int64_t number_;
  };

  MASS_FN Residents(const detail::AgentsHere<A>& view, std::int64_t bin) : view_(&view) {
    if (bin < 0) return;  // a place outside the world
    begin_ = view.first[bin];
    end_ = view.first[bin + 1];
  }

  MASS_FN std::int64_t size() const { return end_ - begin_; }
  MASS_FN bool empty() const { return begin_ == end_; }
  /// The agent number i, 0 <= i < size().
  MASS_FN A operator[](std::int64_t i) const {
    return detail::loadPlace<A>(view_->components, static_cast<Index>(begin_ + i));
  }
  MASS_FN std::uint64_t id(std::int64_t i) const { return view_->ids[begin_ + i]; }
  MASS_FN Iterator begin() const { return {*this, 0}; }
  MASS_FN Iterator end() const { return {*this, size()}; }

 private:
  friend class Neighbors<A>;

  const detail::AgentsHere<A>* view_;
  std::int32_t begin_ = 0, end_ = 0;
};

/// The agents of class A on the places around one, as they were before the call.
template <class A>
class Neighbors {
 public:
  static constexpr int dimensions = A::Home::dimensions;

  /// `self` is the number of the agent whose neighbours these are, or -1.
  MASS_FN Neighbors(const detail::AgentsHere<A>& view, std::int64_t row, std::int64_t line,
                    std::int64_t column, std::int64_t self)
      : view_(&view),
        row_(row),
        line_(line),
        column_(column),
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
  /// places along every axis as the radius needs, which may not exceed A::reach (checked builds
  /// throw UsageError).
  template <auto Position, class Point, class Visitor>
  MASS_FN void within(const Space<dimensions>& space, const Point& position, float radius,
                      Visitor&& visit) const {
    const auto box = space.binsWithin(radius);
    if constexpr (checked) {
      checkReach(box.first);
      checkReach(box.last);
    }
    // Most are far from where the world goes round, and shorter done.
    if (space.isStraight(coordinates(), box)) {
      visitBox<Position>(box, position, radius * radius, visit,
                         [](const auto& from, const auto& to) {
                           return Space<dimensions>::straightWay(from, to);
                         });
    } else {
      visitBox<Position>(box, position, radius * radius, visit,
                         [&](const auto& from, const auto& to) { return space.way(from, to); });
    }
  }

 private:
  MASS_FN Coordinates<dimensions> coordinates() const {
    const std::int64_t row = row_ + view_->bins.firstRow;
    if constexpr (dimensions == 1) return {row};
    if constexpr (dimensions == 2) return {row, column_};
    if constexpr (dimensions == 3) return {row, line_, column_};
  }
  /// Calls visit for the agents of a box that are near enough.
  template <auto Position, class Box, class Point, class Visitor, class WayOf>
  MASS_FN void visitBox(const Box& box, const Point& position, float squared, Visitor& visit,
                        const WayOf& wayOf) const {
    const auto load = [&](std::int32_t agent) {
      return detail::loadPlace<A>(view_->components, static_cast<Index>(agent));
    };
    const auto excess = [&](const A& other) {
      return wayOf(position, other.*Position).squared - squared;
    };
    const auto meet = [&](const A& other) { visit(other, wayOf(position, other.*Position)); };
    const auto forEachPart = [&](const auto& visitPart) {
      forEachLine<0>(box, {},
                     [&](const Offset<dimensions>& line) { forEachStretch(box, line, visitPart); });
    };
    if constexpr (onGpu) {
      detail::NearAgents room[detail::NearList::most];
      detail::NearList near(room);
      forEachPart([&](std::int32_t begin, std::int32_t end) {
        for (; begin < end; begin += 32) {
          const std::int32_t stop = end - begin < 32 ? end : begin + 32;
          near.lookAt(begin, stop, self_, load, excess);
          if (near.isFull()) near.visitAll(load, meet);
        }
      });
      near.visitAll(load, meet);
    } else {
      // Those found are collected first: whether one is near enough is a branch that processors
      // guess wrongly, so there is none.
      constexpr int most = 64;
      std::int32_t found[most];
      int size = 0;
      const auto visitAll = [&] {
        for (int k = 0; k < size; ++k) meet(load(found[k]));
        size = 0;
      };
      forEachPart([&](std::int32_t begin, std::int32_t end) {
        for (; begin < end; ++begin) {
          found[size] = begin;
          size += static_cast<int>(excess(load(begin)) < 0) & static_cast<int>(begin != self_);
          if (size == most) visitAll();
        }
      });
      visitAll();
    }
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
  /// a world of one axis, whose ghosts lie elsewhere.
  template <class Box, class Visitor>
  MASS_FN void forEachStretch(const Box& box, Offset<dimensions> offset,
                              const Visitor& visit) const {
    constexpr int axis = dimensions - 1;
    if constexpr (dimensions == 1) {
      for (offset[0] = box.first[0]; offset[0] <= box.last[0]; ++offset[0]) {
        const Residents<A> there = (*this)(offset);
        visit(there.begin_, there.end_);
      }
    } else {
      const Bins& bins = view_->bins;
      const std::int64_t line =
          bins.at(row_ + offset[0], dimensions == 3 ? line_ + offset[dimensions - 2] : 0, 0);
      if (line < 0) return;
      const std::int64_t left = column_ + box.first[axis], right = column_ + box.last[axis];
      const std::int64_t end = bins.columns - 1;
      const bool wraps = bins.columnsWrap && (left < 0 || right > end);
      for (int part = 0; part < (wraps ? 2 : 1); ++part) {
        std::int64_t first = left > 0 ? left : 0, last = right < end ? right : end;
        if (wraps && part == 0) first = left < 0 ? left + bins.columns : left, last = end;
        if (wraps && part == 1) first = 0, last = left < 0 ? right : right - bins.columns;
        visit(view_->first[line + first], view_->first[line + last + 1]);
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

  const detail::AgentsHere<A>* view_;
  std::int64_t row_, line_, column_;
  std::int32_t self_;
};

}  // namespace mass
