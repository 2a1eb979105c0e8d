#pragma once

#include <apps/rdme/model.hpp>

#include <gtest/gtest.h>
#include <tests/support/temporary_folder.hpp>

#include <string>

namespace rdme::testing {

/// A model of 8 x 8 x 8 sites of 16 nm, 50 us a step, with more lines of the section `model`.
inline std::string yamlWith(const std::string& lines) {
  return "model:\n  lattice: {sites: [8, 8, 8], spacing: 16 nm, timestep: 50 us}\n" + lines;
}

inline Model modelWith(const std::string& lines) {
  return Model::parse(yamlWith(lines), "test.yaml");
}

inline std::string errorWith(const std::string& lines) {
  return mass::testing::messageOf<mass::SettingsError>([&] { modelWith(lines); });
}

/// A species on its own, then more lines.
inline Model withA(const std::string& lines) {
  return modelWith("  species: {A: 1 um2/s}\n" + lines);
}

inline std::string errorWithA(const std::string& lines) {
  return errorWith("  species: {A: 1 um2/s}\n" + lines);
}

}  // namespace rdme::testing
