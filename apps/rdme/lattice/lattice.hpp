#pragma once

#include <mass/mass.hpp>

#include <apps/rdme/model/model.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace rdme {

/// A model on places, whatever form its sites have.
class Lattice {
 public:
  virtual ~Lattice() = default;

  /// Goes on by some steps; `done` is how many came before. @throws mass::OverflowError when more
  /// particles come to a site than it has room for; then the state is lost.
  virtual void advance(std::int64_t done, mass::Steps steps) = 0;
  /// Particles of a species, in all.
  virtual std::int64_t count(int species) const = 0;
  /// Particles of a species in sites of a type.
  virtual std::int64_t countIn(int species, int siteType) const = 0;
  /// Particles of a species in every layer along z.
  virtual std::vector<std::int64_t> profile(int species) const = 0;
  /// Particles of a species in every site, z slowest; more than 255 count as 255.
  virtual std::vector<std::uint8_t> field(int species) const = 0;
  virtual std::uint64_t hash() const = 0;
  /// Sites of a type that have no room for so many particles more.
  virtual std::int64_t sitesWithoutRoom(int siteType, int more) const = 0;
  /// How often a particle came to a site whose first word was full.
  virtual std::uint64_t overflowedWords() const = 0;
  /// Particles that a site has room for.
  virtual int capacity() const = 0;
  /// Puts the numbers of particles of every species in each site into the data files of a run,
  /// which must not outlive this.
  virtual void writeData(mass::Simulation& run, const Model& model) const = 0;
};

/// A model with its particles in place, in the smallest form of site that holds it.
/// @throws mass::InputError when no form does; mass::DeviceError when there is not enough memory.
std::unique_ptr<Lattice> createLattice(mass::Mass& mass, const Model& model);

}  // namespace rdme
