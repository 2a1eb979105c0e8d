#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/random/philox.hpp>
#include <mass/rules/agent.hpp>
#include <mass/rules/links.hpp>
#include <mass/rules/node.hpp>
#include <mass/rules/storing.hpp>
#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/space.hpp>

#include <cstdint>
#include <limits>
#include <string_view>

namespace mass {
namespace detail {

/// Throws the UsageError of a move or birth beyond Agent::travel. @param from, offset one number
/// per axis
[[noreturn]] MASS_EXPORT void failTravel(std::string_view agent, std::uint64_t id, int dimensions,
                                         const std::int64_t* from, const int* offset, int travel);
/// Throws the UsageError of a move to a place outside the world.
[[noreturn]] MASS_EXPORT void failPlace(std::string_view agent, std::uint64_t id, int dimensions,
                                        const std::int64_t* place);
/// Throws the UsageError of more children than Agent::offspring.
[[noreturn]] MASS_EXPORT void failOffspring(std::string_view agent, std::uint64_t id,
                                            int offspring);

}  // namespace detail

/// Identity of an agent of class A, and its requests to the next Agents::manageAll: a move or its
/// death (the last request counts, but nothing replaces kill()), and children. Parameter
/// `Intent<A>&` of changing rules of agents.
///
/// A request that breaks a limit of class A is an error: on CPUs the call throws UsageError; on
/// GPUs the next manageAll does, and later requests of the agent do not remove the error.
template <class A>
class Intent : public Here<A::Home::dimensions> {
 public:
  static constexpr int dimensions = A::Home::dimensions;  ///< Dimensions of the world.

  /// For kernels: the intent of the agent with a local index, on the place at a local position.
  MASS_FN Intent(const detail::AgentLaunch& launch, void* const* children, std::int64_t agent,
                 std::int64_t row, std::int64_t line, std::int64_t column)
      : Here<dimensions>(launch.places, row, line, column, {launch.agents.ids[agent], firstStream}),
        launch_(&launch),
        children_(children),
        agent_(agent),
        target_(launch.targets[agent]) {}
  Intent(const Intent&) = delete;  // requests to a copy would be lost
  Intent& operator=(const Intent&) = delete;

  /// Identity of the agent, unique among all agents, alive or dead, of its Agents object.
  MASS_FN std::uint64_t id() const { return launch_->agents.ids[agent_]; }

