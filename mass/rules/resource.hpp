#pragma once

#include <mass/launch/resource_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/loading.hpp>
#include <mass/rules/place.hpp>
#include <mass/rules/world_position.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <type_traits>

namespace mass {
namespace detail {

/// Class of the places with an attribute.
template <auto Member>
using HolderOf = typename MemberTraits<std::remove_cv_t<decltype(Member)>>::Class;

}  // namespace detail

/// Attribute of the places that agents take from, each on its own place. Parameter
/// `const Resource<&Meadow::grass>& grass` of changing rules of agents that live on meadows. The
/// agents of a place take one after another, in the order of their identities; each finds what
/// those before it have left:
///
///     MASS_FN void graze(const mass::Resource<&Meadow::grass>& grass) {
///       if (grass.take(1)) energy += 4;
///     }
///
/// They leave in the same way: `scent.add(1)`.
///
/// A Neighborhood that the rule reads has the attribute as before the call. FieldResource,
/// FinerResource and CoarserResource take from other places.
/// @tparam Member attribute of the places: no array and not constant; a number for take() and
/// takeUpTo()
template <auto Member>
class Resource {
  using P = detail::HolderOf<Member>;
  using S = detail::AttributeSlotFor<P, Member>;

 public:
  using Value = typename S::Value;  ///< Type of the attribute.
  /// True if amounts can be taken.
  static constexpr bool isNumber = std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>;
  static_assert(!S::isArray && !S::isConstant,
                "a Resource is an attribute of places that is no array and not constant");

  /// For kernels: the attribute of the place at `at`. @param out buffers of the next state
  MASS_FN Resource(void* const* out, detail::Cursor at) : data_(out[S::first]), at_(at) {}
  /// For kernels: the attribute of other places, of the one at a position.
  MASS_FN Resource(const detail::ResourceView& view, const detail::WorldPosition& at)
      : data_(lineOf(view, at)), at_(0, static_cast<Index>(at.column)) {}

  /// Returns the value that the agents before this one have left.
  MASS_FN Value left() const { return detail::loadElement<S>(data_, at_); }
  /// Takes an amount, if so much is left.
  /// @return false if less is left, or the amount is below 0 or NaN: nothing is taken then
  MASS_FN bool take(Value amount) const requires isNumber {
    const Value before = left();
    if (!isAmount(amount) || amount > before) return false;
    set(static_cast<Value>(before - amount));
    return true;
  }
  /// Takes an amount, or what is left if that is less. @return the amount taken, 0 or more
  MASS_FN Value takeUpTo(Value amount) const requires isNumber {
    const Value before = left();
    const Value taken = amount > before ? before : amount;
    if (!(taken > Value{})) return Value{};  // also for NaN
    set(static_cast<Value>(before - taken));
    return taken;
  }
  /// Takes all that is left.
  MASS_FN Value takeAll() const requires isNumber { return takeUpTo(left()); }
  /// Adds an amount. One below 0 takes, whatever is left; integers wrap at the ends of their type.
  MASS_FN void add(Value amount) const requires isNumber {
    set(static_cast<Value>(left() + amount));
  }
  /// Sets the value that the agents after this one find.
  MASS_FN void set(const Value& value) const { detail::storeElement<S>(data_, at_, value); }

 private:
  /// True for 0 or more. nvcc warns of a comparison of unsigned integers with 0.
  MASS_FN static bool isAmount([[maybe_unused]] Value amount) {
    if constexpr (std::is_unsigned_v<Value>)
      return true;
    else
      return amount >= Value{};
  }

  /// Returns the address of column 0 of a line. Its index may exceed 32 bits: other places may be
  /// more than those of the launch.
  MASS_FN static void* lineOf(const detail::ResourceView& view, const detail::WorldPosition& at) {
    const std::int64_t line =
        view.layout.at(at.row - view.firstRow, P::dimensions == 3 ? at.line : 0, 0);
    return static_cast<typename S::Stored*>(view.data) + S::interleave * line;
  }

  void* data_;
  detail::Cursor at_;
};

}  // namespace mass
