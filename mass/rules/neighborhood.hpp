#pragma once

#include <mass/rules/attributes.hpp>
#include <mass/rules/box_count.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/rules/here.hpp>
#include <mass/rules/loading.hpp>
#include <mass/rules/node.hpp>
#include <mass/rules/place.hpp>
#include <mass/rules/place_window.hpp>
#include <mass/rules/streamed_reads.hpp>
#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>
#include <mass/support/stencil.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace mass {
namespace detail {

/// Throws the UsageError of a read beyond the reach of a class. Not inlined, to keep the loop over
/// places small. @param coordinates, offset one number per axis
[[noreturn]] MASS_EXPORT void failReach(std::string_view place, int dimensions,
                                        const std::int64_t* coordinates, const int* offset,
                                        int reach);
/// Throws the UsageError of a read beside the axes by a class that declares alongAxes.
[[noreturn]] MASS_EXPORT void failAxes(std::string_view place, int dimensions,
                                       const std::int64_t* coordinates, const int* offset);
/// Throws the UsageError of a run-time neighbour with an index out of range.
[[noreturn]] MASS_EXPORT void failNeighbor(std::string_view place, int dimensions,
                                           const std::int64_t* coordinates, int number,
                                           int neighbors);

}  // namespace detail

/// Neighbours of a place, with their attributes as before the call, and the position and time of
/// the call (Here). Parameter `const Neighborhood<P>&` of rules of places, and of rules of agents
/// that live on places of class P.
///
/// Beyond a periodic border lies the other end of the axis, beyond a mirrored one the mirror image
/// of the world, beyond a fixed one the place PlacesOptions::outside.
template <class P>
class Neighborhood : public Here<P::dimensions> {
 public:
  static constexpr int dimensions = P::dimensions;  ///< Dimensions of the world.

  /// For kernels: neighbours of the place at `at`, in the buffers `in` by component.
  MASS_FN Neighborhood(const detail::Launch& launch, const void* const* in, detail::Cursor at,
                       std::int64_t row, std::int64_t line, std::int64_t column,
                       detail::RandomOwner owner = {}, detail::HereUseOnDevice use = {})
      : Here<dimensions>(launch, row, line, column, owner, 0, use), in_(in), at_(at) {}
  /// For kernels of GPUs that have counted the bools around the place.
  MASS_FN Neighborhood(const detail::Launch& launch, const void* const* in, detail::Cursor at,
                       std::int64_t row, std::int64_t line, std::int64_t column,
                       detail::BoxCount<P> around)
      : Here<dimensions>(launch, row, line, column), in_(in), at_(at), around_(around) {}
  /// For kernels of GPUs in 3-D worlds that cache rows in shared memory: `in` has addresses in
  /// shared memory for components that are not constant. @param lines must outlive this object
  MASS_FN Neighborhood(const detail::Launch& launch, const void* const* in, detail::Cursor at,
                       std::int64_t row, std::int64_t line, std::int64_t column,
                       const detail::CachedRows<P::reach>& lines)
      : Here<dimensions>(launch, row, line, column), in_(in), at_(at), lines_(&lines) {}

  /// For kernels of GPUs that keep places in registers. @param later steps after that of the launch
  MASS_FN Neighborhood(const detail::Launch& launch, const detail::PlaceWindow<P>& window,
                       std::int64_t row, std::int64_t line, std::int64_t column,
                       std::uint64_t later)
      : Here<dimensions>(launch, row, line, column, {}, later),
        in_(nullptr),
        at_(0),
        window_(window) {}

  /// For kernels: the position of the place in its buffers.
  MASS_FN const detail::Cursor& cursor() const { return at_; }
  /// For kernels: the buffers by component.
  MASS_FN const void* const* buffers() const { return in_; }

