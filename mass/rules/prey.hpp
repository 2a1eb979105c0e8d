#pragma once

#include <mass/rules/residents.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass {

/// Agents of class A that agents of another class take, each on its own place. Parameter
/// `const Prey<A>& prey` of changing rules of agents; the argument of callAll is an `Agents<A>`.
/// A taken agent dies in the next manageAll of A. The agents of a place take one after another, in
/// the order of their identities; agents with the lowest identities are taken first:
///
///     MASS_FN void hunt(const mass::Prey<Sheep>& sheep) {
///       if (sheep.take()) energy += 20;
///     }
template <class A>
class Prey {
 public:
  /// For kernels: the agents of a bin.
  MASS_FN Prey(const detail::TypedAgentView<A>& view, std::int64_t bin)
      : view_(&view), begin_(view.first[bin]), end_(view.first[bin + 1]) {}

  /// Number of agents that can be taken: they have neither been taken nor asked for death.
  MASS_FN std::int64_t left() const {
    std::int64_t count = 0;
    for (std::int64_t i = begin_; i < end_; ++i) count += isLeft(i) ? 1 : 0;
    return count;
  }
  /// Takes an agent. @return false if none is left
  MASS_FN bool take() const { return takeNext() >= 0; }
  /// Takes an agent and copies it to `taken`. @return false if none is left
  MASS_FN bool take(A& taken) const {
    const std::int64_t agent = takeNext();
    if (agent < 0) return false;
    taken = detail::loadPlace<A>(view_->components, static_cast<Index>(agent));
    return true;
  }

 private:
  MASS_FN bool isLeft(std::int64_t agent) const {
    return view_->targets[agent] != detail::targetDie;
  }
  /// Returns the number of the agent taken; -1 if none is left.
  MASS_FN std::int64_t takeNext() const {
    for (std::int64_t i = begin_; i < end_; ++i) {
      if (!isLeft(i)) continue;
      view_->targets[i] = detail::targetDie;
      return i;
    }
    return -1;
  }

  const detail::TypedAgentView<A>* view_;
  std::int32_t begin_, end_;
};

}  // namespace mass
