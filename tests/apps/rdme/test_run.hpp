#pragma once

#include <tests/support/make_mass.hpp>

#include <apps/rdme/lattice/lattice.hpp>
#include <apps/rdme/model/model.hpp>

#include <mass/mass.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rdme::testing {

/// Returns a model with one site type, without reactions.
/// @param hop probability of a step along an axis in one direction
inline Model bareModel(std::array<std::int64_t, 3> sites, int species, double hop,
                       bool periodic = true) {
  Model model;
  for (int s = 0; s < species; ++s) model.species.push_back(fmt::format("S{}", s));
  model.siteTypes = {"outside", "inside"};
  model.sites = sites;
  model.spacing = 1e-6;
  model.timeStep = 1e-3;
  model.periodic = {periodic, periodic, periodic};
  model.hop.assign(static_cast<std::size_t>(4 * species), 0);
  for (int s = 0; s < species; ++s) model.hop[model.transitionIndex(1, 1, s)] = hop;
  model.capacity = 32;
  return model;
}

/// Lattice of a model, and the number of steps it has been advanced by.
struct TestRun {
  mass::Mass mass;
  std::unique_ptr<Lattice> lattice;
  std::int64_t done = 0;

  /// Creates the lattice.
  /// @param backend name of the backend; that of the environment if empty
  explicit TestRun(const Model& model, int devices = 1, std::uint64_t seed = 1,
                   const std::string& backend = {})
      : mass(settings(devices, seed, backend)), lattice(createLattice(mass, model)) {}
  void advance(std::int64_t steps) {
    lattice->advance(done, mass::Steps{steps});
    done += steps;
  }
  static mass::Settings settings(int devices, std::uint64_t seed, const std::string& backend) {
    mass::Settings settings;
    mass::testing::setDevices(settings, devices);
    if (!backend.empty()) settings.set("backend=" + backend);
    settings.set(fmt::format("seed={}", seed));
    return settings;
  }
};

/// Mean and variance, over all sites, of the number of particles of a species.
struct Moments {
  double mean = 0, variance = 0;

  Moments(const Lattice& lattice, int species) {
    const auto field = lattice.field(species);
    const auto sites = static_cast<double>(field.size());
    for (const std::uint8_t here : field) mean += here / sites;
    for (const std::uint8_t here : field) variance += (here - mean) * (here - mean) / sites;
  }
};

/// Returns the distribution of the displacement along an axis after some steps: element i is the
/// probability of i - steps sites.
inline std::vector<double> displacementDistribution(double hop, int steps) {
  std::vector<double> p(static_cast<std::size_t>(2 * steps + 1));
  p[static_cast<std::size_t>(steps)] = 1;
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      next[i] = (1 - 2 * hop) * p[i] + (i > 0 ? hop * p[i - 1] : 0) +
                (i + 1 < p.size() ? hop * p[i + 1] : 0);
    }
    p = next;
  }
  return p;
}

}  // namespace rdme::testing
