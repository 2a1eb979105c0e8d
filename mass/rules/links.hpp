#pragma once

#include <mass/memory/links_view.hpp>
#include <mass/memory/packed_codes.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/rules/here.hpp>
#include <mass/rules/loading.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/node.hpp>
#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace mass {
namespace detail {

/// Throws the UsageError of a rule that uses a link with an index out of range.
[[noreturn]] MASS_EXPORT void failLink(std::string_view node, std::int64_t number, int link,
                                       int links);

/// True if links may read attributes of slot S from PackedCodes, on CPUs.
template <class S>
inline constexpr bool isPackedInLinks =
    !onGpu && !S::isArray && sizeof(typename S::Stored) == 1 &&
    std::is_scalar_v<typename S::Stored> && !isMultiset<typename S::Value>;

}  // namespace detail

/// Link of a node to another one: an element of Links.
template <class P>
class Link {
 public:
  /// For kernels: the link to the node at `at`.
  /// @param end row of the node in the band @param weight null: 1
  MASS_FN Link(const void* const* in, detail::Cursor at, std::int32_t end,
               const detail::LinksView& links, const double* weight)
      : in_(in),
        at_(at),
        end_(end),
        numbers_(links.numbers),
        packed_(links.packed),
        weight_(weight) {}

  /// Returns the node at which the link ends, as it was before the call. The compiler removes loads
  /// of attributes that the rule does not use.
  MASS_FN P node() const {
    return detail::assemblePlace<P, detail::LoadScope::neighbor>([&](auto slot, std::size_t k) {
      using S = decltype(slot);
      if constexpr (detail::isPackedInLinks<S>) {
        const std::uint32_t* const words = packed_ == nullptr ? nullptr : packed_[S::first];
        if (words != nullptr)
          return S::Form::decode(
              static_cast<typename S::Stored>(detail::PackedCodes::of(words, end_)));
      }
      return detail::loadElement<S>(in_[S::first + k], at_);
    });
  }
  /// Returns the number of the node at which the link ends.
  MASS_FN std::int64_t index() const { return numbers_ == nullptr ? end_ : numbers_[end_]; }
  /// Returns the weight of the link in the Graph; 1 if that has none.
  MASS_FN double weight() const { return weight_ == nullptr ? 1.0 : *weight_; }

 private:
  const void* const* in_;
  detail::Cursor at_;
  std::int32_t end_;
  const std::int32_t* numbers_;
  const std::uint32_t* const* packed_;
  const double* weight_;
};

/// Links of a node to others, in the order of the Graph. Parameter `const Links<P>&` of rules of
/// nodes of class P:
///
///     for (const auto link : friends) total += link.weight() * link.node().opinion;
template <class P>
class Links {
  static_assert(detail::isNode<P>, "Links<P> are those of nodes: derive P from mass::Node");

 public:
  /// For kernels: the links of the node of a call.
  MASS_FN explicit Links(const Neighborhood<P>& near)
      : in_(near.buffers()),
        at_(near.cursor()),
        row_(static_cast<Index>(detail::LocalPosition::of(near).row)),
        links_(detail::LocalPosition::linksOf(near)),
        begin_(links_.offsets[row_]),
        end_(links_.offsets[row_ + 1]),
        near_(&near) {}

  /// Returns the number of links.
  MASS_FN int size() const { return end_ - begin_; }
  /// Returns link k, 0 <= k < size().
  /// @throws UsageError in checked builds if k is out of range
  MASS_FN Link<P> operator[](int k) const {
    if constexpr (checked) {
      if (k < 0 || k >= size()) detail::failLink(detail::typeName<P>(), near_->index(), k, size());
    }
    return at(begin_ + k);
  }

  /// Iterator over the links of a node.
  class Iterator {
   public:
    /// Iterator at a link by its number on the device.
    MASS_FN Iterator(const Links& links, std::int32_t number) : links_(&links), number_(number) {}
    /// Returns the link.
    MASS_FN Link<P> operator*() const { return links_->at(number_); }
    /// Advances to the next link.
    MASS_FN Iterator& operator++() {
      ++number_;
      return *this;
    }
    /// True if both are at the same link. @pre both are of the same node
    MASS_FN friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.number_ == b.number_;
    }

   private:
    const Links* links_;
    std::int32_t number_;
  };

  /// Iterator at the first link.
  MASS_FN Iterator begin() const { return {*this, begin_}; }
  /// Iterator behind the last link.
  MASS_FN Iterator end() const { return {*this, end_}; }

 private:
  MASS_FN Link<P> at(std::int32_t number) const {
    const std::int32_t end = links_.ends[number];
    return {in_, at_.moved(static_cast<Index>(end) - row_, 0), end, links_,
            links_.weights == nullptr ? nullptr : links_.weights + number};
  }

  const void* const* in_;
  detail::Cursor at_;  // position of the node
  Index row_;
  detail::LinksView links_;
  std::int32_t begin_, end_;
  const Neighborhood<P>* near_;
};

}  // namespace mass
