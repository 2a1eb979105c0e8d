#pragma once

#include <mass/launch/edge_launch.hpp>
#include <mass/rules/births.hpp>
#include <mass/rules/node.hpp>
#include <mass/rules/type_name.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass {
namespace detail {

/// Requests for changes of edges, with the addresses of the components.
struct AddressedEdgeView {
  RequestView requests;
  double* weights;
  std::int64_t* nodes;

  explicit AddressedEdgeView(const RequestView& view)
      : requests(view),
        weights(static_cast<double*>(view.components[0])),
        nodes(static_cast<std::int64_t*>(view.components[1])) {}
};

/// Returns the target of a request to remove link k, and the link of such a target.
MASS_FN constexpr std::int64_t removalOf(std::int64_t k) {
  return -1 - k;
}

}  // namespace detail

/// Edges that a rule adds to its node and removes from it. Parameter `const Edges<P>& edges` of
/// changing rules of nodes of class P, and of agents on them; the argument of callAll is their
/// `Places<P>`:
///
///     MASS_FN void rewire(const mass::Links<Person>& friends, const mass::Edges<Person, 2>& edges,
///                         const mass::Here<1>& here) {
///       if (friends.size() == 0 || opinion == friends[0].node().opinion) return;
///       edges.remove(0);
///       edges.add(here.random().below(1000));
///     }
///
/// The requests of all nodes are carried out after the rule: first those to remove, then those to
/// add, in the order of nodes (of agents: of identities) and calls. Links that stay keep their
/// order, and each node has its new ones at the end. In an undirected network, both ends change.
/// Graph::Options say whether an edge from a node to itself, and a second one between two nodes, is
/// added, merged or not added; Places::edgeCounts counts them.
/// @tparam most maximum number of requests that one call of the rule makes
template <class P, int most = 1>
class Edges {
  static_assert(detail::isNode<P>, "Edges<P> are those of nodes: derive P from mass::Node");
  static_assert(most >= 1, "Edges<P, most> makes at least one request");

 public:
  /// For kernels: the edges of a node.
  /// @param node number of the node @param caller number of the node, or position of the agent
  MASS_FN Edges(const detail::AddressedEdgeView& view, std::int64_t node, std::int64_t caller)
      : view_(&view), node_(node), caller_(caller) {}

  /// Adds an edge from the node of the rule.
  /// @param node number of the node at the other end, as Here::index() and Link::index()
  /// @param weight weight; it has no effect in a network without weights
  /// @throws UsageError if this call of the rule has made `most` requests; the call of callAll also
  /// if there is no such node, or the weight is not a number
  MASS_FN void add(std::int64_t node, double weight = 1) const {
    constexpr std::int64_t nowhere = std::int64_t{1} << 62;  // negative ones would be removals
    request(node < 0 ? nowhere : node, weight);
  }
  /// Removes a link of the node of the rule.
  /// @param k index of the link, 0 <= k < Links<P>::size()
  /// @throws UsageError if this call of the rule has made `most` requests; the call of callAll also
  /// if k is out of range
  MASS_FN void remove(int k) const {
    request(k < 0 ? detail::removalOf(std::int64_t{1} << 62) : detail::removalOf(k), 0);
  }

 private:
  MASS_FN void request(std::int64_t target, double weight) const {
    if (made_ == most) return refuse();
    const auto at =
        static_cast<std::int64_t>(detail::fetchAdd(*view_->requests.count, std::uint64_t{1}));
    view_->requests.targets[at] = target;
    view_->requests.order[at] = caller_ * most + made_++;
    view_->weights[at] = weight;
    view_->nodes[at] = node_;
  }
  MASS_FN void refuse() const {
    if constexpr (onGpu) {
      detail::fetchAdd(*view_->requests.refused, std::uint64_t{1});
    } else {
      detail::failRequests("changes of edges", detail::typeName<P>(), most);
    }
  }

  const detail::AddressedEdgeView* view_;
  std::int64_t node_, caller_;
  mutable int made_ = 0;  ///< requests of this call of the rule
};

}  // namespace mass
