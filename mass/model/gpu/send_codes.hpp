#pragma once

// What the threads of a warp do for places that send codes. Included where nvcc compiles a model.

#include <mass/model/gpu/bodies.hpp>
#include <mass/model/gpu/send_queues.hpp>
#include <mass/model/sending.hpp>

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
__device__ inline BagOf<P> takeWords(const void* const* components, Index at, std::uint32_t first) {
  using B = BagOf<P>;
  B bag;
  bag[0] = first;
  bool more = B::Word::isFull(first);
#pragma unroll
  for (std::size_t k = 1; k < static_cast<std::size_t>(B::words); ++k) {
    if (!more) break;
    // What is read is this rule's own to empty, as no place sees another one's bag.
    auto* const word =
        static_cast<std::uint32_t*>(const_cast<void*>(components[BagSlot<P>::first + k])) + at;
    bag[k] = __ldcg(word);  // other blocks may have stored it since this one began
    if (bag[k] != 0) *word = 0;
    more = B::Word::isFull(bag[k]);
  }
  return bag;
}

/// Code i of a bag, which stays in registers: Bag::code would look into memory for its words.
template <class B>
__device__ inline std::uint32_t codeIn(const B& bag, int i) {
  std::uint32_t word = bag[0];
#pragma unroll
  for (int k = 1; k < B::words; ++k) {
    if (i >= k * B::Word::most) word = bag[static_cast<std::size_t>(k)];
  }
  return B::Word::code(word, static_cast<int>(static_cast<unsigned>(i) % B::Word::most));
}

/// Sends what is in places, a place a thread. Of codes that are sent one by one, each thread sends
/// the first of its place; further ones, of which few places have any, wait until they are enough
/// for a warp. So do deliveries that find another code where they come to.
/// @tparam Frame knows where places are, by numbers: `launch`, `in()`, the state before, `out()`
/// and `around(place)`; and whether first words lie `near`, in the block's memory
template <class Tag, class Before, class Arguments, class Frame>
class CodeSender {
 public:
  using P = typename Tag::Place;

  /// @param retries not used where first words lie near: there, memory answers soon
  __device__ CodeSender(const Arguments& arguments, const Frame& frame, CodeQueue& queue,
                        RetryQueue* retries, int lane)
      : arguments_(arguments), frame_(frame), queue_(queue), retries_(retries), lane_(lane) {}

  /// Sends from a place, if a thread has its `own`: all threads of a warp come together. The `last`
  /// time, nothing waits any longer.
  __device__ void send(bool own, int2 noted, bool last) {
    BagOf<P> bag;
    int count = 0;
    if (own) {
      SendingAround<P> around = aroundOf(noted.x);
      const P bare = loadPlace<P, Whose::others>(frame_.in(), around.at);
      bag = takeWords<P>(frame_.in(), around.at, static_cast<std::uint32_t>(noted.y));
      const P self = prepared<P, ruleOf(Before{})>(bare, bag, around, arguments_);
      if constexpr (takesCode<ruleOf(Tag{})>) {
        bag = self.*BagSlot<P>::member;
        count = bag.size();
        around.code = {codeIn(bag, 0), 0};
        if (count > 0) apply<ruleOf(Tag{})>(bare, around, arguments_);
      } else {
        apply<ruleOf(Tag{})>(self, around, arguments_);
      }
    }
    deliver();
    if constexpr (takesCode<ruleOf(Tag{})>) sendOthers(noted.x, bag, count, last);
    if (last) finish();
  }

 private:
  /// All codes of a place but the first.
  __device__ void sendOthers(int place, const BagOf<P>& bag, int count, bool last) {
    for (int i = 1;; ++i) {
      const unsigned more = __ballot_sync(~0U, i < count);
      if (more != 0) {
        defer(more, i < count, place, {codeIn(bag, i), static_cast<std::uint32_t>(i)});
      } else if (!last || waiting_ == 0) {
        return;
      }
      if (waiting_ >= warpWidth || more == 0) sendWaiting();
    }
  }
  __device__ void defer(unsigned all, bool own, int place, Code code) {
    if (own) {
      const int at = waiting_ + numberAmong(all);
      queue_.place[at] = place;
      queue_.code[at] = code.value;
      queue_.number[at] = code.number;
    }
    waiting_ += __popc(all);
  }
  /// How many threads before this one are among some of a warp.
  __device__ int numberAmong(unsigned some) const { return __popc(some & ((1U << lane_) - 1)); }
  __device__ SendingAround<P> aroundOf(int place) {
    SendingAround<P> around = frame_.around(place);
    around.last = &last_;
    return around;
  }
  __device__ void sendWaiting() {
    __syncwarp();
    const int count = min(waiting_, warpWidth);
    waiting_ -= count;
    const int number = waiting_ + lane_;
    if (lane_ < count) {
      SendingAround<P> around = aroundOf(queue_.place[number]);
      around.code = {queue_.code[number], queue_.number[number]};
      const P bare = loadPlace<P, Whose::others>(frame_.in(), around.at);
      apply<ruleOf(Tag{})>(bare, around, arguments_);
    }
    __syncwarp();
    deliver();
  }

  /// Begins to deliver what a rule has sent last, after what was begun before has been looked at:
  /// to keep something of two deliveries would make the thread wait for memory at once.
  __device__ void deliver() {
    if constexpr (!Frame::hasNear) {
      queueRetries();
      begun_ = last_;
      last_ = {};
      if (begun_.first != nullptr) {
        begun_.seen = compareExchange(*inDeviceMemory(begun_.first), 0, begun_.code,
                                      frame_.launch.sending.isShared);
      }
    }
  }
  __device__ void finish() {
    if constexpr (Frame::hasNear) {
      complete<P>(frame_.launch, frame_.out(), true, last_);
      last_ = {};
    } else {
      queueRetries();
      begun_ = {};
      while (waitingRetries_ > 0) retry();
    }
  }
  /// What was begun before and found another code has to wait.
  __device__ void queueRetries() {
    const bool own = begun_.seen != 0;
    const unsigned all = __ballot_sync(~0U, own);
    if (all == 0) return;
    if (own) {
      retries_->entries[waitingRetries_ + numberAmong(all)] = {begun_.first, begun_.seen,
                                                               begun_.code, begun_.beyond};
    }
    waitingRetries_ += __popc(all);
    if (waitingRetries_ >= warpWidth) retry();
  }
  __device__ void retry() {
    __syncwarp();
    const int count = min(waitingRetries_, warpWidth);
    waitingRetries_ -= count;
    if (lane_ < count) {
      const RetryQueue::Entry& entry = retries_->entries[waitingRetries_ + lane_];
      complete<P>(frame_.launch, frame_.out(), false,
                  {entry.first, 0, entry.seen, entry.code, entry.beyond});
    }
    __syncwarp();
  }

  const Arguments& arguments_;
  const Frame& frame_;
  CodeQueue& queue_;
  RetryQueue* retries_;
  int lane_;
  int waiting_ = 0, waitingRetries_ = 0;
  Delivery last_, begun_;
};

}  // namespace mass::detail
