#pragma once

// Values of the parameters of rules.

#include <mass/kernels/plain_value.hpp>
#include <mass/launch/agent_launch.hpp>
#include <mass/launch/field_launch.hpp>
#include <mass/launch/resource_launch.hpp>
#include <mass/rules/births.hpp>
#include <mass/rules/by_id.hpp>
#include <mass/rules/edges.hpp>
#include <mass/rules/field.hpp>
#include <mass/rules/field_resource.hpp>
#include <mass/rules/give.hpp>
#include <mass/rules/here.hpp>
#include <mass/rules/links.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/rules/neighbors.hpp>
#include <mass/rules/prey.hpp>
#include <mass/rules/residents.hpp>
#include <mass/rules/scaled_residents.hpp>
#include <mass/rules/scatter.hpp>
#include <mass/rules/shared.hpp>
#include <mass/rules/streaming.hpp>

#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Fails to compile if a rule cannot have an argument of type T.
template <class T>
constexpr bool requirePlainValue() {
  static_assert(PlainValue<T>,
                "an argument of a rule is a plain value (a number, an enum, a struct of them), or "
                "what Mass::share returns, agents, or other places (Field<P>); vectors, pointers, "
                "views and Places exist only on the host");
  return true;
}

/// Provides the value of a rule's parameter of type T: an argument of callAll, or, in the
/// specialisations, a view of the place's surroundings.
template <class T>
struct Parameter {
  static constexpr bool isPlain = PlainValue<T>;
  static constexpr bool isArgument = requirePlainValue<T>();
  using Argument = T;
  template <class Around>
  MASS_FN static const T& from(const Around&, const T& argument) {
    return argument;
  }
};
template <int D>
struct Parameter<Here<D>> {
  static constexpr bool isArgument = false;
  MASS_FN static const Here<D>& from(const Here<D>& here) { return here; }
};
template <class P>
struct Parameter<Neighborhood<P>> {
  static constexpr bool isArgument = false;
  MASS_FN static const Neighborhood<P>& from(const Neighborhood<P>& near) { return near; }
};
template <class P>
struct Parameter<Streaming<P>> {
  static constexpr bool isArgument = false;
  MASS_FN static Streaming<P> from(const Neighborhood<P>& near) { return Streaming<P>(near); }
};
template <class P>
struct Parameter<Links<P>> {
  static constexpr bool isArgument = false;
  MASS_FN static Links<P> from(const Neighborhood<P>& near) { return Links<P>(near); }
};
template <class A>
struct Parameter<Neighbors<A>> {
  static constexpr bool isArgument = true;
  using Argument = AgentSource<A>;
  template <class Around>
  MASS_FN static Neighbors<A> from(const Around& around, const TypedAgentView<A>& agents) {
    const auto at = LocalPosition::of<A::Home::dimensions>(around);
    std::int64_t self = -1;
    if constexpr (requires { typename Around::AgentClass; }) {
      if constexpr (std::is_same_v<typename Around::AgentClass, A>) self = around.agent;
    }
    return {agents, at.row, at.line, at.column, self};
  }
};
template <class A>
struct Parameter<NeighborSums<A>> : Parameter<Neighbors<A>> {
  template <class Around>
  MASS_FN static NeighborSums<A> from(const Around& around, const TypedAgentView<A>& agents) {
    static_assert(
        requires { typename Around::AgentClass; },
        "NeighborSums are for rules of agents; a rule of places takes Neighbors");
    return {Parameter<Neighbors<A>>::from(around, agents), around.lane};
  }
};
template <class A>
struct Parameter<Residents<A>> {
  static constexpr bool isArgument = true;
  using Argument = AgentSource<A>;
  MASS_FN static Residents<A> from(const Here<A::Home::dimensions>& here,
                                   const TypedAgentView<A>& agents) {
    const auto at = LocalPosition::of(here);
    return {agents, agents.bins.at(at.row, at.line, at.column)};
  }
};
template <class A>
struct Parameter<Prey<A>> {
  static constexpr bool isArgument = true;
  using Argument = PreySource<A>;
  MASS_FN static Prey<A> from(const Here<A::Home::dimensions>& here,
                              const TypedAgentView<A>& agents) {
    const auto at = LocalPosition::of(here);
    return {agents, agents.bins.at(at.row, at.line, at.column)};
  }
};
/// Parameter that is residents R, of class A, of places at a scale.
template <class A, Scale scale, class R>
struct ScaledResidentsParameter {
  static constexpr bool isArgument = true;
  using Argument = ScaledAgentSource<A, scale>;
  MASS_FN static R from(const Here<A::Home::dimensions>& here, const ScaledAgentView<A>& agents) {
    return {agents, here};
  }
};
template <class A>
struct Parameter<FinerResidents<A>> : ScaledResidentsParameter<A, Scale::finer, FinerResidents<A>> {
};
template <class A>
struct Parameter<CoarserResidents<A>>
    : ScaledResidentsParameter<A, Scale::coarser, CoarserResidents<A>> {};
