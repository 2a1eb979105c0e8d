#pragma once

// How a warp sends what is in places whose bags lie in the device's memory. Included where nvcc
// compiles a model.

#include <mass/kernels/scatter/gpu_code_sender.hpp>

#include <cstdint>

namespace mass::detail {

/// Sends what is in places, a place a thread. Of codes that are sent one by one, each thread sends
/// the first of its place; further ones, of which few places have any, wait until they are enough
/// for a warp. So do deliveries that find another code where they come to.
template <class Tag, class Before, class Arguments, class Frame>
class RowSender : CodeSender<Tag, Before, Arguments, Frame> {
  using Base = CodeSender<Tag, Before, Arguments, Frame>;
  using Base::waiting_, Base::last_, Base::frame_, Base::lane_;
  using typename Base::P, typename Base::Turn;

 public:
  __device__ RowSender(const Arguments& arguments, const Frame& frame, CodeQueue& queue,
                       RetryQueue& retries, int lane)
      : Base(arguments, frame, queue, lane), retries_(retries) {}

  /// Sends from a place, if a thread has its `own`: all threads of a warp come together. The `last`
  /// time, nothing waits any longer.
  __device__ void send(bool own, int2 noted, bool last) {
    const auto first = static_cast<std::uint32_t>(noted.y);
    if constexpr (takesCode<ruleOf(Tag{})>) {
      MultisetOf<P> bag;
      int count = 0;
      if (own) {
        ScatterContext<P> around = this->aroundOf(noted.x);
        const P bare = this->bareAt(around);
        bag = this->preparedAt(bare, around, first).*MultisetAttributeSlot<P>::member;
        count = bag.size();
        around.element = {codeIn(bag, 0), 0};
        if (count > 0) this->call(bare, around);
      }
      deliver();
      sendOthers(noted.x, bag, count, last);
    } else {
      if (own) this->sendPlace(noted.x, first);
      deliver();
    }
    if (last) finish();
  }

 private:
  /// All codes of a place but the first.
  __device__ void sendOthers(int place, const MultisetOf<P>& bag, int count, bool last) {
    for (int i = 1;; ++i) {
      const unsigned more = __ballot_sync(~0U, i < count);
      if (more != 0) {
        this->defer(more, i < count, {place, {codeIn(bag, i), static_cast<std::uint32_t>(i)}});
      } else if (!last || waiting_ == 0) {
        return;
      }
      if (waiting_ >= warpWidth || more == 0) sendWaiting();
    }
  }
  __device__ void sendWaiting() {
    __syncwarp();
    const int count = min(waiting_, warpWidth);
    waiting_ -= count;
    if (lane_ < count) {
      const Turn& turn = this->queue_.turns[waiting_ + lane_];
      ScatterContext<P> around = this->aroundOf(turn.place);
      around.element = turn.element;
      this->call(this->bareAt(around), around);
    }
    __syncwarp();
    deliver();
  }

  /// Begins to deliver what a rule has sent last, after what was begun before has been looked at:
  /// to keep something of two deliveries would make the thread wait for memory at once.
  __device__ void deliver() {
    queueRetries();
    begun_ = last_;
    last_ = {};
    if (begun_.first != nullptr) {
      begun_.seen = compareExchange(*assumeGlobal(begun_.first), 0, begun_.element,
                                    frame_.launch.scatter.isShared);
    }
  }
  __device__ void finish() {
    queueRetries();
    begun_ = {};
    while (waitingRetries_ > 0) retry();
  }
  /// What was begun before and found another code has to wait.
  __device__ void queueRetries() {
    const bool own = begun_.seen != 0;
    const unsigned all = __ballot_sync(~0U, own);
    if (all == 0) return;
    if (own) {
      retries_.entries[waitingRetries_ + this->numberAmong(all)] = {begun_.first, begun_.seen,
                                                                    begun_.element, begun_.beyond};
    }
    waitingRetries_ += __popc(all);
    if (waitingRetries_ >= warpWidth) retry();
  }
  __device__ void retry() {
    __syncwarp();
    const int count = min(waitingRetries_, warpWidth);
    waitingRetries_ -= count;
    if (lane_ < count) {
      const RetryQueue::Entry& entry = retries_.entries[waitingRetries_ + lane_];
      finishInsertion<P>(frame_.launch, frame_.out(), false,
                         {entry.first, 0, entry.seen, entry.element, entry.beyond});
    }
    __syncwarp();
  }

  RetryQueue& retries_;
  int waitingRetries_ = 0;
  PendingElement begun_;
};

}  // namespace mass::detail
