#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <cstdint>

namespace mass {
namespace detail {

/// AgentView of class A that contains the addresses of the components instead of pointing to them.
template <class A>
struct TypedAgentView {
  BinIndexing bins;
  const void* components[componentArraySize<A>];
  const std::uint64_t* ids;
  const std::int32_t* first;
  int* farthest;
  std::int64_t* targets;

  explicit TypedAgentView(const AgentView& view)
      : bins(view.bins),
        ids(view.ids),
        first(view.first),
        farthest(view.farthest),
        targets(view.targets) {
    std::copy_n(view.components, AttributeSlots<A>::components, components);
  }
};

}  // namespace detail

template <class A>
class Neighbors;

/// Agents of class A on one place, in the order of their identities, with their attributes as
/// before the call. Parameter `const Residents<A>&` of rules of places and of agents; the argument
/// of callAll is an `Agents<A>`. An agent is returned by value; the compiler removes loads of
/// attributes that the rule does not use.
template <class A>
class Residents {
 public:
  /// Iterator over the agents of a place.
  class Iterator {
   public:
    /// Iterator at agent number `index`.
    MASS_FN Iterator(const Residents& residents, std::int64_t index)
        : residents_(&residents), index_(index) {}
    /// Returns the agent.
    MASS_FN A operator*() const { return (*residents_)[index_]; }
    /// Advances to the next agent.
    MASS_FN Iterator& operator++() {
      ++index_;
      return *this;
    }
    /// True if both are at the same agent. @pre both are of the same Residents
    MASS_FN friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.index_ == b.index_;
    }

   private:
    const Residents* residents_;
    std::int64_t index_;
  };

  /// For kernels: the agents of a bin; none if `bin` < 0 (a place outside the world).
  MASS_FN Residents(const detail::TypedAgentView<A>& view, std::int64_t bin) : view_(&view) {
    if (bin < 0) return;
    begin_ = view.first[bin];
    end_ = view.first[bin + 1];
  }

  /// Number of agents on the place.
  MASS_FN std::int64_t size() const { return end_ - begin_; }
  /// True if there is no agent on the place.
  MASS_FN bool empty() const { return begin_ == end_; }
  /// Returns agent i, 0 <= i < size().
  MASS_FN A operator[](std::int64_t i) const {
    return detail::loadPlace<A>(view_->components, static_cast<Index>(begin_ + i));
  }
  /// Returns the identity of agent i, 0 <= i < size().
  MASS_FN std::uint64_t id(std::int64_t i) const { return view_->ids[begin_ + i]; }
  /// Iterator at the first agent: `for (const A other : residents)`.
  MASS_FN Iterator begin() const { return {*this, 0}; }
  /// Iterator behind the last agent.
  MASS_FN Iterator end() const { return {*this, size()}; }

 private:
  friend class Neighbors<A>;

  const detail::TypedAgentView<A>* view_;
  std::int32_t begin_ = 0, end_ = 0;
};

}  // namespace mass
