#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/rules/lane_group.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/support/bits.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Search for agents within a radius, in ranges of successive agents.

namespace mass::detail {

/// Elements of agentsPerLoad successive agents, for one load of up to 16 bytes of a GPU.
template <class T>
struct alignas(sizeof(T) * agentsPerLoad) LoadGroup {
  T elements[agentsPerLoad];
};

/// Loads the elements of slot S of the agents [first, first + agentsPerLoad).
template <class S>
MASS_FN inline void loadGroup(const void* data, std::int32_t first, typename S::Element* to) {
  using T = typename S::Stored;
  if constexpr (std::is_arithmetic_v<T>) {
    const auto all = *reinterpret_cast<const LoadGroup<T>*>(static_cast<const T*>(data) + first);
#pragma unroll
    for (int k = 0; k < agentsPerLoad; ++k) to[k] = S::Form::decode(all.elements[k]);
  } else {
#pragma unroll
    for (int k = 0; k < agentsPerLoad; ++k) {
      to[k] = loadElement<S>(data, Index{first} + k);
    }
  }
}

/// Returns the first agent of the group that is loaded together with `agent`.
MASS_FN inline std::int32_t groupBegin(std::int32_t agent) {
  return agent / agentsPerLoad * agentsPerLoad;
}
/// Loads the agents [first, first + agentsPerLoad). Agents behind the last one of the device have
/// undefined attributes. @pre `first` is a multiple of agentsPerLoad
template <class A>
MASS_FN inline void loadGroup(const void* const* components, std::int32_t first,
                              A (&agents)[agentsPerLoad]) {
  AttributeSlots<A>::forEach([&](auto slot) {
    using S = decltype(slot);
    typename S::Element values[agentsPerLoad];
    if constexpr (S::isArray) {
      for (std::size_t i = 0; i < S::count; ++i) {
        loadGroup<S>(components[S::first + i], first, values);
        for (int k = 0; k < agentsPerLoad; ++k) (agents[k].*S::member)[i] = values[k];
      }
    } else {
      loadGroup<S>(components[S::first], first, values);
      for (int k = 0; k < agentsPerLoad; ++k) agents[k].*S::member = values[k];
    }
  });
}

/// Result of a call of a visitor, which takes the identity of the visited agent as last argument or
/// not.
template <class Visitor, class... Arguments>
MASS_FN decltype(auto) visitWith(const Visitor& visit, std::uint64_t id, Arguments&&... arguments) {
  if constexpr (std::is_invocable_v<const Visitor&, Arguments..., std::uint64_t>) {
    return visit(arguments..., id);
  } else {
    return visit(arguments...);
  }
}

/// Search criterion and action: calls `visit` for agents nearer than a radius.
template <class A, auto Position, class WayTo, class Visitor>
struct RadiusQuery {
  using Way = std::invoke_result_t<const WayTo&, decltype((std::declval<const A&>().*Position))>;
  /// True if the visitor returns whether the search goes on.
  static constexpr bool canStop =
      std::is_same_v<decltype(visitWith(std::declval<const Visitor&>(), std::uint64_t{},
                                        std::declval<const A&>(), std::declval<const Way&>())),
                     bool>;

  const void* const* components;
  const std::uint64_t* ids;
  std::int32_t self;  ///< Index of the agent that is not visited; -1: none.
  float radiusSquared;
  const WayTo& wayTo;  ///< Returns the Way to a position.
  const Visitor& visit;
  bool& isStopped;  ///< Set by a visitor that returned false.

  /// True if no other agent is to be visited.
  MASS_FN bool isOver() const {
    if constexpr (canStop) return isStopped;
    return false;
  }
  MASS_FN A load(std::int32_t agent) const {
    return loadPlace<A>(components, static_cast<Index>(agent));
  }
  /// Returns the squared distance minus the squared radius: negative for an agent to visit.
  MASS_FN float excess(const A& other) const {
    return wayTo(other.*Position).squared - radiusSquared;
  }
  MASS_FN void visitAgent(std::int32_t agent) const {
    const A other = load(agent);
    visitAgent(agent, other, wayTo(other.*Position));
  }
  MASS_FN void visitAgent(std::int32_t agent, const A& other, const Way& way) const {
    if constexpr (canStop) {
      if (!isStopped) isStopped = !visitWith(visit, ids[agent], other, way);
    } else {
      visitWith(visit, ids[agent], other, way);
    }
  }
};

/// Strategy of a thread of a GPU if a large part of the candidates is within the radius: visits an
/// agent at once. The other threads of the warp wait meanwhile.
class ImmediateVisitor {
 public:
  struct Buffer {};
  MASS_FN ImmediateVisitor(Buffer&, LaneGroup lane) : lane_(lane) {}

