#pragma once

#include <mass/rules/tallies.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

namespace mass {

template <class A>
class Residents;
template <class A>
class FinerResidents;
template <class A>
class CoarserResidents;
template <int D>
struct Space;
namespace detail {

/// Neighbours that the rules of a class of places read.
enum class Reads {
  box,       ///< all within the reach along each axis
  alongAxes  ///< neighbours at offsets with at most one component other than 0
};
}  // namespace detail

/// Declares rules that read along the axes only; see Place::reads.
inline constexpr auto alongAxes = detail::Reads::alongAxes;

/// Base class of the places of a model: cells of a grid of D dimensions. The data members of the
/// derived class are the attributes of a place (listed in `Attributes`); its member functions are
/// the rules:
///
///     class Life : public mass::Place<2> {
///      public:
///       bool alive = false;
///       using Attributes = mass::Attributes<&Life::alive>;
///       MASS_FN void nextGeneration(const mass::Neighborhood<Life>& near);
///     };
///
/// A changing rule `void f(...)` may write the attributes of its own place only. A reading rule
/// `T f(...) const` returns a value for reduce and map. A scattering rule `void f(...) const` has a
/// parameter `const Scatter<P>&`. The result of a rule must depend on nothing but its place, its
/// parameters and attributes of neighbours. Parameters of a rule, in any order:
/// - `const Here<D>&`: place and step of the call, random numbers;
/// - `const Neighborhood<P>&`: also the neighbours, with their attributes as before the call;
/// - `const Streaming<P>&`: place and step; the streamed attributes are pulled before the call;
/// - `const Neighbors<A>&`, `const Residents<A>&`: agents of class A on the places around, or on
///   this place; the argument of callAll is an `Agents<A>`;
/// - `const FinerResidents<A>&`, `const CoarserResidents<A>&`: agents of class A on finer or
/// coarser
///   places; likewise;
/// - `const Field<Q>&`, `const FinerField<Q>&`, `const CoarserField<Q>&`: other places; the
///   argument of callAll is a `Places<Q>`;
/// - `const Births<A, n>&` (changing rules only): creates agents of class A on this place; the
///   argument of callAll is an `Agents<A>`;
/// - `const Scatter<P>&`, `Element`: see Scatter;
/// - `const Shared<T>&` and values: further arguments of callAll.
/// @tparam D dimensions of the world, 1 to 3
template <int D>
class Place {
 public:
  static constexpr int dimensions = D;  ///< Dimensions of the world.
  /// Maximum distance at which rules read neighbours, in places along each axis. A derived class
  /// declares its own `static constexpr int reach` to change it.
  static constexpr int reach = 1;
  /// Neighbours that rules read by offsets. A derived class with a star-shaped stencil declares
  /// `static constexpr auto reads = mass::alongAxes`, by which kernels of GPUs in 3-D worlds need
  /// less memory of a block. It does not change results.
  static constexpr auto reads = detail::Reads::box;
  // A derived class whose attributes are not all whole numbers declares `static constexpr bool
  // sameBitsOnGpus = true` if its rules yield the same bits on processors and GPUs, so that a run
  // may use both (`ranks.cpu`): they call no functions of the mathematics library but sqrt, and are
  // compiled without CONTRACT. One of whole numbers declares it false if they use such functions.

  /// For the library: the rule by which Agents::deposit changes places.
  template <class A, class Deposits>
  MASS_FN void receive(const Residents<A>& here, Deposits deposits);
  /// For the library: the rule by which Agents::depositOnCoarser changes places.
  template <class A, class Deposits>
  MASS_FN void receiveFromFiner(const FinerResidents<A>& below, Deposits deposits);
  /// For the library: the rule by which Agents::depositOnFiner changes places.
  template <class A, class Deposits>
  MASS_FN void receiveFromCoarser(const CoarserResidents<A>& above, const Space<D>& space,
                                  Deposits deposits);
  /// For the library: the rule by which Simulation::observe makes histograms of places.
  template <class Tag, std::size_t N>
  MASS_FN int binOf(detail::BinEdges<Tag, N> edges) const;
  /// For the library: the rule by which it reduces members of places.
  template <class Numbers>
  MASS_FN detail::Values<Numbers::count> numbers(Numbers names) const;
};

}  // namespace mass
