// Places and agents of a session, with their attributes as arrays of NumPy.

#include <python/src/bindings.hpp>
#include <python/src/population.hpp>
#include <python/src/view.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mass::python {
namespace {

/// Memory of a NumPy array in row-major order.
using Memory = nb::ndarray<nb::c_contig, nb::device::cpu>;
/// Memory of a NumPy array in row-major order that may be read-only.
using ConstMemory = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Adds the members of places and of agents.
template <class Any>
void bindAttributes(nb::class_<Population<Any>>& population) {
  using Self = Population<Any>;
  population.def_prop_ro("name", [](const Self& self) { return self.name(); })
      .def("attributes", &Self::attributes)
      .def("read", [](const Self& self, const std::string& attribute,
                      Memory values) { self.read(attribute, values.data(), values.nbytes()); })
      .def("write",
           [](const Self& self, const std::string& attribute, ConstMemory values) {
             self.write(attribute, values.data(), values.nbytes());
           })
      .def("band", &bandOf<Any>)
      .def("band_layout", &bandLayoutOf<Any>)
      .def_prop_ro("devices",
                   [](const Self& self) { return self.session().mass().devices().size(); })
      .def_prop_ro("version", [](const Self& self) { return self.session().version(); });
}

void bindPlaces(nb::module_& module) {
  nb::class_<PlacesPopulation> places(module, "Places");
  bindAttributes(places);
  places.def_prop_ro("shape", [](const PlacesPopulation& self) {
    return self.session().use([&] { return self.any().shape(); });
  });
}

/// Returns the coordinates of agents, axis by axis.
auto coordinatesOf(const AgentsPopulation& agents) {
  const auto axes = agents.session().use([&] { return agents.any().coordinates(); });
  std::vector<std::int64_t> all;
  for (const auto& axis : axes) all.insert(all.end(), axis.begin(), axis.end());
  return toNumPy(std::move(all), {axes.size(), axes.front().size()});
}

void bindAgents(nb::module_& module) {
  nb::class_<AgentsPopulation> agents(module, "Agents");
  bindAttributes(agents);
  agents
      .def("ids",
           [](const AgentsPopulation& self) {
             auto ids = self.session().use([&] { return self.any().ids(); });
             const std::size_t count = ids.size();
             return toNumPy(std::move(ids), {count});
           })
      .def("coordinates", &coordinatesOf)
      .def("home_shape",
           [](const AgentsPopulation& self) {
             const AnyPlaces home = self.any().home();
             const detail::Domain& domain = home.population().fields->domain();
             return std::vector(domain.shape.begin(), domain.shape.begin() + domain.dimensions);
           })
      .def_prop_ro("size", [](const AgentsPopulation& self) {
        return self.session().use([&] { return self.any().size(); });
      });
}

/// Returns populations for Python, which keep their session.
template <class Any>
nb::list listed(nb::handle owner, const std::vector<Any>& all) {
  nb::list list;
  for (const Any& any : all) {
    nb::object population = nb::cast(Population<Any>(nb::cast<Session&>(owner), any));
    nb::keep_alive_obj(population, owner);
    list.append(population);
  }
  return list;
}

void bindSession(nb::module_& module) {
  nb::class_<Session>(module, "Session")
      .def("places",
           [](nb::handle_t<Session> owner) {
             Session& self = nb::cast<Session&>(owner);
             return listed(owner, self.use([&] { return self.mass().places(); }));
           })
      .def("agents",
           [](nb::handle_t<Session> owner) {
             Session& self = nb::cast<Session&>(owner);
             return listed(owner, self.use([&] { return self.mass().agents(); }));
           })
      .def("hash", [](Session& self) { return self.use([&] { return self.mass().hash(); }); })
      .def_prop_ro("settings", [](Session& self) {
        return self.use([&] { return self.mass().settings().print(); });
      });
}

}  // namespace

void bindPopulations(nb::module_& module) {
  bindSession(module);
  bindPlaces(module);
  bindAgents(module);
}

}  // namespace mass::python
