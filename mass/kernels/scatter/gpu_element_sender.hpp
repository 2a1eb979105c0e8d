#pragma once

// Common part of the classes by which a warp scatters. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/scatter/gpu_queues.hpp>
#include <mass/kernels/scatter/scatter_kernels.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Tag of the rule before a scatter rule, or NoRule.
template <class P, auto Before>
struct BeforeEntry : RuleEntry<P, Before> {};
template <class P>
struct BeforeEntry<P, NoRule{}> {
  using Tag = NoRule;
};

/// Returns a launch whose `step` is the current one, so that now() loads nothing.
__device__ inline Launch resolved(Launch launch) {
  launch.step = launch.now();
  launch.stepsBefore = nullptr;
  return launch;
}

/// Divides by a constant divisor. Exact for quotients below 2^22, whose error in float is at most
/// one.
struct QuickDivisor {
  int divisor;
  float reciprocal;

  __device__ explicit QuickDivisor(int by)
      : divisor(by), reciprocal(1.0F / static_cast<float>(by)) {}
  __device__ int operator()(int number) const {
    const int guess = static_cast<int>(static_cast<float>(number) * reciprocal);
    const int rest = number - guess * divisor;
    return guess + (rest >= divisor ? 1 : 0) - (rest < 0 ? 1 : 0);
  }
};

/// Takes the elements out of a multiset with first word `first`; the other words lie in memory.
template <class P>
__device__ inline MultisetOf<P> takeWords(const void* const* components, Index at,
                                          std::uint32_t first) {
  using B = MultisetOf<P>;
  B multiset;
  multiset[0] = first;
  bool more = B::Word::isFull(first);
#pragma unroll
  for (std::size_t k = 1; k < static_cast<std::size_t>(B::words); ++k) {
    if (!more) break;
    // The rule may clear its input: no place reads the multiset of another one.
    auto* const word = static_cast<std::uint32_t*>(
                           const_cast<void*>(components[MultisetAttributeSlot<P>::first + k])) +
                       at;
    multiset[k] = __ldcg(word);  // other blocks may have stored it since this one began
    if (multiset[k] != 0) *word = 0;
    more = B::Word::isFull(multiset[k]);
  }
  return multiset;
}

/// Returns element i of a multiset in registers. Multiset::element would index its words, and so
/// force them into memory.
template <class B>
__device__ inline std::uint32_t elementIn(const B& multiset, int i) {
  std::uint32_t word = multiset[0];
#pragma unroll
  for (int k = 1; k < B::words; ++k) {
    if (i >= k * B::Word::most) word = multiset[static_cast<std::size_t>(k)];
  }
  return B::Word::element(word, static_cast<int>(static_cast<unsigned>(i) % B::Word::most));
}

/// Calls a scatter rule for places and their elements; base class of the senders of a warp.
/// @tparam Frame maps numbers of places to positions: has `launch`, `in()`, the state before,
/// `out()` and `around(place)`
template <class Tag, class Before, class Arguments, class Frame>
class ElementSender {
 public:
  using P = typename Tag::Place;

  __device__ ElementSender(const Arguments& arguments, const Frame& frame, ElementQueue& queue,
                           int lane)
      : arguments_(arguments), frame_(frame), queue_(queue), lane_(lane) {}

 protected:
  using QueuedElement = ElementQueue::QueuedElement;

  __device__ ScatterContext<P> aroundOf(int place) {
    ScatterContext<P> around = frame_.around(place);
    around.last = &last_;
    return around;
  }
  __device__ P loadWithoutMultiset(const ScatterContext<P>& around) const {
    return loadPlace<P, LoadScope::neighbor>(frame_.in(), around.at);
  }
  /// Takes the multiset of a place and returns the place with the multiset that the rule before
  /// makes of it.
  __device__ P preparedAt(const P& withoutMultiset, const ScatterContext<P>& around,
                          std::uint32_t first) const {
    const auto multiset = takeWords<P>(frame_.in(), around.at, first);
    return prepared<P, ruleOf(Before{})>(withoutMultiset, multiset, around, arguments_);
  }
  __device__ void call(const P& place, const ScatterContext<P>& around) const {
    apply<ruleOf(Tag{})>(place, around, arguments_);
  }
  __device__ void sendPlace(int place, std::uint32_t first) {
    const ScatterContext<P> around = aroundOf(place);
    call(preparedAt(loadWithoutMultiset(around), around, first), around);
  }

  __device__ void enqueue(unsigned all, bool own, const QueuedElement& entry) {
    if (own) queue_.elements[queued_ + numberAmong(all)] = entry;
    queued_ += __popc(all);
  }
  /// Returns the number of lanes below this one in the mask `some`.
  __device__ int numberAmong(unsigned some) const { return __popc(some & ((1U << lane_) - 1)); }

  const Arguments& arguments_;
  const Frame& frame_;
  ElementQueue& queue_;
  int lane_;
  int queued_ = 0;  ///< elements in the queue
  PendingElement last_;
};

}  // namespace mass::detail
