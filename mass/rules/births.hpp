#pragma once

#include <mass/launch/birth_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/storing.hpp>
#include <mass/rules/type_name.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace mass {
namespace detail {

/// Throws the UsageError of a call of a rule that makes more requests than it declares.
/// @param request noun in the plural
[[noreturn]] MASS_EXPORT void failRequests(std::string_view request, std::string_view agent,
                                           int most);

/// Requests for agents of class A. It contains the addresses of the components.
template <class A>
struct TypedBirthView {
  std::uint64_t* count;
  std::uint64_t* refused;
  std::int64_t* targets;
  std::int64_t* order;
  void* components[componentArraySize<A>];

  explicit TypedBirthView(const RequestView& view)
      : count(view.count), refused(view.refused), targets(view.targets), order(view.order) {
    std::copy_n(view.components, AttributeSlots<A>::components, components);
  }
};

}  // namespace detail

/// Creation of agents of class A on the place of the rule. Parameter `const Births<A>& births` of
/// changing rules of places, and of agents of any class; the argument of callAll is an `Agents<A>`
/// whose places have the shape of those of the rule:
///
///     MASS_FN void bleed(const mass::Neighborhood<Tissue>& near,
///                        const mass::Births<TCell>& cells, float rate) {
///       if (near.random().uniform() < rate) cells.add(TCell{});
///     }
///
/// The agents get the next identities at the call, in the order of the places, or of the agents
/// that create them. They join in the next manageAll of A, as far as their place has room.
/// @tparam most maximum number of agents that one call of the rule creates
template <class A, int most = 1>
class Births {
  static_assert(most >= 1, "Births<A, most> creates at least one agent");

 public:
  /// For kernels: births on the place with a row-major index. @param parent position of the creator
  /// among those of its device
  MASS_FN Births(const detail::TypedBirthView<A>& view, std::int64_t place, std::int64_t parent)
      : view_(&view), place_(place), parent_(parent) {}

  /// Creates an agent.
  /// @throws UsageError if this call of the rule has created `most` agents
  MASS_FN void add(const A& agent = {}) const {
    if (made_ == most) return refuse();
    const auto at = static_cast<std::int64_t>(detail::fetchAdd(*view_->count, std::uint64_t{1}));
    detail::storePlace<A, detail::AllAttributes>(view_->components, static_cast<Index>(at), agent);
    view_->targets[at] = place_;
    view_->order[at] = parent_ * most + made_++;
  }

 private:
  MASS_FN void refuse() const {
    if constexpr (onGpu) {
      detail::fetchAdd(*view_->refused, std::uint64_t{1});
    } else {
      detail::failRequests("agents", detail::typeName<A>(), most);
    }
  }

  const detail::TypedBirthView<A>* view_;
  std::int64_t place_, parent_;
  mutable int made_ = 0;  ///< agents of this call of the rule
};

}  // namespace mass
