#pragma once

// Templates of Simulation.

namespace mass {

template <class P, class... Args>
void Simulation::events(const Places<P>& places, std::chrono::duration<double> time,
                        const Args&... args) {
  timeStep(time.count());
  const auto run = [=] { places.runEvents(time, args...); };
  if constexpr (detail::Scheduling<P>) {
    setEvents(places.sharedPopulation(), run);
  } else {
    step(run);
  }
}

template <auto Rule, class Population, std::size_t categories>
void Simulation::observe(const Population& population, const char* const (&columns)[categories]) {
  observe({std::begin(columns), std::end(columns)}, [population] {
    const auto counts = population.template count<Rule, categories>();
    return std::vector<double>(counts.begin(), counts.end());
  });
}

template <auto Rule, class Population, std::size_t count>
void Simulation::observe(const Population& population, const double (&edges)[count]) {
  static_assert(2 <= count && count <= 33, "a histogram has 1 to 32 bins, one more edges");
  using Bins = detail::BinsOf<Population, Rule, count>;
  typename Bins::Edges bins;
  std::copy(std::begin(edges), std::end(edges), bins.values);
  observe(detail::binNames(detail::memberName<Rule>(), edges), [population, bins] {
    const auto counts = population.template count<Bins::rule, count - 1>(bins);
    return std::vector<double>(counts.begin(), counts.end());
  });
}

template <auto... Rules, class Population, class Op>
requires(sizeof...(Rules) > 0 &&
         detail::isOperation<Op>) void Simulation::observe(const Population& population, Op,
                                                           std::vector<std::string> columns) {
  if (columns.empty()) columns = {std::string(detail::memberName<Rules>())...};
  if (columns.size() != sizeof...(Rules))
    throw UsageError("observe got {} columns for {} values", columns.size(), sizeof...(Rules));
  observe(std::move(columns),
          [population] { return detail::reduceEach<Op, Rules...>(population); });
}

template <auto... Rules, class P, class Op>
requires(sizeof...(Rules) > 0 &&
         detail::isOperation<Op>) void Simulation::observeRows(const Places<P>& places, Op) {
  std::vector<std::string> columns;
  (detail::addRowNames(detail::memberName<Rules>(), places.shape()[0], columns), ...);
  observe(std::move(columns), [places] {
    std::vector<double> values;
    (detail::addRows<Op, Rules>(places, values), ...);
    return values;
  });
}

template <auto Member, class P>
void Simulation::picture(const Places<P>& places, float low, float high, const std::string& palette,
                         const std::string& unit) {
  pictureOf<Member>(places, detail::styleOf(low, high, unit), palette);
}

template <auto Member, class P>
void Simulation::picture(const Places<P>& places, std::vector<std::string> categories,
                         std::vector<Rgb> colors) {
  pictureOf<Member>(places, detail::styleOf(std::move(categories), std::move(colors)), "heat");
}

template <auto Member, class P>
void Simulation::slices(const Places<P>& places, float low, float high, const std::string& unit) {
  slicesOf<Member>(places, detail::styleOf(low, high, unit));
}

template <auto Member, class P>
void Simulation::slices(const Places<P>& places, std::vector<std::string> categories,
                        std::vector<Rgb> colors) {
  slicesOf<Member>(places, detail::styleOf(std::move(categories), std::move(colors)));
}

template <auto Member, class P>
void Simulation::slicesOf(const Places<P>& places, Picture style) {
  static_assert(P::dimensions == 3, "slices are planes of 3-D places");
  static_assert(!detail::AttributeSlotFor<P, Member>::isArray,
                "a slice shows an attribute that is a number; give a function for others");
  slicesOf(places.sharedPopulation(), detail::memberName<Member>(), std::move(style));
}

template <auto Member, class P>
void Simulation::pictureOf(const Places<P>& places, Picture style, const std::string& palette) {
  static_assert(P::dimensions == 2,
                "a picture of an attribute needs 2-D places; give a function for others");
  static_assert(!detail::AttributeSlotFor<P, Member>::isArray,
                "a picture shows an attribute that is a number; give a function for others");
  pictureOf(places.sharedPopulation(), detail::memberName<Member>(), std::move(style), palette);
}

template <class A>
void Simulation::points(const Agents<A>& agents, Rgb color) {
  static_assert(A::Home::dimensions == 2, "give a function for agents on other than 2-D places");
  const auto population = agents.sharedPopulation();
  points(
      agents.name(), color, [agents] { return agents.size(); },
      [population] { return detail::centresOf(population); });
}

template <class A>
void Simulation::layer(const Agents<A>& agents, Rgb color) {
  static_assert(A::Home::dimensions == 2, "agents over a picture live on 2-D places");
  const auto population = agents.sharedPopulation();
  addLayer(
      agents.name(), color, [agents] { return agents.size(); },
      [population] { return detail::centresOf(population); });
}

template <auto Member, class A>
void Simulation::layer(const Agents<A>& agents, const std::vector<std::string>& categories,
                       const std::vector<Rgb>& colors) {
  static_assert(A::Home::dimensions == 2, "agents over a picture live on 2-D places");
  detail::requireLayer(categories.size(), colors.size());
  const auto population = agents.sharedPopulation();
  for (std::size_t k = 0; k < categories.size(); ++k) {
    addLayer(
        categories[k], colors[k],
        [agents, k] { return agents.template count<Member, detail::mostLayers>()[k]; },
        [agents, population, k] {
          return detail::centresOf(population, agents.template map<Member>(), k);
        });
  }
}

template <auto... Members, class P>
void Simulation::data(const Places<P>& places, double spacing) {
  addData(places.name(), detail::geometryOf(places.population(), spacing), [places] {
    DataFrame frame;
    (detail::addArray<Members>(places, frame), ...);
    return frame;
  });
}

template <auto... Members, class A>
void Simulation::data(const Agents<A>& agents, double spacing) {
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addPoints(agents.name(), [agents, attributes, spacing] {
    return detail::agentPoints(agents.population(), attributes, spacing);
  });
}

template <auto... Members, class A, auto Position>
void Simulation::data(const Agents<A>& agents, detail::Positions<Position>) {
  using S = detail::AttributeSlotFor<A, Position>;
  static_assert(std::is_floating_point_v<typename S::Element> && (S::count == 2 || S::count == 3),
                "a position is an array of 2 or 3 float or double");
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addPoints(agents.name(), [agents, attributes] {
    return detail::agentPointsAt(agents.population(), attributes, detail::findSlot<A, Position>());
  });
}

template <auto... Members, class A>
void Simulation::agentTable(const Agents<A>& agents) {
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addAgentTable(
      agents.name(), detail::agentColumns(agents.population(), attributes),
      [agents, attributes] { return detail::agentRows(agents.population(), attributes, {}); });
}

template <auto... Members, class A, auto Filter>
void Simulation::agentTable(const Agents<A>& agents, detail::Only<Filter>) {
  const auto attributes = detail::attributeNumbers<A, Members...>();
  addAgentTable(agents.name(), detail::agentColumns(agents.population(), attributes),
                [agents, attributes] {
                  const auto accepted = detail::mapReportedAgents<A, Filter>(agents.population());
                  return detail::agentRows(agents.population(), attributes, accepted);
                });
}

}  // namespace mass
