// Runs of the apps.

#include <python/src/app_run.hpp>
#include <python/src/bindings.hpp>

#include <mass/program/run_record.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {
namespace {

/// Returns the record of a run with these settings, without a run, as JSON.
/// @throws SettingsError if the program does not accept a value
std::string recordOf(const std::string& app, const std::filesystem::path& file,
                     const std::vector<std::string>& assignments) {
  const Program program = programNamed(app);
  auto record = detail::RunRecord::ofProgram(program.name, {});
  record.settings = settingsOf(program, file, assignments).recorded();
  return record.json();
}

/// Returns the keys of a program, with their properties.
nb::list schemaOf(const std::string& app) {
  nb::list keys;
  const Schema library = Schema::library();
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
    // A program may add columns or units of its table to a section without effect on its state.
    entry["affects_results"] = key.affectsResults || library.find(key.name) == nullptr;
    keys.append(entry);
  }
  return keys;
}

/// Returns the changes of settings of a run, each as step, key and value.
nb::list changesOf(AppRun& run) {
  nb::list changes;
  for (const Run::Change& change : run.useRun([](Run& used) { return used.changes(); })) {
    nb::dict entry;
    entry["step"] = change.step;
    entry["key"] = change.key;
    entry["value"] = std::visit([](const auto& value) { return nb::cast(value); }, change.value);
    changes.append(entry);
  }
  return changes;
}

/// Adds the functions of a run as a whole.
void bindProgress(nb::class_<AppRun, Session>& run) {
  run.def(nb::init<const std::string&, const std::filesystem::path&,
                   const std::vector<std::string>&>())
      .def("step", &AppRun::step)
      .def("set", &AppRun::set)
      .def("changes", &changesOf)
      .def("restore", &AppRun::restore)
      .def("open_view", &AppRun::openView)
      .def("close_view", &AppRun::closeView)
      .def("save",
           [](AppRun& self, const std::filesystem::path& file) {
             self.useRun([&](Run& run) { run.save(file); });
           })
      .def("pictures",
           [](AppRun& self) { return self.useRun([](Run& run) { return run.pictures(); }); })
      .def("row",
           [](AppRun& self) {
             const Run::Row row = self.useRun([](Run& run) { return run.row(); });
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
void bindProperties(nb::class_<AppRun, Session>& run) {
  run.def_prop_ro("steps", &AppRun::steps)
      .def_prop_ro("last_step", [](const AppRun& self) { return self.run().lastStep(); })
      .def_prop_ro("time",
                   [](AppRun& self) { return self.useRun([](Run& run) { return run.time(); }); })
      .def_prop_ro("description", [](const AppRun& self) { return self.run().description(); });
}

}  // namespace

void bindRun(nb::module_& module) {
  nb::class_<AppRun, Session> run(module, "Run");
  bindProgress(run);
  bindProperties(run);
  module.def("apps", [] {
    std::map<std::string, std::string> apps;
    for (const auto& [name, program] : allApps()) apps[name] = program().about;
    return apps;
  });
  module.def("schema", &schemaOf);
  module.def("record", &recordOf);
}

}  // namespace mass::python
