#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/random/philox.hpp>
#include <mass/rules/agent.hpp>
#include <mass/rules/storing.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/space.hpp>

#include <cstdint>
#include <limits>
#include <string_view>

namespace mass {
namespace detail {

[[noreturn]] void failTravel(std::string_view agent, std::uint64_t id, int dimensions,
                             const std::int64_t* from, const int* offset, int travel);
[[noreturn]] void failPlace(std::string_view agent, std::uint64_t id, int dimensions,
                            const std::int64_t* place);
[[noreturn]] void failOffspring(std::string_view agent, std::uint64_t id, int offspring);

}  // namespace detail

/// What an agent of class A wants the next manageAll to do with it, and who it is.
template <class A>
class Intent : public Here<A::Home::dimensions> {
 public:
  static constexpr int dimensions = A::Home::dimensions;

  MASS_FN Intent(const detail::AgentLaunch& launch, void* const* children, std::int64_t agent,
                 std::int64_t row, std::int64_t line, std::int64_t column)
      : Here<dimensions>(launch.places, row, line, column, {launch.agents.ids[agent], firstStream}),
        launch_(&launch),
        children_(children),
        agent_(agent),
        target_(launch.targets[agent]) {}
  Intent(const Intent&) = delete;  // what a copy is told would be lost
  Intent& operator=(const Intent&) = delete;

  /// This agent's identity, which no other has or will have.
  MASS_FN std::uint64_t id() const { return launch_->agents.ids[agent_]; }

  /// To move to the place at an offset, unless it is full then; instead of where it wanted to move
  /// before. Returns false, and it stays, where the world has ended.
  /// @throws UsageError when a component exceeds A::travel.
  MASS_FN bool move(Offset<dimensions> offset) {
    const std::int64_t place = placeAt(offset);
    want(place == this->index() ? detail::targetStay : place);
    return place >= 0;
  }
  /// To move to a place of the world.
  /// @throws UsageError when there is no such place, or it is further away than A::travel along an
  /// axis, the shorter way round.
  MASS_FN void moveTo(const Coordinates<dimensions>& place) {
    if constexpr (onGpu) {
      if (!isPlace(place) || !isNear(wayTo(place))) return want(detail::targetInvalid);
    } else {
      require(place);
    }
    const std::int64_t index = indexOf<dimensions>(place, this->shape());
    want(index == this->index() ? detail::targetStay : index);
  }
  /// To move to a place drawn at random of all in the world that have room. No place is drawn by
  /// two agents; when there are more agents than places, some of them stay. manageAll then takes a
  /// pass over all places, and each device lists the free places of all. For agents of limited
  /// capacity with `travel = mass::anywhere` and `seeksFreePlaces = true`.
  MASS_FN void moveToFree() {
    static_assert(A::seeksFreePlaces && A::travel == anywhere && A::capacity > 0,
                  "agents that move to free places have a capacity, travel = mass::anywhere and "
                  "static constexpr bool seeksFreePlaces = true");
    want(detail::seeks);
  }
  /// To stay, if it wanted to move.
  MASS_FN void stay() { want(detail::targetStay); }
  /// To die.
  MASS_FN void kill() { want(detail::targetDie); }
  /// To have a child on the place at an offset, unless it is full then. Returns false, and there
  /// will be none, where the world has ended.
  /// @throws UsageError when a component exceeds A::travel or there are more than A::offspring.
  MASS_FN bool spawn(const A& child, Offset<dimensions> offset = {}) {
    static_assert(0 < A::offspring && A::offspring <= 255,
                  "agents with children say how many, at most 255: static constexpr int offspring");
    std::uint8_t& births = launch_->births[agent_];
    const std::int64_t place = births < A::offspring ? placeAt(offset) : detail::targetInvalid;
    if constexpr (onGpu) {
      if (place == detail::targetInvalid) want(detail::targetInvalid);
    } else {
      if (place == detail::targetInvalid)
        detail::failOffspring(detail::typeName<A>(), id(), A::offspring);
    }
    if (place < 0) return false;
    const std::int64_t slot = agent_ * A::offspring + births++;
    detail::storePlace<A, detail::AllAttributes>(children_, static_cast<Index>(slot), child);
    launch_->birthplaces[slot] = place;
    return true;
  }

  /// For the kernel: what is to be kept until manageAll.
  MASS_FN std::int64_t target() const { return target_; }

 private:
  /// What is wanted last counts; but who dies wants nothing more, and an error stays one.
  MASS_FN void want(std::int64_t what) {
    if (what == detail::targetInvalid ||
        (target_ != detail::targetDie && target_ != detail::targetInvalid))
      target_ = what;
  }
  /// The number of a place in the world; `stays` where the world has ended, and `errs`, on a GPU,
  /// beyond the travel.
  MASS_FN std::int64_t placeAt(Offset<dimensions> offset) const {
    const detail::Domain& domain = this->launch().domain;
    Coordinates<dimensions> place = this->coordinates();
    if constexpr (onGpu) {
      if (!isNear(offset)) return detail::targetInvalid;
    } else {
      if (!isNear(offset)) {
        detail::failTravel(detail::typeName<A>(), id(), dimensions, place.values, offset.values,
                           A::travel);
      }
    }
    for (int axis = 0; axis < dimensions; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const bool periodic = domain.borders[a] == Border::periodic;
      place[axis] = sourceOf(place[axis] + offset[axis], domain.shape[a],
                             periodic ? Border::periodic : Border::fixed);
      if (place[axis] < 0) return detail::targetStay;
    }
    return indexOf<dimensions>(place, this->shape());
  }

  MASS_FN bool isPlace(const Coordinates<dimensions>& place) const {
    for (int axis = 0; axis < dimensions; ++axis) {
      if (place[axis] < 0 || place[axis] >= this->shape()[axis]) return false;
    }
    return true;
  }
  MASS_FN static bool isNear(const Offset<dimensions>& way) {
    for (int axis = 0; axis < dimensions && A::travel != anywhere; ++axis) {
      if (way[axis] < -A::travel || way[axis] > A::travel) return false;
    }
    return true;
  }
  /// The way to a place of the world, the shorter one along axes that go round.
  MASS_FN Offset<dimensions> wayTo(const Coordinates<dimensions>& place) const {
    const detail::Domain& domain = this->launch().domain;
    const Coordinates<dimensions> here = this->coordinates();
    Offset<dimensions> way{};
    for (int axis = 0; axis < dimensions; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t distance = domain.borders[a] == Border::periodic
                                        ? wayAround(here[axis], place[axis], domain.shape[a])
                                        : place[axis] - here[axis];
      constexpr std::int64_t most = std::numeric_limits<int>::max();
      way[axis] = static_cast<int>(distance < -most ? -most : distance > most ? most : distance);
    }
    return way;
  }
  void require(const Coordinates<dimensions>& place) const {
    if (!isPlace(place)) {
      detail::failPlace(detail::typeName<A>(), id(), dimensions, place.values);
    }
    const Offset<dimensions> way = wayTo(place);
    if (!isNear(way)) {
      detail::failTravel(detail::typeName<A>(), id(), dimensions, this->coordinates().values,
                         way.values, A::travel);
    }
  }

  /// Random numbers that the rule takes from a Neighborhood come before.
  static constexpr std::uint32_t firstStream = 128;

  const detail::AgentLaunch* launch_;
  void* const* children_;  ///< by component
  std::int64_t agent_;
  std::int64_t target_;
};

}  // namespace mass
