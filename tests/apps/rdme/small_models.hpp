#pragma once

#include <apps/rdme/model/model.hpp>

#include <gtest/gtest.h>
#include <tests/support/temporary_folder.hpp>

#include <string>

namespace rdme::testing {

/// Returns settings of a model of 8 x 8 x 8 sites of 16 nm, with a time step of 50 us.
/// @param lines further lines of the section `model`
inline std::string yamlWith(const std::string& lines) {
  return "model:\n  lattice: {sites: [8, 8, 8], spacing: 16 nm, timestep: 50 us}\n" + lines;
}

/// Returns the model of yamlWith(lines).
inline Model modelWith(const std::string& lines) {
  return Model::parse(yamlWith(lines), "test.yaml");
}

/// Returns the message of the error that yamlWith(lines) causes.
inline std::string errorWith(const std::string& lines) {
  return mass::testing::messageOf<mass::SettingsError>([&] { modelWith(lines); });
}

/// Returns the model of yamlWith(lines) with one species, A.
inline Model withA(const std::string& lines) {
  return modelWith("  species: {A: 1 um2/s}\n" + lines);
}

/// Returns the message of the error that yamlWith(lines) with one species, A, causes.
inline std::string errorWithA(const std::string& lines) {
  return errorWith("  species: {A: 1 um2/s}\n" + lines);
}

}  // namespace rdme::testing