  /// Requests a move to the place at `offset`. The agent stays if manageAll does not admit it
  /// there.
  /// @param offset places along each axis, each at most A::travel in magnitude
  /// @return false if the place is outside the world, beyond a border that is not periodic; the
  /// agent then stays
  /// @throws UsageError if a component exceeds A::travel
  MASS_FN bool move(Offset<dimensions> offset) {
    requireGrid();
    const std::int64_t place = targetAt(offset);
    request(place == this->index() ? detail::targetStay : place);
    return place >= 0;
  }
  /// Requests a move to a place of the world. The agent stays if manageAll does not admit it there.
  /// @param place coordinates in the whole world
  /// @throws UsageError if the world has no such place, or if its distance exceeds A::travel along
  /// an axis; along a periodic axis the shorter distance counts
  MASS_FN void moveTo(const Coordinates<dimensions>& place) {
    requireGrid();
    if constexpr (onGpu) {
      if (!isPlace(place) || !isWithinTravel(offsetTo(place)))
        return request(detail::targetInvalid);
    } else {
      checkTarget(place);
    }
    const std::int64_t index = indexOf<dimensions>(place, this->shape());
    request(index == this->index() ? detail::targetStay : index);
  }
  /// Requests a move to the place with a position, after bringing the position back into the space
  /// (Space::confine): wrapped along periodic axes, reflected at the ends of the others.
  /// @param space space of the agent's places, see spaceOf()
  template <class Position>
  MASS_FN void moveTo(const Space<dimensions>& space, Position& position) {
    space.confine(position);
    moveTo(space.binOf(position));
  }
  /// Does so, and reverses the components of the velocity along which the position is reflected.
  template <class Position, class Velocity>
  MASS_FN void moveTo(const Space<dimensions>& space, Position& position, Velocity& velocity) {
    space.confine(position, velocity);
    moveTo(space.binOf(position));
  }
  /// Requests a move along a link of the node on which the agent is. The agent stays if manageAll
  /// does not admit it at the end. For agents on nodes; A::travel has no effect.
  /// @param k index of the link, 0 <= k < Links<A::Home>::size()
  /// @throws UsageError if k is out of range
  MASS_FN void moveAlong(int k) {
    static_assert(detail::isNode<typename A::Home>,
                  "moveAlong is for agents on the nodes of a network: use move or moveTo");
    const auto at = detail::LocalPosition::of(*this);
    const detail::LinksView& links = detail::LocalPosition::linksOf(*this);
    const std::int32_t first = links.offsets[at.row], count = links.offsets[at.row + 1] - first;
    if (k < 0 || k >= count) {
      if constexpr (onGpu) {
        return request(detail::targetInvalid);
      } else {
        detail::failLink(detail::typeName<typename A::Home>(), this->index(), k, count);
      }
    }
    const std::int64_t end = links.globalEnd(first + k);
    request(end == at.firstRow + at.row ? detail::targetStay : end);
  }
  /// Requests a move to a place drawn at random from all places of the world that have room before
  /// the moves. No two agents draw the same place. The agent stays if more agents than places take
  /// part in the draw, or if the place admits another agent that moves there. manageAll reads all
  /// places, and each device stores a list of all places with room.
  /// @pre A::capacity > 0, `travel = mass::anywhere` and `seeksFreePlaces = true`
  MASS_FN void moveToFree() {
    requireGrid();
    static_assert(A::seeksFreePlaces && A::travel == anywhere && A::capacity > 0,
                  "a class of agents with moveToFree must have a capacity above 0, "
                  "travel = mass::anywhere and static constexpr bool seeksFreePlaces = true");
    request(detail::targetAnyFree);
  }
  /// Withdraws the request to move. Does not withdraw kill().
  MASS_FN void stay() { request(detail::targetStay); }
  /// Requests the death of the agent. The children that it requests before the next manageAll are
  /// still born.
  MASS_FN void kill() { request(detail::targetDie); }
  /// Requests the birth of a child on the place at `offset`. There is no child if manageAll does
  /// not admit it there.
  /// @param child attributes of the child
  /// @param offset places along each axis, each at most A::travel in magnitude
  /// @return false if the place is outside the world; there is no child then
  /// @throws UsageError if a component exceeds A::travel or the agent requests more than
  /// A::offspring children
  MASS_FN bool spawn(const A& child, Offset<dimensions> offset = {}) {
    static_assert(!detail::isNode<typename A::Home>,
                  "agents on the nodes of a network create others by a parameter Births");
    static_assert(0 < A::offspring && A::offspring <= 255,
                  "a class of agents with children must declare their maximum number, 1 to 255: "
                  "static constexpr int offspring");
    std::uint8_t& births = launch_->births[agent_];
    const std::int64_t place = births < A::offspring ? targetAt(offset) : detail::targetInvalid;
    if constexpr (onGpu) {
      if (place == detail::targetInvalid) request(detail::targetInvalid);
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

  /// For kernels: the index of the requested place in the world, or a value of agent_view.hpp.
  MASS_FN std::int64_t target() const { return target_; }

 private:
  MASS_FN static void requireGrid() {
    static_assert(!detail::isNode<typename A::Home>,
                  "agents on the nodes of a network move along links: use moveAlong");
  }
  /// Replaces the previous request, unless that is death or an error. An error replaces all.
  MASS_FN void request(std::int64_t target) {
    if (target == detail::targetInvalid ||
        (target_ != detail::targetDie && target_ != detail::targetInvalid))
      target_ = target;
  }
  /// Returns the index in the world of the place at an offset; `targetStay` if it is outside the
  /// world; on a GPU `targetInvalid` if it is beyond A::travel.
  MASS_FN std::int64_t targetAt(Offset<dimensions> offset) const {
    const detail::Domain& domain = this->launch().domain;
    Coordinates<dimensions> place = this->coordinates();
    if constexpr (onGpu) {
      if (!isWithinTravel(offset)) return detail::targetInvalid;
    } else {
      if (!isWithinTravel(offset)) {
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
  MASS_FN static bool isWithinTravel(const Offset<dimensions>& offset) {
    for (int axis = 0; axis < dimensions && A::travel != anywhere; ++axis) {
      if (offset[axis] < -A::travel || offset[axis] > A::travel) return false;
    }
    return true;
  }
  /// Returns the offset to a place of the world, the shorter one along periodic axes. Components
  /// are clamped to the range of int.
  MASS_FN Offset<dimensions> offsetTo(const Coordinates<dimensions>& place) const {
    const detail::Domain& domain = this->launch().domain;
    const Coordinates<dimensions> here = this->coordinates();
    Offset<dimensions> offset{};
    for (int axis = 0; axis < dimensions; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t distance = domain.borders[a] == Border::periodic
                                        ? wayAround(here[axis], place[axis], domain.shape[a])
                                        : place[axis] - here[axis];
      constexpr std::int64_t limit = std::numeric_limits<int>::max();
      offset[axis] = static_cast<int>(distance < -limit  ? -limit
                                      : distance > limit ? limit
                                                         : distance);
    }
    return offset;
  }
  void checkTarget(const Coordinates<dimensions>& place) const {
    if (!isPlace(place)) {
      detail::failPlace(detail::typeName<A>(), id(), dimensions, place.values);
    }
    const Offset<dimensions> offset = offsetTo(place);
    if (!isWithinTravel(offset)) {
      detail::failTravel(detail::typeName<A>(), id(), dimensions, this->coordinates().values,
                         offset.values, A::travel);
    }
  }

  /// First stream of the generators of an Intent; those of a Neighborhood are below.
  static constexpr std::uint32_t firstStream = 128;

  const detail::AgentLaunch* launch_;
  void* const* children_;  ///< Buffers of the children, by component.
  std::int64_t agent_;     ///< Local index.
  std::int64_t target_;    ///< Requested place; a constant of agent_view.hpp if there is none.
};

}  // namespace mass