  /// Returns the neighbour at the offset with these components, axis 0 first; (0, ..., 0) is the
  /// place itself before the call. Its multiset is empty. The compiler removes loads of attributes
  /// that the rule does not use.
  /// @pre each component is at most P::reach in magnitude
  /// @throws UsageError in checked builds otherwise
  template <class... Steps>
  requires(sizeof...(Steps) == dimensions) MASS_FN P operator()(Steps... steps) const {
    return (*this)(Offset<dimensions>{static_cast<int>(steps)...});
  }
  /// Returns the neighbour at an offset; see above.
  MASS_FN P operator()(Offset<dimensions> offset) const {
    if constexpr (checked) checkReach(offset);
    if constexpr (hasWindow) {
      if (window_.exists()) return window_.at(offset);
    }
    const auto find = [&](auto slot) { return cursorOf<decltype(slot)>(offset); };
    P place = detail::loadPlaceBy<P, detail::LoadScope::neighbor>(in_, find);
    if constexpr (checked) detail::poisonStreamed(place, offset);
    return place;
  }

  /// Returns the neighbour with a position, which may be outside the world.
  /// @param space space of these places, see spaceOf()
  /// @pre it is within P::reach of this place, along periodic axes by the shorter way
  /// @throws UsageError in checked builds otherwise
  template <class Position>
  MASS_FN P at(const Space<dimensions>& space, const Position& position) const {
    return (*this)(space.offsetTo(this->coordinates(), position));
  }

  /// Returns an attribute of the neighbour at an offset: the value near(offset).member, or
  /// near(offset).member[element] of an array attribute. Compiles faster than these in rules with
  /// many reads.
  /// @tparam Member pointer to member of the attribute, `&P::member`
  /// @pre each component of `offset` is at most P::reach in magnitude
  /// @throws UsageError in checked builds otherwise
  template <auto Member>
  MASS_FN auto get(Offset<dimensions> offset, int element = 0) const {
    using S = detail::AttributeSlotFor<P, Member>;
    if constexpr (checked) {
      checkReach(offset);
      if (!detail::isReadable<S>(offset, element)) return detail::poison<typename S::Element>();
    }
    if constexpr (hasWindow && !S::isArray) {
      if (window_.exists()) return window_.at(offset).*Member;
    }
    if constexpr (onGpu && S::interleave > 1) {
      const auto pitch = static_cast<Index>(this->launch().layout.pitch);
      return detail::loadElement<S>(in_[S::first], cursorOf<S>(offset).component(element, pitch));
    }
    return detail::loadElement<S>(in_[S::first + static_cast<std::size_t>(element)],
                                  cursorOf<S>(offset));
  }

  /// For kernels: returns element k of streamed attribute `Member` of the place at offset `source`.
  /// On GPUs, if that lies beyond a fixed end of the line, returns element `opposite` of this place
  /// instead (bounce-back). The address is selected before one load: a second load for a few places
  /// would delay all threads of the warp.
  template <auto Member>
  MASS_FN typename detail::AttributeSlotFor<P, Member>::Element pullStreamed(
      Offset<dimensions> source, int k, [[maybe_unused]] int opposite) const {
    if constexpr (!onGpu) {
      return get<Member>(source, k);
    } else {
      using S = detail::AttributeSlotFor<P, Member>;
      const int step = source[dimensions - 1];
      if (at_.isOwn(step)) return get<Member>(source, k);
      const bool isOut = this->isAtFixedEnd(dimensions - 1, step < 0 ? 0 : 1);
      const auto pitch = static_cast<Index>(this->launch().layout.pitch);
      // An element and its opposite share a buffer.
      const Index number = isOut ? cursorOf<S>({}).component(opposite, pitch).number(S::interleave)
                                 : cursorOf<S>(source).component(k, pitch).number(S::interleave);
      return S::Form::decode(static_cast<const typename S::Stored*>(in_[S::first])[number]);
    }
  }

