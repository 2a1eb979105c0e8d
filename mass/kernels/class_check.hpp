#pragma once

#include <mass/kernels/member_check.hpp>
#include <mass/rules/attributes.hpp>

#include <type_traits>

// Checks of user classes at compile time. Each is a chain: the first static_assert that fails is
// the only one, and code that depends on the class is not compiled after it.

namespace mass::detail {

/// True if T has a public type Attributes.
template <class T>
concept ListsAttributes = requires {
  typename T::Attributes;
};

/// Checks the type of an attribute. @return false after a failed static_assert
template <class Value>
constexpr bool isValidAttribute() {
  using Element = typename ValueTraits<Value>::Element;
  constexpr bool isArray = std::is_array_v<Element>;
  constexpr bool isPointer = std::is_pointer_v<Element>;
  constexpr bool isPlain = std::is_trivially_copyable_v<Element>;
  static_assert(!isArray,
                "an array attribute must have one dimension: declare `float values[6]` for 2 x 3 "
                "values, and index it by row * 3 + column");
  static_assert(!isPointer,
                "a pointer is no attribute: it has no meaning on other devices or after a restart");
  static_assert(isArray || isPlain,
                "an attribute is a number, an enum, or an array or struct of them: std::string, "
                "std::vector and other classes that own memory cannot be copied to devices");
  return !isArray && !isPointer && isPlain;
}

template <class Attributes>
struct AttributeCheck;
template <auto... Items>
struct AttributeCheck<Attributes<Items...>> {
  template <auto Item>
  using ValueOf =
      typename MemberTraits<std::remove_cvref_t<decltype(MarkerTraits<Item>::member)>>::Value;
  static constexpr bool areValid() { return (true && ... && isValidAttribute<ValueOf<Items>>()); }
};

/// Checks a class of places or agents with the base class Base.
/// @return false after a failed static_assert
template <class T, class Base>
constexpr bool isValidClass() {
  static_assert(ListsAttributes<T>,
                "a class of places or agents must have `public: using Attributes = "
                "mass::Attributes<&Class::member, ...>;`, a list of its data members (without "
                "any, mass::Attributes<>)");
  if constexpr (ListsAttributes<T>) {
    static_assert(!std::is_polymorphic_v<T>,
                  "a class of places or agents has no virtual functions: GPUs cannot call them; "
                  "use an attribute and a condition, or several classes");
    static_assert(std::is_polymorphic_v<T> || std::is_default_constructible_v<T>,
                  "a class of places or agents needs a constructor without parameters, which gives "
                  "the initial values of its members");
    if constexpr (std::is_polymorphic_v<T> || !std::is_default_constructible_v<T>) {
      return false;
    } else if constexpr (AttributeCheck<typename T::Attributes>::areValid()) {
      static_assert(listsEveryMember<T, Base>(),
                    "a data member of this class is missing in its Attributes (or listed twice, "
                    "or, in a class with a constructor, not in the order of declaration)");
      return listsEveryMember<T, Base>();
    }
  }
  return false;
}

}  // namespace mass::detail
