// The module mass._core: runs of the apps for Python. The package mass wraps it.

#include <python/src/app_run.hpp>

#include <mass/io/image.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace mass::python {
namespace {

/// Memory of a NumPy array in row-major order.
using Memory = nb::ndarray<nb::c_contig, nb::device::cpu>;
/// Memory of a NumPy array in row-major order that may be read-only.
using ConstMemory = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Name of a NumPy type; "V<bytes>" for a class.
std::string typeOf(const AnyPlaces::Attribute& attribute) {
  using detail::ElementType;
  if (attribute.type == ElementType::opaque) return fmt::format("V{}", attribute.bytes);
  return attribute.type == ElementType::boolean ? "bool" : std::string(nameOf(attribute.type));
}

/// Returns (name, type, shape before that of the places) of each attribute.
template <class Population>
auto attributesOf(const Population& population) {
  std::vector<std::tuple<std::string, std::string, std::vector<std::int64_t>>> list;
  for (const auto& each : population.attributes()) {
    std::vector<std::int64_t> components;
    if (each.isArray) components.push_back(each.components);
    list.emplace_back(each.name, typeOf(each), components);
  }
  return list;
}

/// Returns the population of a name.
template <class Population>
Population named(const std::vector<Population>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Population::name);
  if (found == all.end()) throw UsageError("there are no places or agents '{}'", name);
  return *found;
}

/// Returns the bytes of an attribute of a population.
template <class Population>
std::size_t bytesOf(const Population& population, const std::string& attribute) {
  for (const auto& each : population.attributes()) {
    if (each.name == attribute)
      return static_cast<std::size_t>(population.size()) *
             static_cast<std::size_t>(each.components) * each.bytes;
  }
  return 0;  // read() and write() report the name
}

/// @throws UsageError if the memory is none of `bytes` bytes
void requireBytes(const auto& memory, std::size_t bytes, const std::string& attribute) {
  if (bytes > 0 && memory.nbytes() != bytes)
    throw UsageError("'{}' has {} bytes; the array has {}", attribute, bytes, memory.nbytes());
}

/// Adds functions that read and write attributes of the places or agents of a run.
template <auto List>
void bindPopulations(nb::class_<AppRun>& run, const std::string& kind) {
  run.def(("names_of_" + kind).c_str(), [](AppRun& self) {
    return self.use([](Run& run) {
      std::vector<std::string> names;
      for (const auto& each : List(run.mass())) names.push_back(each.name());
      return names;
    });
  });
  run.def(("attributes_of_" + kind).c_str(), [](AppRun& self, const std::string& name) {
    return self.use([&](Run& run) { return attributesOf(named(List(run.mass()), name)); });
  });
  run.def(("read_" + kind).c_str(),
          [](AppRun& self, const std::string& name, const std::string& attribute, Memory values) {
            self.use([&](Run& run) {
              const auto population = named(List(run.mass()), name);
              requireBytes(values, bytesOf(population, attribute), attribute);
              population.read(attribute, values.data());
            });
          });
  run.def(("write_" + kind).c_str(), [](AppRun& self, const std::string& name,
                                        const std::string& attribute, ConstMemory values) {
    self.use([&](Run& run) {
      const auto population = named(List(run.mass()), name);
      requireBytes(values, bytesOf(population, attribute), attribute);
      population.write(attribute, values.data());
    });
  });
}

/// Writes the present picture of a run with its legend.
/// @throws UsageError if the app has none
void writePicture(Run& run, const std::filesystem::path& file) {
  const std::vector<Picture> pictures = run.pictures();
  if (pictures.empty()) throw UsageError("'{}' has no picture with these settings", run.name());
  const detail::PictureStyle style{pictures[0].palette, true, true};
  const auto [image, colors] =
      detail::drawPicture(pictures[0], style, fmt::format("step {}", run.step()));
  mass::writePng(file, image, colors);
}

std::vector<AnyPlaces> placesOf(const Mass& mass) {
  return mass.places();
}
std::vector<AnyAgents> agentsOf(const Mass& mass) {
  return mass.agents();
}

