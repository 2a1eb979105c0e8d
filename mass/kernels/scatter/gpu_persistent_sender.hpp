#pragma once

// Scatter by the warps of a persistent kernel. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_element_sender.hpp>

#include <cstdint>

namespace mass::detail {

/// Sends the elements of places, one place per thread. If the rule takes single elements, each
/// thread sends the first of its place. Further elements, which few places have, are queued until
/// threads without an element are free. Suits small worlds, where such threads are found at once.
template <class Tag, class Before, class Arguments, class Frame>
class PersistentSender : ElementSender<Tag, Before, Arguments, Frame> {
  using Base = ElementSender<Tag, Before, Arguments, Frame>;
  using Base::queued_, Base::last_, Base::frame_;
  using typename Base::P, typename Base::QueuedElement;
  using Word = typename MultisetOf<P>::Word;

 public:
  using Base::Base;

  /// Sends from a place if `own`. Called by all threads of a warp; if `last`, also sends all queued
  /// elements.
  /// @param noted place and first word of its multiset
  __device__ void send(bool own, int2 noted, bool last) {
    const auto first = static_cast<std::uint32_t>(noted.y);
    if constexpr (takesElement<ruleOf(Tag{})>) {
      sendElements({own ? noted.x : QueuedElement::none, {first, QueuedElement::isWord}}, last);
    } else if (own) {
      this->sendPlace(noted.x, first);
    }
    if (!last) return;
    finishInsertion<P>(frame_.launch, frame_.out(), true, last_);
    last_ = {};
  }

 private:
  __device__ void sendElements(QueuedElement entry, bool last) {
    const int home = entry.place;
    int next = last ? queueSiblings(entry) : 1;  // next element of this place to be queued
    MultisetOf<P> multiset;
    for (int count = 0;;) {
      dequeue(entry);
      if (entry.place != QueuedElement::none) {
        ScatterContext<P> around = this->aroundOf(entry.place);
        const P withoutMultiset = this->loadWithoutMultiset(around);
        around.element = entry.element;
        if ((entry.element.number & QueuedElement::isWord) != 0) {
          multiset = this->preparedAt(withoutMultiset, around, entry.element.value).*
                     MultisetAttributeSlot<P>::member;
          const int size = multiset.size(),
                    number = static_cast<int>(entry.element.number - QueuedElement::isWord);
          // In the first word: queueSiblings() skips places whose first word is full.
          around.element.value = number < size ? Word::element(multiset[0], number) : 0;
          around.element.number = static_cast<std::uint32_t>(number);
          if (number == 0) count = size;
        }
        if (around.element.value != 0) this->call(withoutMultiset, around);
      }
      unsigned more = 0;
      for (; queued_ < warpWidth && (more = __ballot_sync(~0U, next < count)) != 0; ++next) {
        this->enqueue(more, next < count,
                      {home, {elementIn(multiset, next), static_cast<std::uint32_t>(next)}});
      }
      if (queued_ < warpWidth && (!last || queued_ == 0)) return;
      entry.place = QueuedElement::none;
    }
  }
  /// Queues further elements of places along with the first ones, if threads without an element are
  /// free; each thread prepares the multiset for itself.
  /// @return number of elements of this thread's place that are queued or sent; the rule before may
  /// leave more or fewer
  __device__ int queueSiblings(const QueuedElement& entry) {
    const bool own = entry.place != QueuedElement::none;
    // Further words can be taken only once.
    if (__any_sync(~0U, own && Word::isFull(entry.element.value))) return 1;
    const int size = own ? Word::size(entry.element.value) : 0;
    int used = __popc(__ballot_sync(~0U, own)) + queued_;
    for (int i = 1;; ++i) {
      const unsigned more = __ballot_sync(~0U, i < size);
      used += __popc(more);
      if (more == 0 || used > warpWidth) return max(min(i, size), 1);
      this->enqueue(more, i < size,
                    {entry.place,
                     {entry.element.value, static_cast<std::uint32_t>(i) | QueuedElement::isWord}});
    }
  }
  /// Hands queued elements to threads without one.
  __device__ void dequeue(QueuedElement& entry) {
    if (queued_ == 0) return;
    __syncwarp();
    const unsigned free = __ballot_sync(~0U, entry.place == QueuedElement::none);
    const int number = this->numberAmong(free);
    if (entry.place == QueuedElement::none && number < queued_) {
      entry = this->queue_.elements[queued_ - 1 - number];
    }
    queued_ -= min(queued_, __popc(free));
    __syncwarp();
  }
};

}  // namespace mass::detail
