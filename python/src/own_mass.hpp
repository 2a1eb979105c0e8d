#pragma once

#include <python/src/session.hpp>

#include <mass/mass.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {

/// Devices of a model whose steps Python makes.
class OwnMass : public Session {
 public:
  /// @param file YAML file with keys of the library; empty for none
  /// @param assignments "key=value" each
  OwnMass(const std::filesystem::path& file, const std::vector<std::string>& assignments)
      : mass_(open(file, assignments)) {}

  Mass& mass() override { return mass_; }

 private:
  static Mass open(const std::filesystem::path& file, const std::vector<std::string>& assignments) {
    requireOneProcess();
    const nb::gil_scoped_release released;
    Settings settings = file.empty() ? Settings() : Settings::load(file);
    for (const std::string& assignment : assignments) settings.set(assignment);
    return Mass(std::move(settings));
  }

  Mass mass_;
};

}  // namespace mass::python
