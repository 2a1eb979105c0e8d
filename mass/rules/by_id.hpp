#pragma once

#include <mass/launch/identity_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/loading.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <cstdint>

namespace mass {
namespace detail {

/// IdentityView of class A that contains the addresses of the components instead of pointing to
/// them.
template <class A>
struct TypedIdentityView {
  IdentitySlots slots;
  const void* components[componentArraySize<A>];
  std::uint64_t* missing;

  explicit TypedIdentityView(const IdentityView& view) : slots(view.slots), missing(view.missing) {
    std::copy_n(view.components, AttributeSlots<A>::components, components);
  }
};

}  // namespace detail

/// Agents of class A by identity, wherever they are, as before the call. Parameter
/// `const ById<A>& agents` of rules of agents; the argument of callAll is an `Agents<A>`:
///
///     MASS_FN void work(const mass::ById<Firm>& firms) { wage = firms[employer].wage; }
template <class A>
class ById {
 public:
  /// For kernels: the agents that a device finds.
  MASS_FN explicit ById(const detail::TypedIdentityView<A>& view) : view_(&view) {}

  /// True if an agent with this identity is alive: deaths count from the manageAll on.
  MASS_FN bool has(std::uint64_t id) const { return view_->slots.find(id) >= 0; }
  /// Returns the agent with an identity; the compiler removes loads of attributes that the rule
  /// does not use. If it is dead or never was, returns an agent with the initial attributes of its
  /// class, and counts it: see Agents::missing().
  MASS_FN A operator[](std::uint64_t id) const {
    const std::int32_t position = view_->slots.find(id);
    if (position >= 0) return detail::loadPlace<A>(view_->components, Index{position});
    detail::fetchAdd(*view_->missing, std::uint64_t{1});
    return A{};
  }

 private:
  const detail::TypedIdentityView<A>* view_;
};

}  // namespace mass
