#pragma once

#include <python/src/session.hpp>
#include <python/src/stepped_run.hpp>

#include <mass/mass.hpp>
#include <mass_python_apps.hpp>

#include <fmt/ranges.h>
#include <nanobind/nanobind.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {

/// Returns the program of an app.
/// @throws UsageError that lists the apps
inline Program programNamed(const std::string& name) {
  const auto apps = allApps();
  const auto found = apps.find(name);
  if (found != apps.end()) return found->second();
  std::vector<std::string> names;
  for (const auto& [app, program] : apps) names.push_back(app);
  throw UsageError("there is no app '{}'; apps are {}", name, fmt::join(names, ", "));
}

/// Returns the settings of a program.
/// @param file YAML file; empty for none @param assignments "key=value" each
inline Settings settingsOf(const Program& program, const std::filesystem::path& file,
                           const std::vector<std::string>& assignments) {
  Settings settings =
      file.empty() ? Settings(program.schema) : Settings::load(file, program.schema);
  for (const std::string& assignment : assignments) settings.set(assignment);
  return settings;
}

/// Run of an app.
class AppRun : public Session {
 public:
  AppRun(const std::string& name, const std::filesystem::path& file,
         const std::vector<std::string>& assignments)
      : stepped_(*this, std::make_shared<Recorder>(), make(name, file, assignments)) {}

  Mass& mass() override { return stepped_.mass(); }
  SteppedRun& stepped() { return stepped_; }

 private:
  static Run make(const std::string& name, const std::filesystem::path& file,
                  const std::vector<std::string>& assignments) {
    requireOneProcess();
    const nb::gil_scoped_release released;
    const Program program = programNamed(name);
    return {program, settingsOf(program, file, assignments)};
  }

  SteppedRun stepped_;
};

}  // namespace mass::python