/// Returns the number by which requests are ordered: that of the agent or place of the call.
template <class Around>
MASS_FN inline std::int64_t callerOf(const Around& around) {
  if constexpr (requires { typename Around::AgentClass; }) {
    return around.agent;
  } else {
    return around.index();
  }
}
template <class A, int most>
struct Parameter<Births<A, most>> {
  static constexpr bool isArgument = true;
  using Argument = BirthSource<A, most>;
  template <class Around>
  MASS_FN static Births<A, most> from(const Around& around, const TypedBirthView<A>& births) {
    return {births, around.index(), callerOf(around)};
  }
};
template <class P, int most>
struct Parameter<Edges<P, most>> {
  static constexpr bool isArgument = true;
  using Argument = EdgeSource<P, most>;
  template <class Around>
  MASS_FN static Edges<P, most> from(const Around& around, const AddressedEdgeView& view) {
    return {view, around.index(), callerOf(around)};
  }
};
template <class A>
struct Parameter<ById<A>> {
  static constexpr bool isArgument = true;
  using Argument = IdentitySource<A>;
  template <class Around>
  MASS_FN static ById<A> from(const Around&, const TypedIdentityView<A>& agents) {
    return ById<A>(agents);
  }
};
template <auto Member, int most>
struct Parameter<Give<Member, most>> {
  static constexpr bool isArgument = true;
  using Argument = GiveSource<Member, most>;
  template <class Around>
  MASS_FN static Give<Member, most> from(const Around& around, const AddressedGiveView& view) {
    return {view, around.agent};
  }
};
/// Parameter that is a field F of places of class P.
template <class P, Scale scale, class F>
struct FieldParameter {
  static constexpr bool isArgument = true;
  using Argument = FieldOf<P, scale>;
  MASS_FN static F from(const Here<P::dimensions>& here, const TypedFieldView<P>& field) {
    return {field, here};
  }
};
template <class P>
struct Parameter<Field<P>> : FieldParameter<P, Scale::same, Field<P>> {};
template <class P>
struct Parameter<FinerField<P>> : FieldParameter<P, Scale::finer, FinerField<P>> {};
template <class P>
struct Parameter<CoarserField<P>> : FieldParameter<P, Scale::coarser, CoarserField<P>> {
  using FieldParameter<P, Scale::coarser, CoarserField<P>>::from;
  MASS_FN static CoarserField<P> from(const Here<P::dimensions>& here,
                                      const WidenedFieldView<P>& line) {
    return {line, here};
  }
};
/// Parameter that is a resource R, an attribute of places at a scale.
template <auto Member, Scale scale, class R>
struct ResourceParameter {
  static constexpr bool isArgument = true;
  using Argument = ResourceSource<Member, scale>;
  template <int D>
  MASS_FN static R from(const Here<D>& here, const ScaledResourceView<scale>& view) {
    return {view, here};
  }
};
template <auto Member>
struct Parameter<FieldResource<Member>>
    : ResourceParameter<Member, Scale::same, FieldResource<Member>> {};
template <auto Member>
struct Parameter<FinerResource<Member>>
    : ResourceParameter<Member, Scale::finer, FinerResource<Member>> {};
template <auto Member>
struct Parameter<CoarserResource<Member>>
    : ResourceParameter<Member, Scale::coarser, CoarserResource<Member>> {};

template <class P, Visits V>
struct Parameter<Scatter<P, V>> {
  static constexpr bool isArgument = false;
  MASS_FN static Scatter<P, V> from(const ScatterContext<P>& around) {
    return Scatter<P, V>(around);
  }
};
template <>
struct Parameter<Element> {
  static constexpr bool isArgument = false;
  template <class P>
  MASS_FN static Element from(const ScatterContext<P>& around) {
    return around.element;
  }
};
template <class T>
struct Parameter<Shared<T>> {
  static constexpr bool isArgument = true;
  using Argument = SharedSource<T>;
  template <class Around>
  MASS_FN static const Shared<T>& from(const Around&, const Shared<T>& array) {
    return array;
  }
};

/// True if a rule may have a parameter of type T.
template <class T>
constexpr bool isParameter() {
  if constexpr (requires { Parameter<T>::isPlain; })
    return Parameter<T>::isPlain;
  else
    return true;
}

}  // namespace mass::detail