  /// Tests the agents of this lane among [begin, end) and visits those within the radius.
  /// @pre begin < end
  template <class A, auto Position, class WayTo, class Visitor>
  MASS_FN void scan(std::int32_t begin, std::int32_t end,
                    const RadiusQuery<A, Position, WayTo, Visitor>& query) const {
    // Indices of agents depend on the split over devices, but the agents of a lane must not. Lanes
    // therefore count from `begin`, without aligned loads.
    const bool isShared = lane_.count > 1;
    std::int32_t agent = isShared ? begin + lane_.number * agentsPerLoad : groupBegin(begin);
    for (; agent < end && !query.isOver(); agent += lane_.count * agentsPerLoad) {
      A others[agentsPerLoad];
      if (isShared) {
#pragma unroll
        for (int k = 0; k < agentsPerLoad; ++k) others[k] = query.load(agent + k);
      } else {
        loadGroup(query.components, agent, others);
      }
#pragma unroll
      for (int k = 0; k < agentsPerLoad; ++k) {
        const std::int32_t number = agent + k;
        const bool isInRange = begin <= number && number < end && number != query.self;
        const auto way = query.wayTo(others[k].*Position);
        if (isInRange && way.squared < query.radiusSquared)
          query.visitAgent(number, others[k], way);
      }
    }
  }
  /// Does nothing: no match is buffered.
  template <class W>
  MASS_FN void flush(const W&) const {}

 private:
  LaneGroup lane_;
};

/// Strategy of a thread of a GPU if a small part of the candidates is within the radius: tests all
/// candidates, then visits the matches. This reduces divergence: the threads of a warp test at the
/// same time, and then visit similar numbers of agents.
class DeferredVisitor {
  static constexpr int bufferSize = 16, chunkSize = 32;

 public:
  /// Bit mask of matches: bit i is set for agent `last` - i.
  struct Matches {
    std::int32_t last;
    std::uint32_t mask;
  };
  // Not a member: the compiler would not keep the counts beside it in registers.
  using Buffer = Matches[bufferSize];
  MASS_FN DeferredVisitor(Buffer& buffer, LaneGroup) : matches_(buffer) {}

  /// Tests the agents [begin, end).
  template <class W>
  MASS_FN void scan(std::int32_t begin, std::int32_t end, const W& query) {
    for (std::int32_t from = groupBegin(begin); from < end; from += chunkSize) {
      scanChunk(from, from < begin ? begin : from, end - from < chunkSize ? end : from + chunkSize,
                query);
      if (matchCount_ == bufferSize) flush(query);
    }
  }
  /// Visits all matches in ascending order and clears the buffer.
  template <class W>
  MASS_FN void flush(const W& query) {
    Matches rest{0, 0};
    int next = 0;
#pragma unroll 4
    for (int i = 0; i < agentCount_; ++i) {
      if (rest.mask == 0) rest = matches_[next++];
      const int bit = bitWidth(rest.mask) - 1;
      rest.mask ^= 1U << bit;
      query.visitAgent(rest.last - bit);
    }
    matchCount_ = agentCount_ = 0;
  }

 private:
  /// Tests the agents [begin, end) of the chunk that begins at `first` <= begin.
  template <class A, auto Position, class WayTo, class Visitor>
  MASS_FN void scanChunk(std::int32_t first, std::int32_t begin, std::int32_t end,
                         const RadiusQuery<A, Position, WayTo, Visitor>& query) {
    std::uint32_t mask = 0;
    std::int32_t agent = first;
    for (; agent < end; agent += agentsPerLoad) {
      A others[agentsPerLoad];
      loadGroup(query.components, agent, others);
#pragma unroll
      for (int k = 0; k < agentsPerLoad; ++k) {
        mask = withSign(mask, query.excess(others[k]));
      }
    }
    mask >>= agent - end;                        // removes agents from `end` on
    mask &= ~0U >> (chunkSize - (end - begin));  // removes agents before `begin`
    if (begin <= query.self && query.self < end) mask &= ~(1U << (end - 1 - query.self));
    if (mask == 0) return;
    matches_[matchCount_++] = {end - 1, mask};
    agentCount_ += countOnes(mask);
  }

  Matches* matches_;
  int matchCount_ = 0;  ///< Number of Matches.
  int agentCount_ = 0;  ///< Number of agents in all of them.
};

/// Strategy of a CPU: collects the agents within the radius without a branch, because processors
/// would predict that branch poorly, and visits them when the buffer is full.
class BufferedVisitor {
 public:
  struct Buffer {};
  MASS_FN BufferedVisitor(Buffer&, LaneGroup) {}

  /// Tests the agents [begin, end).
  template <class W>
  MASS_FN void scan(std::int32_t begin, std::int32_t end, const W& query) {
    for (; begin < end; ++begin) {
      const bool isNear = query.excess(query.load(begin)) < 0;
      matches_[size_] = begin;
      size_ += static_cast<int>(isNear) & static_cast<int>(begin != query.self);
      if (size_ == capacity) flush(query);
    }
  }
  /// Visits the collected agents and clears the buffer.
  template <class W>
  MASS_FN void flush(const W& query) {
    for (int i = 0; i < size_; ++i) query.visitAgent(matches_[i]);
    size_ = 0;
  }

 private:
  static constexpr int capacity = 64;
  std::int32_t matches_[capacity];
  int size_ = 0;
};

/// Strategy for a world of `Dimensions` axes. With bins as wide as the radius and a uniform
/// density, 16 % of the candidates are within the radius in 3-D and 35 % in 2-D; clustered agents
/// have more.
template <int Dimensions>
using RadiusVisitor =
    std::conditional_t<!onGpu, BufferedVisitor,
                       std::conditional_t<(Dimensions > 2), DeferredVisitor, ImmediateVisitor>>;

}  // namespace mass::detail
