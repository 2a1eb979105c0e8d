#pragma once

// Templates of Mass.

namespace mass {

template <class P>
Places<P> Mass::createPlaces(Shape<P::dimensions> shape, PlacesOptions<P> options) {
  static_assert(!detail::isNode<P>, "nodes belong to a network: create them with createGraph");
  if constexpr (detail::isValidClass<P, Place<P::dimensions>>()) {
    const detail::Domain domain = detail::domainOf<P>(shape, options.borders);
    if (options.name.empty()) options.name = detail::typeName<P>();
    const P initial{};
    auto places =
        addPlaces(std::move(options.name), domain, detail::componentsOf(initial, options.outside),
                  detail::attributesOf<P>());
    places->rules = detail::ruleNames<P>();
    places->scheduleKernel = detail::scheduleKernelOrNull<P>();
    return Places<P>(std::move(places));
  } else {
    return Places<P>({});
  }
}

template <class P>
Places<P> Mass::createPlaces(Shape<P::dimensions> shape, std::vector<std::int64_t> indices,
                             PlacesOptions<P> options) {
  if constexpr (detail::isValidClass<P, Place<P::dimensions>>()) {
    const detail::Domain box = detail::domainOf<P>(shape, options.borders);
    if (options.name.empty()) options.name = detail::typeName<P>();
    const P initial{};
    auto places =
        addPlaces(std::move(options.name), {box.shape, box.borders, std::move(indices)}, box,
                  detail::componentsOf(initial, options.outside), detail::attributesOf<P>());
    places->rules = detail::ruleNames<P>();
    places->scheduleKernel = detail::scheduleKernelOrNull<P>();
    return Places<P>(std::move(places));
  } else {
    return Places<P>({});
  }
}

template <class P>
Places<P> Mass::createGraph(Graph graph, std::string name) {  // NOLINT: moved into the places
  static_assert(detail::isNode<P>, "createGraph takes a class derived from mass::Node");
  if constexpr (detail::isNode<P> && detail::isValidClass<P, Node>()) {
    static_assert(!detail::hasStreamed<P> && detail::multisetCount<P>() == 0,
                  "nodes of a network have no streamed attributes and no multisets");
    static_assert(
        !requires { typename P::Events; } || detail::Scheduling<P>,
        "the events of nodes are scheduled: list mass::scheduled<&P::rule>");
    if (name.empty()) name = detail::typeName<P>();
    const P initial{};
    auto places = addNodes(std::move(name), std::move(graph),
                           detail::componentsOf(initial, initial), detail::attributesOf<P>());
    places->rules = detail::ruleNames<P>();
    places->scheduleKernel = detail::scheduleKernelOrNull<P>();
    return Places<P>(std::move(places));
  } else {
    return Places<P>({});
  }
}

template <class A>
Agents<A> Mass::populateAgents(const Places<typename A::Home>& places, std::string name,
                               const std::function<void(detail::AgentsState&)>& populate) {
  if constexpr (detail::isValidClass<A, Agent<typename A::Home>>()) {
    if (name.empty()) name = detail::typeName<A>();
    const A initial{};
    const auto components = detail::componentsOf(initial, initial);
    constexpr bool onNodes = detail::isNode<typename A::Home>;
    static_assert(!onNodes || (A::offspring == 0 && !A::seeksFreePlaces),
                  "agents on the nodes of a network have no offspring and do not seek free places: "
                  "they create others by a parameter Births, and move along links");
    const auto population = makeAgents(name, places.sharedPopulation(),
                                       {.name = name,
                                        .components = components,
                                        .reach = onNodes ? 0 : A::reach,
                                        .travel = onNodes ? anywhere : A::travel,
                                        .capacity = A::capacity,
                                        .offspring = A::offspring,
                                        .seeksFreePlaces = A::seeksFreePlaces},
                                       detail::attributesOf<A>());
    population->rules = detail::ruleNames<A>();
    populate(*population);
    agents_.push_back(population);
    engine_->agents.push_back(population);
    return Agents<A>(population);
  } else {
    return Agents<A>({});
  }
}

template <class A>
Agents<A> Mass::createAgents(const Places<typename A::Home>& places, std::int64_t count,
                             std::string name) {
  return createAgents<A>(places, count, IdentityOrder::byPlace, std::move(name));
}

template <class A>
Agents<A> Mass::createAgents(const Places<typename A::Home>& places, std::int64_t count,
                             IdentityOrder order, std::string name) {
  return populateAgents<A>(places, std::move(name), [&](detail::AgentsState& population) {
    auto drawn = detail::drawPlaces(population, count);
    if (order == IdentityOrder::shuffled) detail::shuffle(population, drawn);
    detail::populate(population, drawn);
  });
}

template <class A>
Agents<A> Mass::createAgents(const Places<typename A::Home>& places,
                             const std::vector<Coordinates<A::Home::dimensions>>& where,
                             std::string name) {
  const auto chosen = detail::indicesOf<A::Home::dimensions>("createAgents", where, places.shape());
  return populateAgents<A>(places, std::move(name),
                           [&](auto& population) { detail::populate(population, chosen); });
}

template <class A>
requires std::is_same_v<typename A::Home, NoSpace> Agents<A> Mass::createAgents(std::int64_t count,
                                                                                std::string name) {
  if (name.empty()) name = detail::typeName<A>();
  if (count < 0)
    throw UsageError("createAgents: the number of agents '{}' is {}; it must be 0 or more", name,
                     count);
  const auto places =
      createPlaces<NoSpace>({std::max(count, NoSpace::least)}, {.name = name + ".places"});
  return createAgents<A>(
      places, [&](Coordinates<1> at) { return std::int64_t{at[0] < count}; }, name);
}

template <class A, class F>
requires std::is_invocable_r_v<std::int64_t, F, Coordinates<A::Home::dimensions>> Agents<A>
Mass::createAgents(const Places<typename A::Home>& places, F&& function, std::string name) {
  const auto shape = places.shape();
  std::vector<std::int64_t> chosen;
  for (std::int64_t index = 0; index < places.size(); ++index) {
    const std::int64_t here = function(coordinatesOf<A::Home::dimensions>(index, shape));
    detail::addPlace(chosen, index, here, places.population().fields->domain());
  }
  return populateAgents<A>(places, std::move(name),
                           [&](auto& population) { detail::populate(population, chosen); });
}

template <class A>
Agents<A> Mass::loadAgents(const Places<typename A::Home>& places,
                           const std::filesystem::path& file, LoadOptions options) {
  return populateAgents<A>(places, std::move(options.name), [&](auto& population) {
    detail::populateFrom(population, file, options.step, settings_.get<bool>("output.allow_nan"));
  });
}

template <class A>
Agents<A> Mass::loadAgents(const Places<typename A::Home>& places,
                           const std::filesystem::path& file, std::string name) {
  return loadAgents<A>(places, file, LoadOptions{.step = {}, .name = std::move(name)});
}

}  // namespace mass
