#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/rules/here.hpp>
#include <mass/rules/loading.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/stencil.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace mass {
namespace detail {

/// Where element k of slot S, which is streamed, comes from.
template <class S>
MASS_FN constexpr auto sourceOf(int k) {
  auto offset = S::Directions::velocity(k);
  for (int& step : offset.values) step = -step;
  return offset;
}

/// Whether a rule may read element k of slot S in the place at an offset: where it is a ghost,
/// there may be nothing.
template <class S, int D>
constexpr bool isReadable([[maybe_unused]] const Offset<D>& offset, [[maybe_unused]] int k) {
  if constexpr (S::isStreamed) {
    const Offset<D> source = sourceOf<S>(k);
    bool isSource = true, isOwn = true;
    for (int axis = 0; axis < D; ++axis) {
      isSource = isSource && source[axis] == offset[axis];
      isOwn = isOwn && offset[axis] == 0;
    }
    return isSource || isOwn;
  } else {
    return true;
  }
}
/// What it reads in a checked build where it may not: no number.
template <class T>
T poison() {
  T element;
  std::memset(static_cast<void*>(&element), 0xff, sizeof(element));
  return element;
}
template <class P, int D>
void poisonStreamed([[maybe_unused]] P& place, [[maybe_unused]] const Offset<D>& offset) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      for (std::size_t k = 0; k < S::count; ++k) {
        if (!isReadable<S>(offset, static_cast<int>(k)))
          (place.*S::member)[k] = poison<typename S::Element>();
      }
    }
  });
}

/// Reports a read beyond what the ghosts hold. Not inlined: it must not weigh on the rule's loop.
[[noreturn]] void failReach(std::string_view place, int dimensions, const std::int64_t* coordinates,
                            const int* offset, int reach);
/// Reports a run-time neighbour that there is not.
[[noreturn]] void failNeighbor(std::string_view place, int dimensions,
                               const std::int64_t* coordinates, int number, int neighbors);

}  // namespace detail

/// What a rule sees around its place: neighbours as they were before the call, and all that Here
/// says.
template <class P>
class Neighborhood : public Here<P::dimensions> {
 public:
  static constexpr int dimensions = P::dimensions;

  MASS_FN Neighborhood(const detail::Launch& launch, const void* const* in, detail::Cursor at,
                       std::int64_t row, std::int64_t line, std::int64_t column,
                       detail::RandomOwner owner = {})
      : Here<dimensions>(launch, row, line, column, owner), in_(in), at_(at) {}
#if defined(__CUDA_ARCH__)
  /// In a 3-D world, where the block has in its memory what `lines`, which must outlive this, says:
  /// `in` leads there for all that is not constant.
  MASS_FN Neighborhood(const detail::Launch& launch, const void* const* in, detail::Cursor at,
                       std::int64_t row, std::int64_t line, std::int64_t column,
                       const detail::CachedRows<P::reach>& lines)
      : Here<dimensions>(launch, row, line, column), in_(in), at_(at), lines_(&lines) {}
#endif

  /// The neighbour at an offset along every axis, axis 0 first. No component may exceed P::reach
  /// (checked builds throw UsageError).
  template <class... Steps>
  requires(sizeof...(Steps) == dimensions) MASS_FN P operator()(Steps... steps) const {
    return (*this)(Offset<dimensions>{static_cast<int>(steps)...});
  }
  MASS_FN P operator()(Offset<dimensions> offset) const {
    if constexpr (checked) checkReach(offset);
    const auto find = [&](auto slot) { return at<decltype(slot)>(offset); };
    P place = detail::loadPlaceBy<P, detail::LoadScope::neighbor>(in_, find);
    if constexpr (checked) detail::poisonStreamed(place, offset);
    return place;
  }

  /// An attribute of the neighbour at an offset: the same as near(offset).member, or
  /// near(offset).member[element] of an array, but quicker compiled where a rule has many of them.
  template <auto Member>
  MASS_FN auto get(Offset<dimensions> offset, int element = 0) const {
    using S = detail::AttributeSlotFor<P, Member>;
    if constexpr (checked) {
      checkReach(offset);
      if (!detail::isReadable<S>(offset, element)) return detail::poison<typename S::Element>();
    }
#if defined(__CUDA_ARCH__)
    if constexpr (S::interleave > 1) {
      const auto pitch = static_cast<Index>(this->launch().layout.pitch);
      return detail::loadElement<S>(in_[S::first], at<S>(offset).component(element, pitch));
    }
#endif
    return detail::loadElement<S>(in_[S::first + static_cast<std::size_t>(element)], at<S>(offset));
  }