  /// Returns the number of neighbours in a stencil whose bool attribute is true:
  /// `const auto living = near.count<&Life::alive>(mass::moore<2>)`. Faster than a loop over the
  /// stencil: the sum is a byte (declare it `auto`), and a vector register holds four times as many
  /// bytes as ints.
  /// @tparam Member pointer to member of the attribute, `&P::member`
  template <auto Member, class Kind>
  MASS_FN std::uint8_t count(Stencil<Kind>) const {
    using S = detail::AttributeSlotFor<P, Member>;
    static_assert(std::is_same_v<typename S::Value, bool>,
                  "Neighborhood::count needs an attribute of type bool");
    static_assert(Kind::size <= 255,
                  "Neighborhood::count needs a stencil of at most 255 places; use a loop instead");
    if constexpr (onGpu && detail::isBoolInSpace<P>() && std::is_same_v<Kind, detail::Moore<3>>) {
      if (around_.exists) return around_.count;
    }
    if constexpr (hasWindow) {
      if (window_.exists()) {
        unsigned sum = 0;
        for (int number = 0; number < Kind::size; ++number)
          sum += window_.at(Kind::offset(number)).*Member ? 1U : 0U;
        return static_cast<std::uint8_t>(sum);
      }
    }
    return detail::sumOfBytes<Kind::size>(in_[S::first], at_, [&](int number) {
      const auto offset = Kind::offset(number);
      if constexpr (checked) checkReach(offset);
      return cursorOf<S>(offset);
    });
  }

  /// Returns the sum of an attribute that is a number over the neighbours in a stencil, in the
  /// order of the stencil: `near.sum<&Heat::temperature>(mass::vonNeumann<2>)`.
  /// @tparam Member pointer to member of the attribute, `&P::member`
  /// @return sum in the type of `a + b`: int for smaller integers and bool
  template <auto Member, class Kind>
  MASS_FN auto sum(Stencil<Kind> stencil) const {
    using Value = typename detail::AttributeSlotFor<P, Member>::Value;
    static_assert(std::is_arithmetic_v<Value>,
                  "Neighborhood::sum needs an attribute that is a number");
    decltype(Value{} + Value{}) total{};
    for (const auto offset : stencil) total += get<Member>(offset);
    return total;
  }

  /// Returns the neighbour at offset i of Places::setNeighbors, 0 <= i < size().
  /// @throws UsageError in checked builds if i is out of range
  MASS_FN P operator[](int i) const {
    static_assert(!detail::hasStreamed<P>,
                  "places with streamed attributes have no run-time neighbours: use near(offset)");
    this->noteUse();
    if constexpr (checked) checkNeighbor(i);
    const auto distance = static_cast<Index>(this->launch().neighborSteps[i]);
    // Such a distance moves packs of columns to places at which none begins.
    return detail::loadPlace<P, detail::LoadScope::neighbor>(in_, at_.alone().moved(distance, 0));
  }
  /// Number of offsets given to Places::setNeighbors.
  MASS_FN int size() const {
    this->noteUse();
    return this->launch().neighborCount;
  }

 protected:
  /// Throws UsageError if a component of an offset exceeds P::reach, or P::reads excludes it.
  void checkReach(Offset<dimensions> offset) const {
    if constexpr (P::reads == alongAxes) {
      if (dimensions - std::ranges::count(offset.values, 0) > 1)
        detail::failAxes(detail::typeName<P>(), dimensions, this->coordinates().values,
                         offset.values);
    }
    for (int axis = 0; axis < dimensions; ++axis) {
      if (std::abs(offset[axis]) > P::reach) {
        detail::failReach(detail::typeName<P>(), dimensions, this->coordinates().values,
                          offset.values, P::reach);
      }
    }
  }

 private:
  /// Position of slot S of a neighbour in its buffer.
  template <class S>
  MASS_FN detail::Cursor cursorOf(Offset<dimensions> offset) const {
    static_assert(!detail::isNode<P>,
                  "nodes of a network have no neighbours at offsets: read those at the ends of "
                  "links, by a parameter const Links<P>&");
    if constexpr (onGpu && dimensions == 3 && !S::isConstant) {
      if (lines_ != nullptr) {
        const Index line = lines_->rows[offset[0] + P::reach] + offset[1] * lines_->pitch;
        return detail::Cursor(line, 0).moved(0, offset[2]);
      }
    }
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

  static constexpr bool hasWindow = detail::windowDimensions<P> > 0;

  const void* const* in_;
  detail::Cursor at_;
  [[no_unique_address]] detail::PlaceWindow<P> window_{};
  [[no_unique_address]] detail::CachedRowsPointer<P::reach> lines_{};
  [[no_unique_address]] detail::BoxCount<P> around_{};
};

}  // namespace mass
