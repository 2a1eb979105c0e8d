#pragma once

#include <mass/rules/place.hpp>

#include <type_traits>

namespace mass {

/// Base class of the places of a model that are the nodes of a network. Rules read other nodes
/// along links, by a parameter `const Links<P>&`:
///
///     class Person : public mass::Node {
///      public:
///       bool isSick = false;
///       using Attributes = mass::Attributes<&Person::isSick>;
///       MASS_FN void meet(const mass::Links<Person>& friends) {
///         for (const auto link : friends) isSick = isSick || link.node().isSick;
///       }
///     };
///
/// Otherwise as a Place of one dimension: Here<1> gives the number of the node, the step, and
/// random numbers. Edges change the network; agents on nodes move along links, see
/// Intent::moveAlong.
class Node : public Place<1> {};

namespace detail {
template <class P>
inline constexpr bool isNode = std::is_base_of_v<Node, P>;
}  // namespace detail

}  // namespace mass