  /// For `receive`: element k of an attribute that is streamed, of the neighbour it comes from; or,
  /// where that lies beyond a fixed end of the line, the element `opposite` of the place itself.
  /// One load, of a selected address: what was loaded once more for some places would be waited for
  /// by all.
  template <auto Member>
  MASS_FN typename detail::AttributeSlotFor<P, Member>::Element pullStreamed(
      Offset<dimensions> source, int k, [[maybe_unused]] int opposite) const {
#if defined(__CUDA_ARCH__)
    using S = detail::AttributeSlotFor<P, Member>;
    const int step = source[dimensions - 1], lane = at_.lane + step;
    if (lane >= 0 && lane < at_.width) return get<Member>(source, k);
    const bool isOut = this->isAtFixedEnd(dimensions - 1, step < 0 ? 0 : 1);
    const auto pitch = static_cast<Index>(this->launch().layout.pitch);
    // What has an opposite shares its buffer with it.
    const Index number = isOut ? at<S>({}).component(opposite, pitch).number(S::interleave)
                               : at<S>(source).component(k, pitch).number(S::interleave);
    return S::Form::decode(static_cast<const typename S::Stored*>(in_[S::first])[number]);
#else
    return get<Member>(source, k);
#endif
  }

  /// How many neighbours of a stencil have a bool attribute set: `const auto living =
  /// near.count<&Life::alive>(mass::moore<2>)`. The same as adding them up in a loop, but in bytes
  /// (`auto` keeps it one), of which a vector holds four times as many as of ints.
  template <auto Member, class Kind>
  MASS_FN std::uint8_t count(Stencil<Kind>) const {
    using S = detail::AttributeSlotFor<P, Member>;
    static_assert(std::is_same_v<typename S::Value, bool>, "count is for a bool attribute");
    static_assert(Kind::size <= 255, "count is a byte: add the neighbours up in a loop");
    return detail::sumOfBytes<Kind::size>(in_[S::first], at_, [&](int number) {
      const auto offset = Kind::offset(number);
      if constexpr (checked) checkReach(offset);
      return at<S>(offset);
    });
  }

  /// Neighbours chosen at run time with Places::setNeighbors, 0 <= i < size().
  /// Checked builds throw UsageError for any other i.
  MASS_FN P operator[](int i) const {
    static_assert(!detail::hasStreamed<P>, "of what is streamed, rules read fixed neighbours");
    if constexpr (checked) checkNeighbor(i);
    const auto distance = static_cast<Index>(this->launch().neighborSteps[i]);
    return detail::loadPlace<P, detail::LoadScope::neighbor>(in_, at_.moved(distance, 0));
  }
  MASS_FN int size() const {
    return this->launch().neighborCount;
  }

 protected:
  void checkReach(Offset<dimensions> offset) const {
    for (int axis = 0; axis < dimensions; ++axis) {
      if (std::abs(offset[axis]) > P::reach) {
        detail::failReach(detail::typeName<P>(), dimensions, this->coordinates().values,
                          offset.values, P::reach);
      }
    }
  }

 private:
  /// Where slot S of a neighbour lies.
  template <class S>
  MASS_FN detail::Cursor at(Offset<dimensions> offset) const {
#if defined(__CUDA_ARCH__)
    if constexpr (dimensions == 3 && !S::isConstant) {
      if (lines_ != nullptr) {
        const Index line = lines_->rows[offset[0] + P::reach] + offset[1] * lines_->pitch;
        return detail::Cursor(line, 0).moved(0, offset[2]);
      }
    }
#endif
    const auto rowStride = static_cast<Index>(this->launch().layout.rowStride);
    const auto pitch = static_cast<Index>(this->launch().layout.pitch);
    if constexpr (dimensions == 1) return at_.moved(0, offset[0]);
    if constexpr (dimensions == 2) return at_.moved(offset[0] * rowStride, offset[1]);
    if constexpr (dimensions == 3) {
      return at_.moved(offset[0] * rowStride + offset[1] * pitch, offset[2]);
    }
  }
  void checkNeighbor(int i) const {
    if (i < 0 || i >= size()) {
      detail::failNeighbor(detail::typeName<P>(), dimensions, this->coordinates().values, i,
                           size());
    }
  }

  const void* const* in_;
  detail::Cursor at_;
#if defined(__CUDA_ARCH__)
  const detail::CachedRows<P::reach>* lines_ = nullptr;  ///< null where it has nothing
#endif
};

}  // namespace mass
