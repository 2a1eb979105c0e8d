#pragma once

#include <apps/predation/predation.hpp>

#include <cstdint>

namespace predation {

/// The settings of this program besides the library's.
mass::Schema schema();

/// What happened in a step.
struct Events {
  std::int64_t lambs = 0;    ///< born
  std::int64_t starved = 0;  ///< sheep
  std::int64_t eaten = 0;    ///< sheep
  std::int64_t cubs = 0;     ///< born
  std::int64_t died = 0;     ///< wolves
};

/// Grass, sheep and wolves in a square world that goes round.
class World {
 public:
  World(mass::Mass& mass, std::int64_t size, std::int64_t sheep, std::int64_t wolves,
        const Rules& rules = {});

  Events step() const;
  /// Meadows with grass.
  std::int64_t grass() const;
  /// Bare ground, grass, sheep, and above all wolves.
  mass::Picture picture() const;

  const mass::Places<Meadow>& meadows() const { return meadows_; }
  const mass::Agents<Sheep>& sheep() const { return sheep_; }
  const mass::Agents<Wolf>& wolves() const { return wolves_; }

 private:
  mass::Places<Meadow> meadows_;
  mass::Agents<Sheep> sheep_;
  mass::Agents<Wolf> wolves_;
  Rules rules_;
};

/// Sets the model up as the settings say.
void setUp(mass::Mass& mass, mass::Simulation& run);

}  // namespace predation
