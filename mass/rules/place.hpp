#pragma once

#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

namespace mass {

template <class A>
class Residents;
namespace detail {
template <class From, class To>
struct Deposit;
}

/// A cell of a grid of D dimensions. A model derives its own class from it; the class's data
/// members are the place's attributes (listed in `Attributes`), its member functions the rules:
///
///     class Life : public mass::Place<2> {
///      public:
///       bool alive = false;
///       using Attributes = mass::Attributes<&Life::alive>;
///       MASS_FN void nextGeneration(const mass::Neighborhood<Life>& near);
///     };
///
/// A rule `void f(const Neighborhood<P>&, args...)` reads its neighbours as they were before the
/// call and changes itself; `void f(args...)` or `void f(const Here<D>&, args...)` changes itself
/// only; a const function returns a value for `reduce` and `map`. A class that reads further than 1
/// place says so: `static constexpr int reach`. A rule must depend on nothing but its place,
/// neighbours, index, step and arguments.
template <int D>
class Place {
 public:
  static constexpr int dimensions = D;
  static constexpr int reach = 1;

  /// The rule by which Agents::deposit changes places.
  template <class A, class From, class To>
  MASS_FN void receive(const Residents<A>& here, detail::Deposit<From, To>);
};

}  // namespace mass
