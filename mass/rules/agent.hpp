#pragma once

#include <cstdint>
#include <limits>

namespace mass {

/// The travel of agents that may move to any place; MAX_AGENT_TRAVEL does not bound it. A move
/// costs the same however far it goes, but on several devices manageAll copies agents between every
/// two devices where any go from one to the other, not only between neighbours.
inline constexpr int anywhere = std::numeric_limits<int>::max();

/// Something that lives on a place of class P and can move to others. A model derives its own class
/// from it; as for a Place, data members are the attributes and member functions the rules:
///
///     class Forager : public mass::Agent<Sugar> {
///      public:
///       static constexpr int capacity = 1;  // of them, a place holds one
///       int sugar = 0;
///       using Attributes = mass::Attributes<&Forager::sugar>;
///       MASS_FN void forage(const mass::Neighborhood<Sugar>& near, mass::Intent<Forager>& intent);
///     };
///
/// A rule `void f(...)` changes its agent. First it names what it wants to see, in any order:
/// `const Neighborhood<P>&` (the places around, as they are), `const Neighbors<A>&` (agents of any
/// class around, as they were before the call), `const Residents<A>&` (those of its own place),
/// `Intent<A>&` (to move, die or have children at the next manageAll); then its arguments. A const
/// function returns a value for reduce and map.
template <class P>
class Agent {
 public:
  using Home = P;

  /// How many agents of this class a place holds; 0: any number.
  static constexpr std::int64_t capacity = 0;
  /// How far an agent may move at once, in places along every axis.
  static constexpr int travel = 1;
  /// How far rules read agents of this class, in places along every axis.
  static constexpr int reach = 1;
  /// How many children an agent may have at once.
  static constexpr int offspring = 0;
  /// Whether agents may use Intent::moveToFree, for which each manageAll looks at all places.
  static constexpr bool seeksFreePlaces = false;
};

}  // namespace mass
