#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/rules/lane_group.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/support/bits.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// How rules find those that are near enough, among agents beside each other.

namespace mass::detail {

/// As many elements as are looked at together; a GPU loads up to 16 bytes at once.
template <class T>
struct alignas(sizeof(T) * agentsPerLoad) Together {
  T elements[agentsPerLoad];
};

template <class S>
MASS_FN inline void loadTogether(const void* data, std::int32_t first, typename S::Element* to) {
  using T = typename S::Stored;
  if constexpr (std::is_arithmetic_v<T>) {
    const auto all = *reinterpret_cast<const Together<T>*>(static_cast<const T*>(data) + first);
#pragma unroll
    for (int k = 0; k < agentsPerLoad; ++k) to[k] = S::Form::decode(all.elements[k]);
  } else {
#pragma unroll
    for (int k = 0; k < agentsPerLoad; ++k) {
      to[k] = loadElement<S>(data, Index{first} + k);
    }
  }
}

/// The first of those that are loaded together with an agent.
MASS_FN inline std::int32_t firstOfTogether(std::int32_t agent) {
  return agent / agentsPerLoad * agentsPerLoad;
}
/// Loads agents beside each other, as loadPlace does one. Their numbers go on from a multiple of
/// how many they are; not all of them need be there.
template <class A>
MASS_FN inline void loadTogether(const void* const* components, std::int32_t first,
                                 A (&agents)[agentsPerLoad]) {
  AttributeSlots<A>::forEach([&](auto slot) {
    using S = decltype(slot);
    typename S::Element values[agentsPerLoad];
    if constexpr (S::isArray) {
      for (std::size_t i = 0; i < S::count; ++i) {
        loadTogether<S>(components[S::first + i], first, values);
        for (int k = 0; k < agentsPerLoad; ++k) (agents[k].*S::member)[i] = values[k];
      }
    } else {
      loadTogether<S>(components[S::first], first, values);
      for (int k = 0; k < agentsPerLoad; ++k) agents[k].*S::member = values[k];
    }
  });
}

/// What is asked of agents: whether they are nearer than a radius, and then `visit`.
template <class A, auto Position, class WayTo, class Visitor>
struct RadiusQuery {
  const void* const* components;
  std::int32_t self;  ///< not to be visited
  float squared;      ///< of the radius
  const WayTo& wayTo;
  const Visitor& visit;

  MASS_FN A load(std::int32_t agent) const {
    return loadPlace<A>(components, static_cast<Index>(agent));
  }
  /// Less than 0 for one that is near enough.
  MASS_FN float excess(const A& other) const { return wayTo(other.*Position).squared - squared; }
  MASS_FN void visitOne(std::int32_t agent) const {
    const A other = load(agent);
    visit(other, wayTo(other.*Position));
  }
};

/// How a thread of a GPU visits agents where many of those that it looks at are near enough: at
/// once. Those that go side by side with it wait while one of them visits.
class ImmediateVisitor {
 public:
  struct Room {};
  MASS_FN ImmediateVisitor(Room&, LaneGroup lane) : lane_(lane) {}

  /// Looks at this lane's of the agents [begin, end), which are some.
  template <class A, auto Position, class WayTo, class Visitor>
  MASS_FN void lookAt(std::int32_t begin, std::int32_t end,
                      const RadiusQuery<A, Position, WayTo, Visitor>& query) const {
    // Numbers of agents depend on how the world is split, so what a lane looks at may not.
    const bool isShared = lane_.count > 1;
    std::int32_t agent = isShared ? begin + lane_.number * agentsPerLoad : firstOfTogether(begin);
    for (; agent < end; agent += lane_.count * agentsPerLoad) {
      A others[agentsPerLoad];
      if (isShared) {
#pragma unroll
        for (int k = 0; k < agentsPerLoad; ++k) others[k] = query.load(agent + k);
      } else {
        loadTogether(query.components, agent, others);
      }
#pragma unroll
      for (int k = 0; k < agentsPerLoad; ++k) {
        const std::int32_t number = agent + k;
        const bool isThere = begin <= number && number < end && number != query.self;
        const auto way = query.wayTo(others[k].*Position);
        if (isThere && way.squared < query.squared) query.visit(others[k], way);
      }
    }
  }
  template <class W>
  MASS_FN void finish(const W&) const {}