/// Copies numbers to an array of NumPy.
template <class T>
nb::ndarray<nb::numpy, T> toNumPy(const std::vector<T>& values, std::vector<std::size_t> shape) {
  auto* const copy = new std::vector<T>(values);
  const nb::capsule owner(
      copy, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  return {copy->data(), shape.size(), shape.data(), owner};
}

/// Returns the keys of a program, with their properties.
nb::list schemaOf(const std::string& app) {
  nb::list keys;
  const Program program = programNamed(app);
  for (const detail::KeyInfo& key : program.schema.keys()) {
    nb::dict entry;
    entry["name"] = key.name;
    entry["default"] =
        std::visit([](const auto& value) { return nb::cast(value); }, key.defaultValue);
    entry["type"] = std::string(key.type());
    entry["unit"] = key.unit;
    entry["range"] = key.range();
    entry["about"] = key.about;
    entry["live"] = key.isLive;
    keys.append(entry);
  }
  return keys;
}

void bindErrors(nb::module_& module) {
  const auto error = nb::exception<Error>(module, "Error", PyExc_RuntimeError);
  nb::exception<SettingsError>(module, "SettingsError", error);
  nb::exception<InputError>(module, "InputError", error);
  nb::exception<OutputError>(module, "OutputError", error);
  nb::exception<CheckpointError>(module, "CheckpointError", error);
  nb::exception<DeviceError>(module, "DeviceError", error);
  nb::exception<ModelError>(module, "ModelError", error);
  nb::exception<UsageError>(module, "UsageError", error);
}

void bindPicture(nb::module_& module) {
  nb::class_<Picture>(module, "Picture")
      .def_prop_ro(
          "values",
          [](const Picture& self) {
            return toNumPy(self.values, {static_cast<std::size_t>(self.rows),
                                         static_cast<std::size_t>(self.columns)});
          },
          nb::rv_policy::automatic)
      .def_ro("low", &Picture::low)
      .def_ro("high", &Picture::high)
      .def_ro("name", &Picture::name)
      .def_ro("unit", &Picture::unit)
      .def_ro("categories", &Picture::categories);
}

/// Returns the changes of settings of a run, each as step, key and value.
nb::list changesOf(AppRun& run) {
  nb::list changes;
  for (const Run::Change& change : run.use([](Run& used) { return used.changes(); })) {
    nb::dict entry;
    entry["step"] = change.step;
    entry["key"] = change.key;
    entry["value"] = std::visit([](const auto& value) { return nb::cast(value); }, change.value);
    changes.append(entry);
  }
  return changes;
}

/// Adds the functions of a run as a whole.
void bindProgress(nb::class_<AppRun>& run) {
  run.def(nb::init<const std::string&, const std::filesystem::path&,
                   const std::vector<std::string>&>())
      .def("step", &AppRun::step)
      .def("set",
           [](AppRun& self, const std::vector<std::string>& assignments) {
             self.use([&](Run& run) { run.setAll(assignments); });
           })
      .def("changes", &changesOf)
      .def("restore", &AppRun::restore)
      .def("save",
           [](AppRun& self, const std::filesystem::path& file) {
             self.use([&](Run& run) { run.save(file); });
           })
      .def("hash", [](AppRun& self) { return self.use([](Run& run) { return run.hash(); }); })
      .def("pictures",
           [](AppRun& self) { return self.use([](Run& run) { return run.pictures(); }); })
      .def("write_png",
           [](AppRun& self, const std::filesystem::path& file) {
             self.use([&](Run& run) { writePicture(run, file); });
           })
      .def("row",
           [](AppRun& self) {
             const Run::Row row = self.use([](Run& run) { return run.row(); });
             return std::pair(row.names, row.values);
           })
      .def("table", [](AppRun& self) {
        const AppRun::Use use(self);
        const Table& table = self.table();
        return std::pair(table.names(),
                         toNumPy(table.values(), {table.rows(), table.names().size()}));
      });
}

/// Adds the properties of a run.
void bindProperties(nb::class_<AppRun>& run) {
  run.def_prop_ro("steps", &AppRun::steps)
      .def_prop_ro("last_step", [](const AppRun& self) { return self.run().lastStep(); })
      .def_prop_ro("time",
                   [](AppRun& self) { return self.use([](Run& run) { return run.time(); }); })
      .def_prop_ro("description", [](const AppRun& self) { return self.run().description(); })
      .def_prop_ro("settings", [](AppRun& self) {
        return self.use([](Run& run) { return run.mass().settings().print(); });
      });
}

/// Adds the functions of places alone and of agents alone.
void bindShapes(nb::class_<AppRun>& run) {
  run.def("ids",
          [](AppRun& self, const std::string& agents) {
            const auto ids =
                self.use([&](Run& run) { return named(run.mass().agents(), agents).ids(); });
            return toNumPy(ids, {ids.size()});
          })
      .def("coordinates",
           [](AppRun& self, const std::string& agents) {
             const auto axes = self.use(
                 [&](Run& run) { return named(run.mass().agents(), agents).coordinates(); });
             std::vector<std::int64_t> all;
             for (const auto& axis : axes) all.insert(all.end(), axis.begin(), axis.end());
             return toNumPy(all, {axes.size(), axes.front().size()});
           })
      .def("shape",
           [](AppRun& self, const std::string& places) {
             return self.use([&](Run& run) { return named(run.mass().places(), places).shape(); });
           })
      .def("count", [](AppRun& self, const std::string& agents) {
        return self.use([&](Run& run) { return named(run.mass().agents(), agents).size(); });
      });
}

void bindRun(nb::module_& module) {
  nb::class_<AppRun> run(module, "Run");
  bindProgress(run);
  bindProperties(run);
  bindShapes(run);
  bindPopulations<&placesOf>(run, "places");
  bindPopulations<&agentsOf>(run, "agents");
}

}  // namespace
}  // namespace mass::python

NB_MODULE(_core, module) {
  using namespace mass::python;
  bindErrors(module);
  bindPicture(module);
  bindRun(module);
  module.def("apps", [] {
    std::map<std::string, std::string> apps;
    for (const mass::Program& app : allApps()) apps[app.name] = app.about;
    return apps;
  });
  module.def("schema", &schemaOf);
  module.attr("version") = MASS_VERSION;
}
