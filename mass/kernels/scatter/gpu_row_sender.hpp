#pragma once

// Scatter by the warps of a kernel of one step, with multisets in device memory. Included where
// nvcc compiles a model.

#include <mass/kernels/scatter/gpu_element_sender.hpp>

#include <cstdint>

namespace mass::detail {

/// Sends the elements of places, one place per thread. If the rule takes single elements, each
/// thread sends the first of its place. Further elements, which few places have, are queued until
/// they suffice for a warp; so are elements that meet another one in the first word of their
/// destination.
template <class Tag, class Before, class Arguments, class Frame>
class RowSender : ElementSender<Tag, Before, Arguments, Frame> {
  using Base = ElementSender<Tag, Before, Arguments, Frame>;
  using Base::queued_, Base::last_, Base::frame_, Base::lane_;
  using typename Base::P, typename Base::QueuedElement;

 public:
  __device__ RowSender(const Arguments& arguments, const Frame& frame, ElementQueue& queue,
                       RetryQueue& retries, int lane)
      : Base(arguments, frame, queue, lane), retries_(retries) {}

  /// Sends from a place if `own`. Called by all threads of a warp; if `last`, also sends all queued
  /// elements.
  /// @param noted place and first word of its multiset
  __device__ void send(bool own, int2 noted, bool last) {
    const auto first = static_cast<std::uint32_t>(noted.y);
    if constexpr (takesElement<ruleOf(Tag{})>) {
      MultisetOf<P> multiset;
      int count = 0;
      if (own) {
        ScatterContext<P> around = this->aroundOf(noted.x);
        const P withoutMultiset = this->loadWithoutMultiset(around);
        multiset =
            this->preparedAt(withoutMultiset, around, first).*MultisetAttributeSlot<P>::member;
        count = multiset.size();
        around.element = {elementIn(multiset, 0), 0};
        if (count > 0) this->call(withoutMultiset, around);
      }
      deliver();
      sendOthers(noted.x, multiset, count, last);
    } else {
      if (own) this->sendPlace(noted.x, first);
      deliver();
    }
    if (last) finish();
  }

 private:
  /// Sends all elements of a place but the first.
  __device__ void sendOthers(int place, const MultisetOf<P>& multiset, int count, bool last) {
    for (int i = 1;; ++i) {
      const unsigned more = __ballot_sync(~0U, i < count);
      if (more != 0) {
        this->enqueue(more, i < count,
                      {place, {elementIn(multiset, i), static_cast<std::uint32_t>(i)}});
      } else if (!last || queued_ == 0) {
        return;
      }
      if (queued_ >= warpWidth || more == 0) sendQueued();
    }
  }
  __device__ void sendQueued() {
    __syncwarp();
    const int count = min(queued_, warpWidth);
    queued_ -= count;
    if (lane_ < count) {
      const QueuedElement& entry = this->queue_.elements[queued_ + lane_];
      ScatterContext<P> around = this->aroundOf(entry.place);
      around.element = entry.element;
      this->call(this->loadWithoutMultiset(around), around);
    }
    __syncwarp();
    deliver();
  }

  /// Begins to insert the element that the rule sent last. Queues the one before for a retry if its
  /// first word was not empty: testing it now rather than at once keeps the atomic operation
  /// asynchronous.
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
    while (queuedRetries_ > 0) retry();
  }
  /// Queues the insertion that met another element.
  __device__ void queueRetries() {
    const bool own = begun_.seen != 0;
    const unsigned all = __ballot_sync(~0U, own);
    if (all == 0) return;
    if (own) {
      retries_.entries[queuedRetries_ + this->numberAmong(all)] = {
          begun_.first, begun_.seen, begun_.element, begun_.remoteRow};
    }
    queuedRetries_ += __popc(all);
    if (queuedRetries_ >= warpWidth) retry();
  }
  __device__ void retry() {
    __syncwarp();
    const int count = min(queuedRetries_, warpWidth);
    queuedRetries_ -= count;
    if (lane_ < count) {
      const RetryQueue::Entry& entry = retries_.entries[queuedRetries_ + lane_];
      finishInsertion<P>(frame_.launch, frame_.out(), false,
                         {entry.first, 0, entry.seen, entry.element, entry.remoteRow});
    }
    __syncwarp();
  }

  RetryQueue& retries_;
  int queuedRetries_ = 0;
  PendingElement begun_;
};

}  // namespace mass::detail
