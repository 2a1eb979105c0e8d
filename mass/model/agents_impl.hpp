#pragma once

// Templates of Agents.

namespace mass {
namespace detail {

/// Runs a reading rule of agents.
/// @param results receives a Packed<Result> for each agent of this rank
template <class A, auto Rule, class... Args>
void readAgentRule(const AgentsState& population, void* results, Args&&... args) {
  using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
  typename Traits<Rule>::Arguments arguments(std::forward<Args>(args)...);
  prepareArguments(population, arguments);
  AgentKernel kernel;
  kernel.function = &mapAgents<A, Rule>;
  kernel.gpu = mapAgentsGpuKernel<A, Rule>();
  kernel.arguments = &arguments;
  kernel.readsPlaces = AgentRuleOf<Rule>::readsPlaces;
  kernel.neighborSteps = neighborSteps(*population.home);
  kernel.inPlace = true;
  kernel.reads = true;
  kernel.results = results;
  kernel.resultBytes = sizeof(Packed<T>);
  population.engine->agentExecutor->run(population.run(), kernel);
}

/// Runs a reading rule of agents and returns the results for the agents of this rank.
template <class A, auto Rule, class... Args>
auto mapLocalAgents(const AgentsState& population, Args&&... args) {
  if constexpr (!isReading<A, typename A::Home, Rule, Args...>()) {
    return std::vector<unsigned char>{};
  } else {
    using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
    std::vector<Packed<T>> values(
        static_cast<std::size_t>(localAgentCount(population.synchronizedFields())));
    readAgentRule<A, Rule>(population, values.data(), std::forward<Args>(args)...);
    return values;
  }
}

/// Runs a reading rule of agents and returns the results for reportedAgents().
template <class A, auto Rule, class... Args>
auto mapReportedAgents(const AgentsState& population, Args&&... args) {
  return reported(population.synchronizedFields(),
                  mapLocalAgents<A, Rule>(population, std::forward<Args>(args)...));
}

}  // namespace detail

template <class A>
template <auto Rule, class W, class... Args>
void Agents<A>::change(Args&&... args) const {
  static_assert(!detail::hasStreamed<A>, "nothing of an agent is streamed");
  if constexpr (detail::isCallOfAgents<A, Rule, Args...>()) {
    typename detail::Traits<Rule>::Arguments arguments(std::forward<Args>(args)...);
    detail::prepareArguments(*population_, arguments);
    detail::AgentKernel kernel;
    kernel.function = &detail::changeAgents<A, Rule, W>;
    kernel.gpu = detail::changeAgentsGpuKernel<A, Rule, W>();
    kernel.arguments = &arguments;
    kernel.readsPlaces = detail::AgentRuleOf<Rule>::readsPlaces;
    kernel.hasIntents = detail::AgentRuleOf<Rule>::template hasIntent<A>;
    kernel.inPlace = !detail::AgentRuleOf<Rule>::template readsOwnClass<A>;
    kernel.written = detail::componentsWritten<A, W>();
    kernel.taken = detail::AgentRuleOf<Rule>::taken();
    detail::runKernel(*population_, kernel);
    detail::finishArguments(arguments);
  }
}

template <class A>
std::uint64_t Agents<A>::add(const std::vector<Coordinates<dimensions>>& where,
                             const std::vector<A>& agents) const {
  if (where.size() != agents.size()) {
    throw UsageError("add of '{}' got {} agents for {} places; give one for each place", name(),
                     agents.size(), where.size());
  }
  detail::HostBirths births{
      detail::indicesOf<dimensions>("add", where, Places<Home>(population_->home).shape()), {}};
  std::vector<void*> addresses;
  for (const detail::Component& component : fields().traits().components)
    addresses.push_back(
        births.components.emplace_back(agents.size() * component.elementSize).data());
  for (std::size_t i = 0; i < agents.size(); ++i)
    detail::storePlace<A, detail::AllAttributes>(addresses.data(), static_cast<Index>(i),
                                                 agents[i]);
  return detail::addAgents(*population_, std::move(births));
}

template <class A>
template <auto Rule>
void Agents<A>::schedule(std::chrono::duration<double> delay) const {
  detail::requireNoSteps(*population_);
  std::vector<A> agents(static_cast<std::size_t>(size()));
  detail::AttributeSlots<A>::forEach([&](auto slot) {
    using S = decltype(slot);
    std::vector<typename S::Stored> component(agents.size());
    for (std::size_t k = 0; k < S::count; ++k) {
      readAgents(fields(), detail::componentColumn(fields(), static_cast<int>(S::first + k)),
                 component.data());
      for (std::size_t i = 0; i < agents.size(); ++i)
        detail::componentOf<S>(agents[i], k) = S::Form::decode(component[i]);
    }
  });
  const Places<Home> places(population_->home);
  const std::vector<std::int64_t> numbers = agentPlaces(fields());
  const std::vector<std::uint64_t> identities = ids();
  for (std::size_t i = 0; i < agents.size(); ++i)
    places.template schedule<Rule>(delay, numbers[i], identities[i], agents[i]);
  population_->areInEvents = true;
}

template <class A>
template <auto Rule, std::size_t categories, class... Args>
std::array<std::int64_t, categories> Agents<A>::count(Args&&... args) const {
  std::array<std::int64_t, categories> counts{};
  if constexpr (detail::isCountOf<A, Home, Rule, Args...>()) {
    detail::addCounts(counts,
                      detail::mapLocalAgents<A, Rule>(*population_, std::forward<Args>(args)...));
    detail::addRanks(fields().places().devices().ranks(), counts);
  }
  return counts;
}

template <class A>
template <auto Rule, class... Args>
auto Agents<A>::map(Args&&... args) const {
  if constexpr (!detail::isReading<A, Home, Rule, Args...>()) {
    return std::vector<int>{};
  } else {
    using T = std::remove_cvref_t<typename detail::Traits<Rule>::Result>;
    std::vector<detail::Packed<T>> values(static_cast<std::size_t>(size()));
    detail::readAgentRule<A, Rule>(*population_, values.data() + firstLocalAgent(fields()),
                                   std::forward<Args>(args)...);
    gatherAgents(fields(), sizeof(values[0]), values.data());
    if constexpr (std::is_same_v<T, bool>) {
      return std::vector<bool>(values.begin(), values.end());
    } else {
      return values;
    }
  }
}

template <class A>
template <auto Rule, class Op, class... Args>
auto Agents<A>::reduce(Op op, Args&&... args) const {
  if constexpr (!detail::isReduction<A, Home, Rule, Op, Args...>()) {
    return 0;
  } else {
    using T = std::remove_cvref_t<typename detail::Traits<Rule>::Result>;
    using R = typename Op::template Result<T>;
    const auto values =
        detail::mapReportedAgents<A, Rule>(*population_, std::forward<Args>(args)...);
    return detail::reduceOnRanks<R, T>(fields().places().devices().ranks(), op,
                                       reportedAgents(fields()).begin, values);
  }
}

template <class A>
template <auto Member>
auto Agents<A>::download() const {
  using S = detail::AttributeSlotFor<A, Member>;
  std::vector<typename S::Stored> component(static_cast<std::size_t>(size()));
  const auto fetch = [&](std::size_t k) {
    readAgents(fields(), detail::componentColumn(fields(), static_cast<int>(S::first + k)),
               component.data());
  };
  if constexpr (S::isArray) {
    std::vector<typename S::Array> values(component.size());
    for (std::size_t k = 0; k < S::count; ++k) {
      fetch(k);
      for (std::size_t i = 0; i < values.size(); ++i) values[i][k] = S::Form::decode(component[i]);
    }
    return values;
  } else {
    fetch(0);
    return detail::decoded<S>(std::move(component));
  }
}

template <class A>
template <auto Member, class Values>
void Agents<A>::upload(const Values& values) const {
  using S = detail::AttributeSlotFor<A, Member>;
  if (static_cast<std::int64_t>(std::size(values)) != size()) {
    throw UsageError("upload of '{}' got {} values for {} agents; give one for each agent",
                     detail::memberName<Member>(), std::size(values), size());
  }
  detail::requireAlone(*population_->engine, "upload");
  std::vector<typename S::Stored> component(std::size(values));
  for (std::size_t k = 0; k < S::count; ++k) {
    for (std::size_t i = 0; i < component.size(); ++i) {
      if constexpr (S::isArray) {
        component[i] = S::Form::encode(values[i][k]);
      } else {
        component[i] = S::Form::encode(static_cast<typename S::Element>(values[i]));
      }
    }
    writeAgents(fields(), static_cast<int>(S::first + k), component.data());
  }
}

template <class A>
template <auto Member, class F>
void Agents<A>::initialise(F&& function) const {
  using S = detail::AttributeSlotFor<A, Member>;
  using Value =
      std::conditional_t<S::isArray, typename S::Array, detail::Packed<typename S::Element>>;
  std::vector<Value> values;
  for (const std::uint64_t id : ids()) {
    if constexpr (S::isArray) {
      values.push_back(function(id));
    } else {
      // Converted to the attribute's type first: a bool is stored as a byte; 256 and 0.5 are true.
      values.push_back(static_cast<typename S::Element>(function(id)));
    }
  }
  upload<Member>(values);
}

template <class A>
std::vector<Coordinates<Agents<A>::dimensions>> Agents<A>::coordinates() const {
  const Shape<dimensions> shape = Places<Home>(population_->home).shape();
  std::vector<Coordinates<dimensions>> all;
  for (const std::int64_t place : agentPlaces(fields())) {
    all.push_back(coordinatesOf<dimensions>(place, shape));
  }
  return all;
}

}  // namespace mass
