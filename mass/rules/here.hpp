#pragma once

#include <mass/launch/launch.hpp>
#include <mass/random/philox.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

#include <cstdint>

namespace mass {

namespace detail {
/// LoadScope random numbers a rule gets: those of its place, or those of an identity.
struct RandomOwner {
  static constexpr std::uint64_t place = ~std::uint64_t{0};

  std::uint64_t id = place;
  std::uint32_t firstStream = 0;
};
}  // namespace detail

namespace detail {
struct LocalPosition;
}

/// Where and when a rule runs.
template <int D>
class Here {
 public:
  MASS_FN Here(const detail::Launch& launch, std::int64_t row, std::int64_t line,
               std::int64_t column, detail::RandomOwner owner = {})
      : launch_(&launch),
        row_(row),
        line_(line),
        column_(column),
        owner_(owner.id),
        streams_(owner.firstStream) {}

  /// Places per axis of the whole world.
  MASS_FN Shape<D> shape() const {
    Shape<D> shape{};
    for (int axis = 0; axis < D; ++axis)
      shape[axis] = launch_->domain.shape[static_cast<std::size_t>(axis)];
    return shape;
  }
  /// This place's position in the whole world.
  MASS_FN Coordinates<D> coordinates() const {
    if constexpr (D == 1) return {row_ + launch_->firstRow};
    if constexpr (D == 2) return {row_ + launch_->firstRow, column_};
    if constexpr (D == 3) return {row_ + launch_->firstRow, line_, column_};
  }
  /// Whether this is the first place of an axis (`end` 0) or the last one (1), and what is beyond
  /// is a fixed border.
  MASS_FN bool isAtFixedEnd(int axis, int end) const {
    const std::int64_t own = axis == 0 ? row_ : axis == D - 1 ? column_ : line_;
    return static_cast<Index>(own) == static_cast<Index>(launch_->ends.of[axis][end]);
  }
  /// This place's number in the whole world, row by row; the same on any number of devices.
  MASS_FN std::int64_t index() const {
    const detail::Layout& layout = launch_->layout;
    return ((row_ + launch_->firstRow) * layout.lines + line_) * layout.columns + column_;
  }
  /// How many rounds of rules these places have seen before this one.
  MASS_FN std::uint64_t step() const { return launch_->now(); }
  /// A generator for this place (in a rule of agents: for this agent) and step. Each call returns a
  /// new, independent one; rules that read and rules that change have different ones.
  MASS_FN Random random() const {
    return Random(detail::RandomKey{.seed = launch_->seed,
                                    .index = owner_ == detail::RandomOwner::place
                                                 ? static_cast<std::uint64_t>(index())
                                                 : owner_,
                                    .step = launch_->now(),
                                    .call = launch_->call,
                                    .population = launch_->population,
                                    .stream = streams_++});
  }
  /// A generator for this place that depends on a step of the caller's own count and on a number,
  /// 0 <= stream < 2^15, instead of on the call: the same in whichever rule it is asked for.
  MASS_FN Random random(std::uint64_t step, std::uint32_t stream) const {
    constexpr std::uint32_t firstCall = 2;  // after those of rules that change and that read
    return Random(detail::RandomKey{.seed = launch_->seed,
                                    .index = static_cast<std::uint64_t>(index()),
                                    .step = step,
                                    .call = firstCall + (stream >> 8),
                                    .population = launch_->population,
                                    .stream = stream & 0xffU});
  }

 protected:
  MASS_FN const detail::Launch& launch() const { return *launch_; }

 private:
  friend struct detail::LocalPosition;

  const detail::Launch* launch_;
  std::int64_t row_, line_, column_;
  std::uint64_t owner_;
  mutable std::uint32_t streams_;
};

namespace detail {

/// Where a rule runs, as its device numbers places.
struct LocalPosition {
  int device;
  std::int64_t row, line, column;

  template <int D>
  MASS_FN static LocalPosition of(const Here<D>& here) {
    // The places of a 1-D world are its rows.
    return {here.launch_->device, here.row_, here.line_, here.column_};
  }
};

}  // namespace detail
}  // namespace mass
