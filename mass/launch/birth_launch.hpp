#pragma once

#include <mass/memory/request_view.hpp>

namespace mass::detail {

struct AgentsState;

/// Agents that a rule creates: an argument of callAll. Targets of the requests are row-major
/// indices of places in the world.
struct AnyBirthSource {
  AgentsState* agents = nullptr;          ///< class of the new agents
  int most = 0;                           ///< maximum number of agents of a parent
  const AgentsState* parents = nullptr;   ///< agents that run the rule; null: places
  const RequestView* byDevice = nullptr;  ///< set by prepareArguments()
};

/// Creation of agents of class A, at most `maximum` by each parent.
template <class A, int maximum>
struct BirthSource : AnyBirthSource {};

}  // namespace mass::detail
