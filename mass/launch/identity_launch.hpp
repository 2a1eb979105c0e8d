#pragma once

#include <mass/memory/identity_slots.hpp>
#include <mass/memory/request_view.hpp>

#include <cstdint>

namespace mass::detail {

struct AgentsState;

/// Agents of all devices that rules of one device find by identity.
struct IdentityView {
  IdentitySlots slots;
  const void* const* components = nullptr;  ///< by component, then position: the present state
  std::uint64_t* missing = nullptr;         ///< counts the identities that no agent has
};

/// Agents that a rule reads by identity: an argument of callAll.
struct AnyIdentitySource {
  AgentsState* agents = nullptr;
  const IdentityView* byDevice = nullptr;  ///< set by prepareArguments()
};
/// AnyIdentitySource of class A.
template <class A>
struct IdentitySource : AnyIdentitySource {};

/// Gifts that agents of one device make. Targets of the requests are positions of agents; component
/// 0 has the amounts.
struct GiveView {
  IdentitySlots slots;
  RequestView requests;
  const std::uint64_t* givers = nullptr;  ///< by agent that runs the rule: identity
  std::uint64_t* missing = nullptr;       ///< counts the identities that no agent has
};

/// Gifts to agents: an argument of callAll.
struct AnyGiveSource {
  AgentsState* agents = nullptr;                           ///< class that receives
  const AgentsState* givers = nullptr;                     ///< agents that run the rule
  int most = 0;                                            ///< maximum number of gifts of an agent
  int component = 0;                                       ///< component of the attribute
  void (*add)(void* value, const void* amount) = nullptr;  ///< adds an amount to an attribute
  const GiveView* byDevice = nullptr;                      ///< set by prepareArguments()
};
/// AnyGiveSource for an attribute, with at most `maximum` gifts of each agent.
template <auto Member, int maximum>
struct GiveSource : AnyGiveSource {};

}  // namespace mass::detail
