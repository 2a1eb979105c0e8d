#pragma once

#include <mass/kernels/member_rules.hpp>
#include <mass/model/agents.hpp>
#include <mass/model/places.hpp>
#include <mass/rules/tallies.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

// Columns of a table that are computed from members of places or agents.

namespace mass::detail {

/// Class of the elements of a population, and the base class with the rules of the library.
template <class Population>
struct ElementOf;
template <class P>
struct ElementOf<Places<P>> {
  using Type = P;
  using Base = Place<P::dimensions>;
};
template <class A>
struct ElementOf<Agents<A>> {
  using Type = A;
  using Base = Agent<typename A::Home>;
};

/// Checks a member for observe(). @return false after a failed static_assert
template <auto Rule>
constexpr bool isObservable() {
  constexpr bool is = Reading<Rule> && std::tuple_size_v<typename Traits<Rule>::Parameters> == 0;
  static_assert(is,
                "observe takes attributes, and const member functions without parameters; for "
                "others, give it a function that calls reduce");
  return is;
}
/// Tag of a member of a population's elements.
template <class Population, auto Rule>
requires(isObservable<Rule>()) using MemberTag = TagOf<typename ElementOf<Population>::Type, Rule>;

/// Rule that returns the bin of a member, and its argument.
template <class Population, auto Rule, std::size_t count>
struct BinsOf {
  using Tag = MemberTag<Population, Rule>;
  using Edges = detail::BinEdges<Tag, count>;
  static constexpr auto rule = &ElementOf<Population>::Base::template binOf<Tag, count>;
};
/// Returns the columns of a histogram.
/// @throws UsageError if the edges do not ascend
MASS_EXPORT std::vector<std::string> binNames(std::string_view member,
                                              std::span<const double> edges);

/// True if Op is an operation of reduce, or mass::mean.
template <class Op>
inline constexpr bool isOperation = Operation<Op, double> || std::is_same_v<Op, Mean>;

/// Appends the columns of a member for each row.
MASS_EXPORT void addRowNames(std::string_view member, std::int64_t rows,
                             std::vector<std::string>& names);
/// Appends a member reduced over each row.
template <class Op, auto Rule, class P>
void addRows(const Places<P>& places, std::vector<double>& values) {
  static_assert(isObservable<Rule>());
  constexpr bool isMean = std::is_same_v<Op, Mean>;
  using One = std::conditional_t<isMean, Sum, Op>;
  const auto length = static_cast<double>(places.size() / places.shape()[0]);
  for (const auto row : places.template reduceRows<Rule>(One{}))
    values.push_back(static_cast<double>(row) / (isMean ? length : 1));
}

/// Reduces several members in one pass.
template <class Op, auto... Rules, class Population>
std::vector<double> reduceEach(const Population& population) {
  constexpr bool isMean = std::is_same_v<Op, Mean>;
  using One = std::conditional_t<isMean, Sum, Op>;
  using Names = Numbers<MemberTag<Population, Rules>...>;
  auto result = population.template reduce<&ElementOf<Population>::Base::template numbers<Names>>(
      Each<One, sizeof...(Rules)>{}, Names{});
  if constexpr (isMean)
    for (double& value : result.values) value /= static_cast<double>(population.size());
  return {std::begin(result.values), std::end(result.values)};
}

}  // namespace mass::detail
