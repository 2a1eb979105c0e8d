#pragma once

// What the threads of a warp do for places that send codes. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/scatter/gpu_queues.hpp>
#include <mass/kernels/scatter/scatter_kernels.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// The tag of a rule that comes before another one, or NoRule.
template <class P, auto Before>
struct BeforeEntry : RuleEntry<P, Before> {};
template <class P>
struct BeforeEntry<P, NoRule{}> {
  using Tag = NoRule;
};

/// A launch that knows its step, instead of where to look for it.
__device__ inline Launch resolved(Launch launch) {
  launch.step = launch.now();
  launch.stepsBefore = nullptr;
  return launch;
}

/// number / divisor for quotients below 2^22, whose error in float is at most one.
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

/// Takes the codes out of a bag whose first word is `first`, where the others lie in memory.
template <class P>
__device__ inline MultisetOf<P> takeWords(const void* const* components, Index at,
                                          std::uint32_t first) {
  using B = MultisetOf<P>;
  B bag;
  bag[0] = first;
  bool more = B::Word::isFull(first);
#pragma unroll
  for (std::size_t k = 1; k < static_cast<std::size_t>(B::words); ++k) {
    if (!more) break;
    // What is read is this rule's own to empty, as no place sees another one's bag.
    auto* const word = static_cast<std::uint32_t*>(
                           const_cast<void*>(components[MultisetAttributeSlot<P>::first + k])) +
                       at;
    bag[k] = __ldcg(word);  // other blocks may have stored it since this one began
    if (bag[k] != 0) *word = 0;
    more = B::Word::isFull(bag[k]);
  }
  return bag;
}

/// Element i of a bag, which stays in registers: Multiset::code would look into memory for its
/// words.
template <class B>
__device__ inline std::uint32_t codeIn(const B& bag, int i) {
  std::uint32_t word = bag[0];
#pragma unroll
  for (int k = 1; k < B::words; ++k) {
    if (i >= k * B::Word::most) word = bag[static_cast<std::size_t>(k)];
  }
  return B::Word::element(word, static_cast<int>(static_cast<unsigned>(i) % B::Word::most));
}

/// What is common to the ways in which a warp sends what is in places.
/// @tparam Frame knows where places are, by numbers: `launch`, `in()`, the state before, `out()`
/// and `around(place)`
template <class Tag, class Before, class Arguments, class Frame>
class CodeSender {
 public:
  using P = typename Tag::Place;

  __device__ CodeSender(const Arguments& arguments, const Frame& frame, CodeQueue& queue, int lane)
      : arguments_(arguments), frame_(frame), queue_(queue), lane_(lane) {}

 protected:
  using Turn = CodeQueue::Turn;

  __device__ ScatterContext<P> aroundOf(int place) {
    ScatterContext<P> around = frame_.around(place);
    around.last = &last_;
    return around;
  }
  __device__ P bareAt(const ScatterContext<P>& around) const {
    return loadPlace<P, LoadScope::neighbor>(frame_.in(), around.at);
  }
  /// The place with its bag, which is taken, as the rule before leaves it.
  __device__ P preparedAt(const P& bare, const ScatterContext<P>& around,
                          std::uint32_t first) const {
    const auto bag = takeWords<P>(frame_.in(), around.at, first);
    return prepared<P, ruleOf(Before{})>(bare, bag, around, arguments_);
  }
  __device__ void call(const P& place, const ScatterContext<P>& around) const {
    apply<ruleOf(Tag{})>(place, around, arguments_);
  }
  __device__ void sendPlace(int place, std::uint32_t first) {
    const ScatterContext<P> around = aroundOf(place);
    call(preparedAt(bareAt(around), around, first), around);
  }

  __device__ void defer(unsigned all, bool own, const Turn& turn) {
    if (own) queue_.turns[waiting_ + numberAmong(all)] = turn;
    waiting_ += __popc(all);
  }
  /// How many threads before this one are among some of a warp.
  __device__ int numberAmong(unsigned some) const { return __popc(some & ((1U << lane_) - 1)); }

  const Arguments& arguments_;
  const Frame& frame_;
  CodeQueue& queue_;
  int lane_;
  int waiting_ = 0;  ///< in the queue
  PendingElement last_;
};

}  // namespace mass::detail
