#pragma once

#include <mass/launch/launch.hpp>
#include <mass/random/philox.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

#include <cstdint>
#include <type_traits>

namespace mass {

namespace detail {

/// Owner of the random numbers of a rule: the place, or the agent with identity `id`.
struct RandomOwner {
  static constexpr std::uint64_t place = ~std::uint64_t{0};  ///< Value of `id` for the place.

  std::uint64_t id = place;
  std::uint32_t firstStream = 0;  ///< Stream of the first generator.
};

struct LocalPosition;

/// Records that a rule depends on more than the states of places and its arguments: it has called a
/// function of Here, or a run-time neighbour. A rule is proved to do without them by a call with a
/// flag; kernels have none, and compilers remove the test.
class HereUse {
 public:
  /// @param flag is set by note(); may be null
  MASS_FN constexpr HereUse(bool* flag = nullptr) : flag_(flag) {}
  MASS_FN void note() const {
    if (flag_ != nullptr) *flag_ = true;
  }

 private:
  bool* flag_;
};
/// Takes the place of HereUse on GPUs, without memory. A base class of Here: nvcc 13.0 fails if an
/// empty member precedes those of Neighborhood.
struct NoHereUse {
  MASS_FN constexpr NoHereUse(bool* /*flag*/ = nullptr) {}
  MASS_FN void note() const {}
};
using HereUseOnDevice = std::conditional_t<onGpu, NoHereUse, HereUse>;

}  // namespace detail

/// Place and step for which a rule is called, and its random numbers. Parameter `const Here<D>&` of
/// rules of places; base class of Neighborhood, Streaming and Intent.
/// @tparam D dimensions of the world, 1 to 3
template <int D>
class Here : detail::HereUseOnDevice {
 public:
  /// For kernels: the place at a position of the device's band.
  /// @param later steps after that of the launch @param use records calls of the other functions
  MASS_FN Here(const detail::Launch& launch, std::int64_t row, std::int64_t line,
               std::int64_t column, detail::RandomOwner owner = {}, std::uint64_t later = 0,
               detail::HereUseOnDevice use = {})
      : detail::HereUseOnDevice(use),
        launch_(&launch),
        row_(row),
        line_(line),
        column_(column),
        owner_(owner.id),
        later_(later),
        nextStream_(owner.firstStream) {}

  /// Number of places of the whole world along each axis.
  MASS_FN Shape<D> shape() const {
    this->note();
    Shape<D> shape{};
    for (int axis = 0; axis < D; ++axis)
      shape[axis] = launch_->domain.shape[static_cast<std::size_t>(axis)];
    return shape;
  }
  /// Position of this place in the whole world, 0 <= coordinates()[axis] < shape()[axis].
  MASS_FN Coordinates<D> coordinates() const {
    this->note();
    if constexpr (D == 1) return {row_ + launch_->firstRow + column_};
    if constexpr (D == 2) return {row_ + launch_->firstRow, column_};
    if constexpr (D == 3) {
      return {row_ + launch_->firstRow, line_ + launch_->firstLine, column_ + launch_->firstColumn};
    }
  }
  /// True if this is the first (`end` 0) or last (`end` 1) place of an axis with Border::fixed.
  MASS_FN bool isAtFixedEnd(int axis, int end) const {
    this->note();
    const std::int64_t own = axis == 0 ? row_ : axis == D - 1 ? column_ : line_;
    return static_cast<Index>(own) == static_cast<Index>(launch_->ends.of[axis][end]);
  }
  /// Row-major index of this place in the whole world; independent of the number of devices.
  MASS_FN std::int64_t index() const {
    this->note();
    const std::int64_t row = row_ + launch_->firstRow;
    if constexpr (D == 3) {
      const std::int64_t line = line_ + launch_->firstLine;
      const std::int64_t column = column_ + launch_->firstColumn;
      return (row * launch_->domain.shape[1] + line) * launch_->domain.shape[2] + column;
    }
    return row * launch_->layout.columns + column_;
  }
  /// Number of the step, from 0: Places::step() before this application of the rule; in a rule of
  /// agents, Agents::step().
  MASS_FN std::uint64_t step() const {
    this->note();
    return launch_->now() + later_;
  }
  /// Returns a generator of random numbers for this place (in a rule of agents: for this agent) and
  /// step. Each call within a rule returns a new, independent generator. A changing rule and the
  /// reading rules of the same step have different generators; all reading rules (reduce, map) of a
  /// step have the same ones.
  /// @pre at most 256 calls in a rule of places, 128 in a rule of agents
  MASS_FN Random random() const {
    return Random(detail::RandomKey{.seed = launch_->seed,
                                    .index = owner_ == detail::RandomOwner::place
                                                 ? static_cast<std::uint64_t>(index())
                                                 : owner_,
                                    .step = step(),
                                    .call = launch_->call,
                                    .population = launch_->population,
                                    .stream = nextStream_++});
  }
  /// Returns a generator of random numbers that depends on this place, `step` and `stream`, and not
  /// on the rule: all rules of these places get the same one. In a rule of agents, all agents of
  /// the place get the same one.
  /// @param step any count of the caller, 0 <= step < 2^40
  /// @param stream 0 <= stream < 2^15
  MASS_FN Random random(std::uint64_t step, std::uint32_t stream) const {
    constexpr std::uint32_t firstCall = 2;  // calls 0 and 1 are those of changing and reading rules
    return Random(detail::RandomKey{.seed = launch_->seed,
                                    .index = static_cast<std::uint64_t>(index()),
                                    .step = step,
                                    .call = firstCall + (stream >> 8),
                                    .population = launch_->population,
                                    .stream = stream & 0xffU});
  }

 protected:
  /// Launch of the kernel that calls the rule.
  MASS_FN const detail::Launch& launch() const { return *launch_; }
  /// Records a call that depends on more than the states of places.
  MASS_FN void noteUse() const { this->note(); }

 private:
  friend struct detail::LocalPosition;

  const detail::Launch* launch_;
  std::int64_t row_, line_, column_;
  std::uint64_t owner_;
  std::uint64_t later_;
  mutable std::uint32_t nextStream_;
};

namespace detail {

/// Position of a rule's call in the local numbering of its device.
struct LocalPosition {
  int device;
  std::int64_t firstRow;  ///< global number of row 0
  std::int64_t row, line, column;

  template <int D>
  MASS_FN static LocalPosition of(const Here<D>& here) {
    // The column of a node is no position: see columnOfRow().
    return {here.launch_->device, here.launch_->firstRow, here.row_, here.line_,
            D == 1 ? 0 : here.column_};
  }
  /// Returns the links of all nodes of the device.
  template <int D>
  MASS_FN static const LinksView& linksOf(const Here<D>& here) {
    return here.launch_->links;
  }
};

}  // namespace detail
}  // namespace mass
