#pragma once

// Conversion of the arguments of Python into those of rules.

#include <python/model/model.hpp>
#include <python/model/structures.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass::python {

/// Returns the name of the first member of a type that Python cannot give; empty if there is none.
template <class T>
constexpr std::string_view unsupportedMember() {
  if constexpr (Members<T>::isListed)
    return Members<T>::unsupported();
  else
    return {};
}

/// Description of a parameter of type T, and conversion of its argument.
template <class T>
struct Argument {
  static constexpr bool isSupported = isValue<T>();
  static constexpr ParameterInfo info() {
    if constexpr (isSupported)
      return {ParameterInfo::Kind::value, detail::typeName<T>(), &valueInfo<T>};
    else
      return {ParameterInfo::Kind::unsupported, detail::typeName<T>(), nullptr,
              unsupportedMember<T>()};
  }
  static T from(const Value& value, const std::shared_ptr<detail::Engine>&) {
    return *static_cast<const T*>(value.data);
  }
};
template <class T>
struct Argument<SharedSource<T>> {
  static constexpr bool isSupported = isNumber<T> && !std::is_same_v<T, bool>;
  static constexpr ParameterInfo info() {
    if constexpr (isSupported)
      return {ParameterInfo::Kind::array, detail::typeName<T>(), &valueInfo<T>};
    else
      return {ParameterInfo::Kind::unsupported, detail::typeName<Shared<T>>()};
  }
  static SharedSource<T> from(const Value& value, const std::shared_ptr<detail::Engine>& engine) {
    const auto* first = static_cast<const T*>(value.data);
    return detail::shared(engine, std::vector<T>(first, first + value.size));
  }
};
/// Agents of class A that a rule gets as a Source.
template <class A, class Source>
struct AgentArgument {
  static constexpr bool isSupported = true;
  static constexpr ParameterInfo info() {
    return {ParameterInfo::Kind::agents, detail::typeName<A>()};
  }
  static Source from(const Value& value, const std::shared_ptr<detail::Engine>&) {
    return Agents<A>(*static_cast<const std::shared_ptr<detail::AgentsState>*>(value.data));
  }
};
template <class A>
struct Argument<detail::AgentSource<A>> : AgentArgument<A, detail::AgentSource<A>> {};
template <class A, detail::Scale scale>
struct Argument<detail::ScaledAgentSource<A, scale>>
    : AgentArgument<A, detail::ScaledAgentSource<A, scale>> {};
template <class A>
struct Argument<detail::PreySource<A>> : AgentArgument<A, detail::PreySource<A>> {};
template <class A, int most>
struct Argument<detail::BirthSource<A, most>> : AgentArgument<A, detail::BirthSource<A, most>> {};
template <class A>
struct Argument<detail::IdentitySource<A>> : AgentArgument<A, detail::IdentitySource<A>> {};
template <auto Member, int most>
struct Argument<detail::GiveSource<Member, most>>
    : AgentArgument<detail::ReceiverOf<Member>, detail::GiveSource<Member, most>> {};
/// Places of class P that a rule gets as a Source.
template <class P, class Source>
struct PlacesArgument {
  static constexpr bool isSupported = true;
  static constexpr ParameterInfo info() {
    return {ParameterInfo::Kind::places, detail::typeName<P>()};
  }
  static Source from(const Value& value, const std::shared_ptr<detail::Engine>&) {
    return Places<P>(*static_cast<const std::shared_ptr<detail::PlacesState>*>(value.data));
  }
};
template <class P, detail::Scale scale>
struct Argument<detail::FieldOf<P, scale>> : PlacesArgument<P, detail::FieldOf<P, scale>> {};
template <auto Member, detail::Scale scale>
struct Argument<detail::ResourceSource<Member, scale>>
    : PlacesArgument<detail::HolderOf<Member>, detail::ResourceSource<Member, scale>> {};
template <class P, int most>
struct Argument<detail::EdgeSource<P, most>> : PlacesArgument<P, detail::EdgeSource<P, most>> {};

/// True if Python can give each of the arguments.
template <class Arguments>
inline constexpr bool areSupported = false;
template <class... T>
inline constexpr bool areSupported<std::tuple<T...>> = (true && ... && Argument<T>::isSupported);

/// Calls `function` with the arguments of a rule, made from their values.
/// @tparam Arguments std::tuple of their types
template <class Arguments, class Function>
auto withArguments(const Value* values, const std::shared_ptr<detail::Engine>& engine,
                   const Function& function) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return function(Argument<std::tuple_element_t<I, Arguments>>::from(values[I], engine)...);
  }
  (std::make_index_sequence<std::tuple_size_v<Arguments>>());
}

/// Description of the parameters that a caller gives.
template <class Arguments>
inline constexpr std::array<ParameterInfo, 0> parametersOf{};
template <class... T>
inline constexpr std::array<ParameterInfo, sizeof...(T)> parametersOf<std::tuple<T...>>{
    Argument<T>::info()...};

}  // namespace mass::python
