// Models of the user, which mass.load compiles, and the Mass in which Python runs them.

#include <python/src/arguments.hpp>
#include <python/src/bind_events.hpp>
#include <python/src/bindings.hpp>
#include <python/src/loaded_model.hpp>
#include <python/src/model_population.hpp>
#include <python/src/own_mass.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {
namespace {

/// Applies a rule `steps` times. Ctrl-C ends it between two steps.
/// @param chunk steps between two looks for signals, which it adapts
template <class State>
void applySteps(const Rule<State>& rule, const std::shared_ptr<State>& state, std::int64_t steps,
                const Value* arguments, detail::Chunk& chunk) {
  while (steps > 0) {
    const std::int64_t part = std::min(steps, chunk.steps);
    {
      const nb::gil_scoped_release released;
      chunk.make(part, detail::Chunk::untilEnd, [&] { rule.callAll(state, part, arguments); });
    }
    steps -= part;
    if (steps > 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

/// Calls a rule that changes its places or agents.
template <class Population>
void call(Population& self, std::size_t number, std::int64_t steps, const nb::tuple& given) {
  const auto& rule = self.rule(number);
  if (steps < 0) throw UsageError("{}: {} steps were asked for; give 0 or more", rule.name, steps);
  const Arguments arguments(rule.name, rule.parameters, given);
  const Session::Change change(self.session());
  if (steps > 0) applySteps(rule, self.state(), steps, arguments.values(), self.chunkOf(number));
}

/// Rules with their arguments.
using Turn = std::vector<std::pair<std::size_t, nb::tuple>>;

/// Prepares the rules of a turn with their arguments.
std::vector<std::unique_ptr<RuleCall>> callsOf(ModelPlaces& self, const Turn& turn) {
  std::vector<std::unique_ptr<RuleCall>> calls;
  for (const auto& [number, given] : turn) {
    const auto& rule = self.rule(number);
    if (rule.prepare == nullptr)
      throw UsageError("{} sends by a Scatter: a rule in turn does not, call it by itself",
                       rule.name);
    const Arguments arguments(rule.name, rule.parameters, given);
    calls.push_back(rule.prepare(self.state(), arguments.values()));
  }
  return calls;
}

/// Applies rules of places one after the other, `turns` times.
void callInTurn(ModelPlaces& self, const Turn& turn, std::int64_t turns) {
  if (turns < 0) throw UsageError("inTurn: {} steps were asked for; give 0 or more", turns);
  const Session::Change change(self.session());
  // The places of a later rule may move the cuts of those of an earlier one, whose views the second
  // round makes.
  (void)callsOf(self, turn);
  const auto calls = callsOf(self, turn);
  std::vector<detail::Kernel> kernels;
  for (const auto& each : calls) kernels.push_back(each->kernel);
  Rule<detail::PlacesState> all{"inTurn"};
  all.callAll = [](const auto& state, std::int64_t count, const Value* value) {
    detail::runKernels(
        *state, *static_cast<std::vector<detail::Kernel>*>(const_cast<void*>(value->data)), count);
  };
  const Value argument{&kernels};
  detail::Chunk chunk;
  if (turns > 0) applySteps(all, self.state(), turns, &argument, chunk);
}

/// Returns the values of a const function for all, as an array.
template <class Population>
nb::object map(Population& self, std::size_t number, const nb::tuple& given) {
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
Number reduce(Population& self, std::size_t number, Operation operation, const nb::tuple& given) {
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
  const PlacesClass& type = model.model().places[number];
  return {session, type,
          session.change([&] { return type.create(session.mass(), shape, borders, name); })};
}

ModelPlaces createGraph(Session& session, const LoadedModel& model, std::size_t number,
                        const Graph& graph, const std::string& name) {
  const PlacesClass& type = model.model().places[number];
  return {session, type,
          session.change([&] { return type.createGraph(session.mass(), graph, name); })};
}

/// Returns the network of nodes as it is now.
Graph graphOf(const ModelPlaces& nodes) {
  return nodes.session().use([&] { return nodes.state()->fields->links()->network().byNodes(); });
}

/// Returns the numbers of edges that the last rule with Edges has changed, by name.
std::map<std::string, std::int64_t> edgeCountsOf(const ModelPlaces& nodes) {
  const EdgeCounts counts = nodes.session().use([&] { return nodes.state()->edgeCounts; });
  return {{"added", counts.added}, {"removed", counts.removed}, {"refused", counts.refused}};
}

ModelAgents createAgents(const ModelPlaces& home, const LoadedModel& model, std::size_t number,
                         std::int64_t count, bool isShuffled, const std::string& name) {
  const AgentsClass& type = model.model().agents[number];
  const auto order = isShuffled ? Mass::IdentityOrder::shuffled : Mass::IdentityOrder::byPlace;
  Session& session = home.session();
  return {session, type, session.change([&] {
            return type.create(session.mass(), home.state(), count, order, name);
          })};
}

ModelAgents createAgentsAt(const ModelPlaces& home, const LoadedModel& model, std::size_t number,
                           const std::vector<std::int64_t>& places, const std::string& name) {
  const AgentsClass& type = model.model().agents[number];
  Session& session = home.session();
  return {session, type, session.change([&] {
            return type.createAt(session.mass(), home.state(), places, name);
          })};
}

ModelAgents createAgentsWithoutSpace(OwnMass& session, const LoadedModel& model, std::size_t number,
                                     std::int64_t count, const std::string& name) {
  const AgentsClass& type = model.model().agents[number];
  return {session, type, session.change([&] {
            return type.create(session.mass(), nullptr, count, Mass::IdentityOrder::byPlace, name);
          })};
}

/// Returns (C++ type, NumPy type or "", elements of an array or 0, bytes, bytes of the initial
/// value, members) of a type; of each member (name, offset, type).
nb::tuple describe(const ValueInfo& type) {
  nb::list members;
  for (const MemberInfo& each : type.members)
    members.append(nb::make_tuple(std::string(each.name), each.offset, describe(*each.type)));
  const bool isStructure = type.type == detail::ElementType::opaque;
  const bool isBool = type.type == detail::ElementType::boolean;
  return nb::make_tuple(std::string(type.name),
                        isStructure ? "" : std::string(isBool ? "bool" : nameOf(type.type)),
                        type.count, type.bytes,
                        nb::bytes(static_cast<const char*>(type.initial), type.bytes), members);
}

/// Returns the name and the structure, or None, of each attribute.
nb::list listed(std::span<const AttributeType> attributes) {
  nb::list list;
  for (const AttributeType& each : attributes)
    list.append(nb::make_tuple(std::string(each.name), each.structure == nullptr
                                                           ? nb::object(nb::none())
                                                           : describe(*each.structure)));
  return list;
}

/// Returns the names of the counts that hop in a class with events; otherwise None.
nb::object hopsOf(const PlacesClass& type) {
  return type.events != nullptr ? nb::cast(type.events->hops()) : nb::none();
}

/// Returns the names of the rules of scheduled events.
nb::list scheduledOf(const PlacesClass& type) {
  nb::list names;
  if (type.events == nullptr) return names;
  for (const ScheduledRuleInfo& rule : type.events->scheduled) names.append(std::string(rule.name));
  return names;
}

/// Returns (name, names of the types of the parameters, kind) of each rule: "rule" changes its
/// place, "function" returns a number, and Python cannot call an "unsupported" one.
template <class State>
nb::list listed(std::span<const Rule<State>> rules) {
  nb::list list;
  for (const Rule<State>& rule : rules) {
    nb::list parameters;
    for (const ParameterInfo& each : rule.parameters) parameters.append(nameOf(each));
    const char* const kind = rule.callAll != nullptr ? "rule"
                             : rule.map != nullptr   ? "function"
                                                     : "unsupported";
    list.append(nb::make_tuple(std::string(rule.name), nb::tuple(parameters), kind));
  }
  return list;
}

/// Records the edge of the bins of a space, and returns the axes that are periodic.
std::vector<bool> recordEdge(ModelPlaces& self, float edge) {
  return self.session().change([&] {
    detail::recordEdge(*self.state(), edge);
    std::vector<bool> periodic;
    for (int axis = 0; axis < self.type().dimensions; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      periodic.push_back(self.state()->fields->domain().borders[a] == Border::periodic);
    }
    return periodic;
  });
}

void bindLoadedModel(nb::module_& module) {
  nb::class_<LoadedModel>(module, "LoadedModel")
      .def(nb::init<const std::filesystem::path&>())
      .def("places",
           [](const LoadedModel& self) {
             nb::list list;
             for (const PlacesClass& each : self.model().places)
               list.append(nb::make_tuple(std::string(each.name), each.dimensions,
                                          listed(each.attributes), listed(each.rules), hopsOf(each),
                                          each.createGraph != nullptr, scheduledOf(each)));
             return list;
           })
      .def("structures",
           [](const LoadedModel& self) {
             nb::list list;
             for (const ValueInfo* each : self.model().structures) list.append(describe(*each));
             return list;
           })
      .def("agents", [](const LoadedModel& self) {
        nb::list list;
        for (const AgentsClass& each : self.model().agents)
          list.append(nb::make_tuple(std::string(each.name), std::string(each.home),
                                     listed(each.attributes), listed(each.rules)));
        return list;
      });
}

void bindOwnMass(nb::module_& module) {
  nb::class_<OwnMass, Session>(module, "Mass")
      .def(nb::init<const std::filesystem::path&, const std::vector<std::string>&>())
      .def("create_places", &createPlaces, nb::keep_alive<0, 1>())
      .def("create_graph", &createGraph, nb::keep_alive<0, 1>())
      .def("create_agents", &createAgentsWithoutSpace, nb::keep_alive<0, 1>())
      .def("save",
           [](OwnMass& self, const std::filesystem::path& file, const std::string& model) {
             self.use([&] { self.mass().saveCheckpoint(file, model); });
           })
      .def("restore",
           [](OwnMass& self, const std::filesystem::path& file, const std::string& model) {
             self.change([&] { self.mass().restoreCheckpoint(file, model); });
           })
      .def("together", [](OwnMass& self, const nb::callable& rules) {
        const Session::Change change(self);
        const Session::Callback callback(self);
        self.mass().together([&] { rules(); });
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
  module.attr("deposit_function") = depositFunction;
  module.attr("reduction_function") = reductionFunction;
  bindLoadedModel(module);
  nb::class_<EventHandle>(module, "EventHandle");
  nb::class_<ModelPlaces, PlacesPopulation> places(module, "ModelPlaces");
  nb::class_<ModelAgents, AgentsPopulation> agents(module, "ModelAgents");
  bindRules(places);
  bindRules(agents);
  places.def("create_agents", &createAgents, nb::keep_alive<0, 1>())
      .def("create_agents_at", &createAgentsAt, nb::keep_alive<0, 1>())
      .def("call_in_turn", &callInTurn)
      .def("graph", &graphOf)
      .def("edge_counts", &edgeCountsOf)
      .def("record_edge", &recordEdge);
  bindEvents(places);
  agents
      .def("manage_all",
           [](ModelAgents& self) { self.session().change([&] { detail::manage(*self.state()); }); })
      .def("census", &censusOf)
      .def("add",
           [](ModelAgents& self, const std::vector<std::int64_t>& places) {
             return self.session().change([&] { return self.type().add(self.state(), places); });
           })
      .def("missing", [](ModelAgents& self) {
        return self.session().use([&] { return detail::missingIdentities(*self.state()); });
      });
  nb::class_<LoadedDeposit>(module, "LoadedDeposit")
      .def(nb::init<const std::filesystem::path&>())
      .def("__call__", &LoadedDeposit::operator());
  nb::class_<LoadedReduction>(module, "LoadedReduction")
      .def(nb::init<const std::filesystem::path&>())
      .def("__call__", &LoadedReduction::call<ModelPlaces>)
      .def("__call__", &LoadedReduction::call<ModelAgents>);
  bindOwnMass(module);
}

}  // namespace mass::python