 private:
  LaneGroup lane_;
};

/// How a thread of a GPU visits agents where few of those that it looks at are near enough:
/// together. The threads that go side by side then look at all candidates first: one that has found
/// some does not keep those waiting that have not, and all have about as many to visit.
class DeferredVisitor {
  static constexpr int rooms = 16, most = 32;

 public:
  /// Agents that were found: agent `last` - i for every bit i.
  struct Found {
    std::int32_t last;
    std::uint32_t mask;
  };
  using Room = Found[rooms];  // not in here: beside it, counts would not be kept in registers
  MASS_FN DeferredVisitor(Room& room, LaneGroup) : found_(room) {}

  template <class W>
  MASS_FN void lookAt(std::int32_t begin, std::int32_t end, const W& query) {
    for (std::int32_t from = firstOfTogether(begin); from < end; from += most) {
      lookAtSome(from, from < begin ? begin : from, end - from < most ? end : from + most, query);
      if (size_ == rooms) finish(query);
    }
  }
  /// Visits all that were found, in their order, and forgets them.
  template <class W>
  MASS_FN void finish(const W& query) {
    Found rest{0, 0};
    int next = 0;
#pragma unroll 4
    for (int i = 0; i < agents_; ++i) {
      if (rest.mask == 0) rest = found_[next++];
      const int bit = bitWidth(rest.mask) - 1;
      rest.mask ^= 1U << bit;
      query.visitOne(rest.last - bit);
    }
    size_ = agents_ = 0;
  }

 private:
  /// Looks at the agents [begin, end), all but a few from `first` on.
  template <class A, auto Position, class WayTo, class Visitor>
  MASS_FN void lookAtSome(std::int32_t first, std::int32_t begin, std::int32_t end,
                          const RadiusQuery<A, Position, WayTo, Visitor>& query) {
    std::uint32_t mask = 0;
    std::int32_t agent = first;
    for (; agent < end; agent += agentsPerLoad) {
      A others[agentsPerLoad];
      loadTogether(query.components, agent, others);
#pragma unroll
      for (int k = 0; k < agentsPerLoad; ++k) {
        mask = withSign(mask, query.excess(others[k]));
      }
    }
    mask >>= agent - end;                   // those beyond the end
    mask &= ~0U >> (most - (end - begin));  // and before the beginning
    if (begin <= query.self && query.self < end) mask &= ~(1U << (end - 1 - query.self));
    if (mask == 0) return;
    found_[size_++] = {end - 1, mask};
    agents_ += countOnes(mask);
  }

  Found* found_;
  int size_ = 0;    ///< of what was found
  int agents_ = 0;  ///< in it
};

/// How a CPU visits agents: it collects some before, as whether one is near enough is a branch that
/// processors guess wrongly.
class BufferedVisitor {
 public:
  struct Room {};
  MASS_FN BufferedVisitor(Room&, LaneGroup) {}

  template <class W>
  MASS_FN void lookAt(std::int32_t begin, std::int32_t end, const W& query) {
    for (; begin < end; ++begin) {
      const bool isNear = query.excess(query.load(begin)) < 0;
      found_[size_] = begin;
      size_ += static_cast<int>(isNear) & static_cast<int>(begin != query.self);
      if (size_ == most) finish(query);
    }
  }
  template <class W>
  MASS_FN void finish(const W& query) {
    for (int i = 0; i < size_; ++i) query.visitOne(found_[i]);
    size_ = 0;
  }

 private:
  static constexpr int most = 64;
  std::int32_t found_[most];
  int size_ = 0;
};

/// Of those in bins as wide as the radius, a sixth are within it where there are three axes, a
/// third where there are two, and more where agents gather.
template <int Dimensions>
using Visiting =
    std::conditional_t<!onGpu, BufferedVisitor,
                       std::conditional_t<(Dimensions > 2), DeferredVisitor, ImmediateVisitor>>;

}  // namespace mass::detail
