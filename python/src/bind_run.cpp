// Runs of the apps.

#include <python/src/app_run.hpp>
#include <python/src/bind_steps.hpp>
#include <python/src/bindings.hpp>

#include <mass/program/run_record.hpp>

#include <nanobind/stl/map.h>

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

}  // namespace

void bindRun(nb::module_& module) {
  nb::class_<AppRun, Session> run(module, "Run");
  run.def(nb::init<const std::string&, const std::filesystem::path&,
                   const std::vector<std::string>&>());
  bindSteps(run);
  bindResults(run);
  module.def("apps", [] {
    std::map<std::string, std::string> apps;
    for (const auto& [name, program] : allApps()) apps[name] = program().about;
    return apps;
  });
  module.def("schema", &schemaOf);
  module.def("record", &recordOf);
}

}  // namespace mass::python
