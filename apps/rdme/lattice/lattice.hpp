#pragma once

#include <mass/mass.hpp>

#include <apps/rdme/model/model.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rdme {

/// Reaction-diffusion model on places, independent of the storage format of its sites.
class Lattice {
 public:
  virtual ~Lattice() = default;

  /// Advances the model by some steps.
  /// @param done number of steps before these
  /// @throws mass::OverflowError if a site receives more particles than capacity(); the state is
  ///     then lost
  virtual void advance(std::int64_t done, mass::Steps steps) = 0;
  /// Adds particles. @param particles site index * 256 + species code of each, in ascending order
  /// @throws mass::ModelError if a site cannot store them
  virtual void add(const std::vector<std::uint64_t>& particles) = 0;
  /// Returns the number of particles of a species, given by its index.
  virtual std::int64_t count(int species) const = 0;
  /// Returns the number of particles of a species in sites of a type.
  virtual std::int64_t countIn(int species, int siteType) const = 0;
  /// Returns the number of particles of a species in each layer along z.
  virtual std::vector<std::int64_t> profile(int species) const = 0;
  /// Returns the number of particles of a species in each site, at most 255, z slowest, x fastest.
  virtual std::vector<std::uint8_t> field(int species) const = 0;
  /// Returns a hash of the state, equal for any number of devices and threads.
  virtual std::uint64_t hash() const = 0;
  /// Returns the number of sites of a type that cannot store `more` further particles.
  virtual std::int64_t sitesWithoutRoom(int siteType, int more) const = 0;
  /// Returns the number of times that a particle reached a site whose first word was full.
  virtual std::uint64_t overflowedWords() const = 0;
  /// Returns the number of particles that a site stores.
  virtual int capacity() const = 0;
  /// Writes the number of particles of each species in each site to the data files of a run.
  /// @pre this lattice outlives `run`
  virtual void writeData(mass::Simulation& run, const Model& model) const = 0;
  /// Returns a line on the clock for the start of a run; empty if the model says all.
  virtual std::string clockText() const { return {}; }
  /// Returns a line on the work for the summary of a run; empty if there is none.
  virtual std::string workText() const { return {}; }
};

/// Creates a lattice in the smallest storage format for the species and capacity of a model, with
/// the initial particles in place.
/// @throws mass::InputError if no storage format has the capacity, or the initial particles do not
///     fit
/// @throws mass::DeviceError if memory is exhausted
std::unique_ptr<Lattice> createLattice(mass::Mass& mass, const Model& model);

}  // namespace rdme
