#pragma once

#include <cstdint>

namespace mass::detail {

struct AgentsState;

/// List of the agents that a rule creates on one device. Its order depends on threads; `parents`
/// gives the order of identities.
struct BirthView {
  std::uint64_t* count = nullptr;     ///< number of elements of the list
  std::uint64_t* refused = nullptr;   ///< number of agents beyond the maximum of their parent
  std::int64_t* places = nullptr;     ///< by element: row-major index of the place in the world
  std::int64_t* parents = nullptr;    ///< by element: position among all children of the device
  void* const* components = nullptr;  ///< by component: values of the attributes
};

/// Agents that a rule creates: an argument of callAll.
struct AnyBirthSource {
  AgentsState* agents = nullptr;         ///< class of the new agents
  int most = 0;                          ///< maximum number of agents of a parent
  const AgentsState* parents = nullptr;  ///< agents that run the rule; null: places
  const BirthView* byDevice = nullptr;   ///< set by prepareArguments()
};

/// Creation of agents of class A, at most `maximum` by each parent.
template <class A, int maximum>
struct BirthSource : AnyBirthSource {};

}  // namespace mass::detail
