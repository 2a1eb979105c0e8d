#pragma once

#include <mass/launch/identity_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/births.hpp>
#include <mass/rules/storing.hpp>
#include <mass/rules/type_name.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <type_traits>

namespace mass {
namespace detail {

/// Class of agents with an attribute.
template <auto Member>
using ReceiverOf = typename MemberTraits<std::remove_cv_t<decltype(Member)>>::Class;

/// GiveView that contains the address of the amounts instead of pointing to it. Without the
/// attribute as template argument, which nvcc 13.0 misspells in the names of kernels.
struct AddressedGiveView {
  IdentitySlots slots;
  std::uint64_t* count;
  std::uint64_t* refused;
  std::int64_t* targets;
  std::int64_t* order;
  void* amounts;
  const std::uint64_t* givers;
  std::uint64_t* missing;

  explicit AddressedGiveView(const GiveView& view)
      : slots(view.slots),
        count(view.requests.count),
        refused(view.requests.refused),
        targets(view.requests.targets),
        order(view.requests.order),
        amounts(view.requests.components[0]),
        givers(view.givers),
        missing(view.missing) {}
};

}  // namespace detail

/// Gifts to agents of another class, or of the same, by identity, wherever they are. Parameter
/// `const Give<&Firm::income>& pay` of changing rules of agents; the argument of callAll is an
/// `Agents<Firm>`:
///
///     MASS_FN void buy(const mass::Give<&Firm::income>& pay) {
///       if (pay(shop, price)) money -= price;
///     }
///
/// After the rule, the gifts to an agent are added to its attribute one after the other, in the
/// order of the identities of the givers: every number of devices yields the same bits.
/// @tparam Member attribute of the receiving agents: a number, no array and not constant
/// @tparam most maximum number of gifts that one call of the rule makes
template <auto Member, int most = 1>
class Give {
  using A = detail::ReceiverOf<Member>;
  using S = detail::AttributeSlotFor<A, Member>;
  static_assert(!S::isArray && !S::isConstant && std::is_arithmetic_v<typename S::Value> &&
                    !std::is_same_v<typename S::Value, bool>,
                "Give adds to an attribute of agents that is a number, no array and not constant");
  static_assert(most >= 1, "Give<Member, most> makes at least one gift");

 public:
  using Value = typename S::Value;  ///< Type of the attribute.

  /// For kernels: gifts of an agent. @param giver its number on the device
  MASS_FN Give(const detail::AddressedGiveView& view, std::int64_t giver)
      : view_(&view), giver_(giver) {}

  /// Gives an amount to the agent with an identity.
  /// @return false if it is dead or never was: nothing is given then, and Agents::missing() counts
  /// @throws UsageError if this call of the rule has made `most` gifts
  MASS_FN bool operator()(std::uint64_t receiver, Value amount) const {
    if (made_ == most) return refuse();
    const auto order = static_cast<std::int64_t>(view_->givers[giver_]) * most + made_++;
    const std::int32_t position = view_->slots.find(receiver);
    if (position < 0) {
      detail::fetchAdd(*view_->missing, std::uint64_t{1});
      return false;
    }
    const auto at = static_cast<std::int64_t>(detail::fetchAdd(*view_->count, std::uint64_t{1}));
    view_->targets[at] = position;
    view_->order[at] = order;
    detail::storeElement<S>(view_->amounts, static_cast<Index>(at), amount);
    return true;
  }

 private:
  MASS_FN bool refuse() const {
    if constexpr (onGpu) {
      detail::fetchAdd(*view_->refused, std::uint64_t{1});
    } else {
      detail::failRequests("gifts to agents", detail::typeName<A>(), most);
    }
    return false;
  }

  const detail::AddressedGiveView* view_;
  std::int64_t giver_;
  mutable int made_ = 0;  ///< gifts of this call of the rule
};

}  // namespace mass
