#pragma once

// How a warp sends what is in the places of a tile. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_code_sender.hpp>

#include <cstdint>

namespace mass::detail {

/// Sends what is in places, a place a thread. Of codes that are sent one by one, each thread sends
/// the first of its place; further ones, of which few places have any, wait until there are threads
/// that have none. In small worlds these are found at once: nobody has to come twice.
template <class Tag, class Before, class Arguments, class Frame>
class TileSender : CodeSender<Tag, Before, Arguments, Frame> {
  using Base = CodeSender<Tag, Before, Arguments, Frame>;
  using Base::waiting_, Base::last_, Base::frame_;
  using typename Base::P, typename Base::Turn;
  using Word = typename MultisetOf<P>::Word;

 public:
  using Base::Base;

  /// Sends from a place, if a thread has its `own`: all threads of a warp come together. The `last`
  /// time, nothing waits any longer.
  __device__ void send(bool own, int2 noted, bool last) {
    const auto first = static_cast<std::uint32_t>(noted.y);
    if constexpr (takesCode<ruleOf(Tag{})>) {
      sendCodes({own ? noted.x : Turn::none, {first, Turn::isWord}}, last);
    } else if (own) {
      this->sendPlace(noted.x, first);
    }
    if (!last) return;
    finishInsertion<P>(frame_.launch, frame_.out(), true, last_);
    last_ = {};
  }

 private:
  __device__ void sendCodes(Turn turn, bool last) {
    const int home = turn.place;
    int next = last ? spread(turn) : 1;  // code of this place; those before it have turns
    MultisetOf<P> bag;
    for (int count = 0;;) {
      takeTurn(turn);
      if (turn.place != Turn::none) {
        ScatterContext<P> around = this->aroundOf(turn.place);
        const P bare = this->bareAt(around);
        around.element = turn.element;
        if ((turn.element.number & Turn::isWord) != 0) {
          bag =
              this->preparedAt(bare, around, turn.element.value).*MultisetAttributeSlot<P>::member;
          const int size = bag.size(),
                    number = static_cast<int>(turn.element.number - Turn::isWord);
          // In the first word: that of a place whose codes are spread was not full.
          around.element.value = number < size ? Word::element(bag[0], number) : 0;
          around.element.number = static_cast<std::uint32_t>(number);
          if (number == 0) count = size;
        }
        if (around.element.value != 0) this->call(bare, around);
      }
      unsigned more = 0;
      for (; waiting_ < warpWidth && (more = __ballot_sync(~0U, next < count)) != 0; ++next) {
        this->defer(more, next < count,
                    {home, {codeIn(bag, next), static_cast<std::uint32_t>(next)}});
      }
      if (waiting_ < warpWidth && (!last || waiting_ == 0)) return;
      turn.place = Turn::none;
    }
  }
  /// Lets further codes of places have turns together with the first ones, where there are threads
  /// that have none; each prepares the place's bag for itself. Returns how many codes of this
  /// thread's place have turns: what reacts may leave more, or fewer.
  __device__ int spread(const Turn& turn) {
    const bool own = turn.place != Turn::none;
    // What lies in further words can be taken only once.
    if (__any_sync(~0U, own && Word::isFull(turn.element.value))) return 1;
    const int size = own ? Word::size(turn.element.value) : 0;
    int used = __popc(__ballot_sync(~0U, own)) + waiting_;
    for (int i = 1;; ++i) {
      const unsigned more = __ballot_sync(~0U, i < size);
      used += __popc(more);
      if (more == 0 || used > warpWidth) return max(min(i, size), 1);
      this->defer(more, i < size,
                  {turn.place, {turn.element.value, static_cast<std::uint32_t>(i) | Turn::isWord}});
    }
  }
  /// Gives threads that have no turn those that wait.
  __device__ void takeTurn(Turn& turn) {
    if (waiting_ == 0) return;
    __syncwarp();
    const unsigned free = __ballot_sync(~0U, turn.place == Turn::none);
    const int number = this->numberAmong(free);
    if (turn.place == Turn::none && number < waiting_) {
      turn = this->queue_.turns[waiting_ - 1 - number];
    }
    waiting_ -= min(waiting_, __popc(free));
    __syncwarp();
  }
};

}  // namespace mass::detail
