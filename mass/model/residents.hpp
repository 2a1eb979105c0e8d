#pragma once

#include <mass/memory/agent_launch.hpp>
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
  const detail::AgentsHere<A>* view_;
  std::int64_t begin_ = 0, end_ = 0;
};

/// The agents of class A on the places around one, as they were before the call.
template <class A>
class Neighbors {
 public:
  static constexpr int dimensions = A::Home::dimensions;

  MASS_FN Neighbors(const detail::AgentsHere<A>& view, std::int64_t row, std::int64_t line,
                    std::int64_t column)
      : view_(&view), row_(row), line_(line), column_(column) {}

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

  /// Calls visit(const A& other, const Way<dimensions>& way) for every agent, this one too, that is
  /// nearer than `radius` to a position in this place: place by place in row-major order, in each
  /// in the order of identities, none twice. `Position` is the attribute with an agent's position,
  /// by which it is in its place; `way` leads to it. Looks at as many places along every axis as
  /// the radius needs, which may not exceed A::reach (checked builds throw UsageError).
  template <auto Position, class Point, class Visitor>
  MASS_FN void within(const Space<dimensions>& space, const Point& position, float radius,
                      Visitor&& visit) const {
    space.forBinsWithin(radius, [&](Offset<dimensions> offset) {
      for (const A other : (*this)(offset)) {
        const Way<dimensions> way = space.way(position, other.*Position);
        if (way.squared < radius * radius) visit(other, way);
      }
    });
  }

 private:
  void checkReach(Offset<dimensions> offset) const {
    for (int axis = 0; axis < dimensions; ++axis) {
      if (offset[axis] < -A::reach || offset[axis] > A::reach) {
        const std::int64_t at[] = {row_ + view_->bins.firstRow, dimensions == 3 ? line_ : column_,
                                   column_};
        detail::failReach(detail::typeName<A>(), dimensions, at, offset.values, A::reach);
      }
    }
  }

  const detail::AgentsHere<A>* view_;
  std::int64_t row_, line_, column_;
};

}  // namespace mass
