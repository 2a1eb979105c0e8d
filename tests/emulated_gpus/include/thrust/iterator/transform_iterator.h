#pragma once

namespace thrust {

template <class F, class Iterator>
struct transform_iterator {
  Iterator from;
  F function;
  auto operator[](std::int64_t i) const { return function(from[i]); }
};
template <class Iterator, class F>
transform_iterator<F, Iterator> make_transform_iterator(Iterator from, F function) {
  return {from, function};
}

}  // namespace thrust
