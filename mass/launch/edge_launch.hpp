#pragma once

#include <mass/memory/request_view.hpp>

namespace mass::detail {

struct AgentsState;
struct PlacesState;

/// Edges that a rule adds and removes: an argument of callAll. Target of a request: the node at the
/// other end of a new edge, or removalOf() a link. Component 0 has the weights, component 1 the
/// nodes that request.
struct AnyEdgeSource {
  PlacesState* places = nullptr;          ///< nodes of the network
  int most = 0;                           ///< maximum number of requests of a call
  const AgentsState* actors = nullptr;    ///< agents that run the rule; null: nodes
  const RequestView* byDevice = nullptr;  ///< set by prepareArguments()
};

/// Changes of the edges of nodes of class P, at most `maximum` by each call.
template <class P, int maximum>
struct EdgeSource : AnyEdgeSource {};

}  // namespace mass::detail
