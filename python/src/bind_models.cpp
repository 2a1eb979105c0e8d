// Models of the user, which mass.load compiles, and the Mass in which Python runs them.

#include <python/src/arguments.hpp>
#include <python/src/bindings.hpp>
#include <python/src/loaded_model.hpp>
#include <python/src/model_population.hpp>
#include <python/src/own_mass.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mass::python {
namespace {

/// Applies a rule `steps` times. Ctrl-C ends it between two steps.
/// @param chunk steps between two looks for signals, which it adapts
template <class State>
void applySteps(const Rule<State>& rule, const std::shared_ptr<State>& state, std::int64_t steps,
                const Value* arguments, detail::Chunk& chunk) {
  constexpr double secondsOfChunk = 0.05;
  while (steps > 0) {
    const std::int64_t part = std::min(steps, chunk.steps);
    {
      const nb::gil_scoped_release released;
      chunk.make(part, secondsOfChunk, [&] { rule.callAll(state, part, arguments); });
    }
    steps -= part;
    if (steps > 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

/// Calls a rule that changes its places or agents.
template <class Population>
void call(Population& self, std::size_t number, std::int64_t steps, const nb::args& given) {
  const auto& rule = self.rule(number);
  if (steps < 0) throw UsageError("{}: {} steps were asked for; give 0 or more", rule.name, steps);
  const Arguments arguments(rule.name, rule.parameters, given);
  const Session::Change change(self.session());
  if (steps > 0) applySteps(rule, self.state(), steps, arguments.values(), self.chunkOf(number));
}

/// Returns the values of a const function for all, as an array.
template <class Population>
nb::object map(Population& self, std::size_t number, const nb::args& given) {
  const auto& rule = self.rule(number);
  const Arguments arguments(rule.name, rule.parameters, given);
  const std::int64_t count = self.session().use([&] { return self.any().size(); });
  nb::object result;
  detail::withElement(rule.result, [&](auto element) {
    using T = decltype(element);
    // Not std::vector<bool>, whose elements are bits.
    auto values = std::make_unique<T[]>(static_cast<std::size_t>(count));
    self.session().use([&] { rule.map(self.state(), arguments.values(), values.get()); });
    const std::size_t shape[] = {static_cast<std::size_t>(count)};
    T* const memory = values.release();
    const nb::capsule owner(memory, [](void* all) noexcept { delete[] static_cast<T*>(all); });
    result = nb::cast(nb::ndarray<nb::numpy, T>(memory, 1, shape, owner));
  });
  return result;
}

template <class Population>
Number reduce(Population& self, std::size_t number, Operation operation, const nb::args& given) {
  const auto& rule = self.rule(number);
  const Arguments arguments(rule.name, rule.parameters, given);
  return self.session().use(
      [&] { return rule.reduce(self.state(), operation, arguments.values()); });
}

template <class Population, class Class>
void bindRules(nb::class_<Population, Class>& population) {
  population.def("call", &call<Population>)
      .def("map", &map<Population>)
      .def("reduce", &reduce<Population>);
}

/// Returns the counts of the last manageAll() by name.
std::map<std::string, std::int64_t> censusOf(const ModelAgents& agents) {
  const Census census =
      agents.session().use([&] { return agents.state()->synchronizedFields().census; });
  return {{"alive", census.alive},     {"died", census.died}, {"moved", census.moved},
          {"blocked", census.blocked}, {"born", census.born}, {"unborn", census.unborn}};
}

ModelPlaces createPlaces(Session& session, const LoadedModel& model, std::size_t number,
                         const std::vector<std::int64_t>& shape, const std::vector<Border>& borders,
                         const std::string& name) {
  const PlacesClass& type = model.model().places.at(number);
  return {session, type,
          session.change([&] { return type.create(session.mass(), shape, borders, name); })};
}

ModelAgents createAgents(const ModelPlaces& home, const LoadedModel& model, std::size_t number,
                         std::int64_t count, const std::string& name) {
  const AgentsClass& type = model.model().agents.at(number);
  Session& session = home.session();
  return {session, type,
          session.change([&] { return type.create(session.mass(), home.state(), count, name); })};
}

ModelAgents createAgentsAt(const ModelPlaces& home, const LoadedModel& model, std::size_t number,
                           const std::vector<std::int64_t>& places, const std::string& name) {
  const AgentsClass& type = model.model().agents.at(number);
  Session& session = home.session();
  return {session, type, session.change([&] {
            return type.createAt(session.mass(), home.state(), places, name);
          })};
}

/// Returns (name, names of the types of the parameters, kind) of each rule: "rule" changes its
/// place, "function" returns a number, and Python cannot call an "unsupported" one.
template <class State>
nb::list listed(const std::vector<Rule<State>>& rules) {
  nb::list list;
  for (const Rule<State>& rule : rules) {
    nb::list parameters;
    for (const ParameterInfo& each : rule.parameters) parameters.append(nb::cast(each.name));
    const char* const kind = rule.callAll != nullptr ? "rule"
                             : rule.map != nullptr   ? "function"
                                                     : "unsupported";
    list.append(nb::make_tuple(rule.name, nb::tuple(parameters), kind));
  }
  return list;
}

void bindLoadedModel(nb::module_& module) {
  nb::class_<LoadedModel>(module, "LoadedModel")
      .def(nb::init<const std::filesystem::path&>())
      .def("places",
           [](const LoadedModel& self) {
             nb::list list;
             for (const PlacesClass& each : self.model().places)
               list.append(
                   nb::make_tuple(each.name, each.dimensions, each.attributes, listed(each.rules)));
             return list;
           })
      .def("agents", [](const LoadedModel& self) {
        nb::list list;
        for (const AgentsClass& each : self.model().agents)
          list.append(nb::make_tuple(each.name, each.home, each.attributes, listed(each.rules)));
        return list;
      });
}

void bindOwnMass(nb::module_& module) {
  nb::class_<OwnMass, Session>(module, "Mass")
      .def(nb::init<const std::filesystem::path&, const std::vector<std::string>&>())
      .def("create_places", &createPlaces, nb::keep_alive<0, 1>())
      .def("save",
           [](OwnMass& self, const std::filesystem::path& file, const std::string& model) {
             self.use([&] { self.mass().saveCheckpoint(file, model); });
           })
      .def("restore",
           [](OwnMass& self, const std::filesystem::path& file, const std::string& model) {
             self.change([&] { self.mass().restoreCheckpoint(file, model); });
           });
}

}  // namespace

void bindModels(nb::module_& module) {
  nb::enum_<Border>(module, "Border")
      .value("periodic", Border::periodic)
      .value("fixed", Border::fixed)
      .value("mirrored", Border::mirrored);
  nb::enum_<Operation>(module, "Operation")
      .value("sum", Operation::sum)
      .value("minimum", Operation::minimum)
      .value("maximum", Operation::maximum);
  module.attr("model_function") = modelFunction;
  bindLoadedModel(module);
  nb::class_<ModelPlaces, PlacesPopulation> places(module, "ModelPlaces");
  nb::class_<ModelAgents, AgentsPopulation> agents(module, "ModelAgents");
  bindRules(places);
  bindRules(agents);
  places.def("create_agents", &createAgents, nb::keep_alive<0, 1>())
      .def("create_agents_at", &createAgentsAt, nb::keep_alive<0, 1>());
  agents
      .def("manage_all",
           [](ModelAgents& self) {
             self.session().change([&] {
               const detail::AgentsState& state = *self.state();
               state.engine->agentExecutor->manage(state.run());
             });
           })
      .def("census", &censusOf);
  bindOwnMass(module);
}

}  // namespace mass::python
