#pragma once

#include <mass/rules/bin_block.hpp>
#include <mass/rules/residents.hpp>
#include <mass/rules/world_position.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>

#include <array>
#include <cstdint>

namespace mass {
namespace detail {

/// TypedAgentView of agents on finer or coarser places than those of the rule.
template <class A>
struct ScaledAgentView : TypedAgentView<A> {
  AxisRatio ratio[3];  ///< ratios of rows, lines and columns

  ScaledAgentView(const AgentView& view, const std::array<AxisRatio, 3>& ratios)
      : TypedAgentView<A>(view), ratio{ratios[0], ratios[1], ratios[2]} {}
};

}  // namespace detail

/// Agents of class A on finer places, with their attributes as before the call: those on all places
/// of the block that lies in the place of the call, in the row-major order of these places, and on
/// each in the order of identities. Parameter `const FinerResidents<A>&` of rules of places and of
/// agents; the argument of callAll is an `Agents<A>`, which live on places that are a multiple of
/// the rule's along each axis:
///
///     MASS_FN void count(const mass::FinerResidents<Sheep>& sheep) {
///       for (const Sheep each : sheep) weight += each.weight;
///     }
template <class A>
class FinerResidents {
 public:
  static constexpr int dimensions = A::Home::dimensions;  ///< Dimensions of the world.

  /// Iterator over the agents.
  class Iterator {
   public:
    /// Iterator at the first agent of a line of the block, or of a later line.
    MASS_FN Iterator(const FinerResidents& residents, std::int64_t line)
        : residents_(&residents), line_(line) {
      findAgent();
    }
    /// Returns the agent.
    MASS_FN A operator*() const {
      return detail::loadPlace<A>(residents_->view_->components, static_cast<Index>(agents_.begin));
    }
    /// Returns the identity of the agent.
    MASS_FN std::uint64_t id() const { return residents_->view_->ids[agents_.begin]; }
    /// Advances to the next agent.
    MASS_FN Iterator& operator++() {
      if (++agents_.begin == agents_.end) {
        ++line_;
        findAgent();
      }
      return *this;
    }
    /// True if both are at the same agent. @pre both are of the same FinerResidents
    MASS_FN friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.line_ == b.line_ && a.agents_.begin == b.agents_.begin;
    }

   private:
    /// Advances to the first line with agents, from the present one on.
    MASS_FN void findAgent() {
      for (; line_ < residents_->block_.size; ++line_) {
        agents_ = residents_->agentsOf(line_);
        if (agents_.begin < agents_.end) return;
      }
      agents_ = {0, 0};
    }

    const FinerResidents* residents_;
    std::int64_t line_;
    detail::BinBlock::Range agents_{0, 0};  // agents of the line from the present one on
  };

  /// For kernels: the agents below the place of a call.
  MASS_FN FinerResidents(const detail::ScaledAgentView<A>& view, const Here<dimensions>& here)
      : FinerResidents(view, detail::WorldPosition::at<detail::Scale::finer>(here, view.ratio)) {}

  /// Number of agents.
  MASS_FN std::int64_t size() const {
    std::int64_t count = 0;
    for (std::int64_t line = 0; line < block_.size; ++line) {
      const auto agents = agentsOf(line);
      count += agents.end - agents.begin;
    }
    return count;
  }
  /// True if there is no agent.
  MASS_FN bool empty() const { return begin() == end(); }
  /// Number of places of the block along each axis.
  MASS_FN Offset<dimensions> block() const { return detail::blockOf<dimensions>(view_->ratio); }
  /// Iterator at the first agent: `for (const A other : residents)`. `iterator.id()` is its
  /// identity.
  MASS_FN Iterator begin() const { return {*this, 0}; }
  /// Iterator behind the last agent.
  MASS_FN Iterator end() const { return {*this, block_.size}; }

 private:
  MASS_FN FinerResidents(const detail::ScaledAgentView<A>& view, const detail::WorldPosition& first)
      : view_(&view),
        block_(view.bins, first.row - view.bins.firstRow, first.line, first.column, view.ratio) {}
  MASS_FN detail::BinBlock::Range agentsOf(std::int64_t line) const {
    return block_.agents(view_->first, line);
  }

  const detail::ScaledAgentView<A>* view_;
  detail::BinBlock block_;
};

/// Agents of class A on the coarser place that covers the place of the call, in the order of their
/// identities, with their attributes as before the call; otherwise as Residents. Parameter
/// `const CoarserResidents<A>&` of rules of places and of agents; the argument of callAll is an
/// `Agents<A>`: along each axis, the rule's places are a multiple of those on which they live. Of
/// agents with continuous positions, isHere() selects those in the place of the call:
///
///     MASS_FN void shade(const mass::CoarserResidents<Tree>& trees, mass::Space<2> space) {
///       for (const Tree tree : trees)
///         if (trees.isHere<&Tree::position>(space, tree)) light -= tree.leaves;
///     }
template <class A>
class CoarserResidents : public Residents<A> {
 public:
  static constexpr int dimensions = A::Home::dimensions;  ///< Dimensions of the world.

  /// For kernels: the agents above the place of a call.
  MASS_FN CoarserResidents(const detail::ScaledAgentView<A>& view, const Here<dimensions>& here)
      : CoarserResidents(view, detail::WorldPosition::of(here)) {}

  /// True if the position of an agent lies in the place of the call. Each agent is in exactly one
  /// place of the block: a position that rounding puts outside the block counts for the nearest
  /// place of it.
  /// @tparam Position pointer to member of the attribute with the position, see Neighbors::within
  /// @param space space of the places of the rule (mass::spaceOf)
  /// @param agent one of these agents
  /// @pre the agent lives on the place of its position: call manageAll after a rule that changes
  /// positions
  template <auto Position>
  MASS_FN bool isHere(const Space<dimensions>& space, const A& agent) const {
    return detail::placeInBlock(space, agent.*Position, first_.coordinates<dimensions>(),
                                detail::blockOf<dimensions>(view_->ratio)) ==
           here_.coordinates<dimensions>();
  }

 private:
  MASS_FN CoarserResidents(const detail::ScaledAgentView<A>& view,
                           const detail::WorldPosition& here)
      : CoarserResidents(view, here, here.over(view.ratio)) {}
  MASS_FN CoarserResidents(const detail::ScaledAgentView<A>& view,
                           const detail::WorldPosition& here, const detail::WorldPosition& above)
      : Residents<A>(view, view.bins.at(above.row - view.bins.firstRow, above.line, above.column)),
        view_(&view),
        here_(here),
        first_(above.times(view.ratio)) {}

  const detail::ScaledAgentView<A>* view_;
  detail::WorldPosition here_, first_;  // the place of the call, and the first one of the block
};

}  // namespace mass
