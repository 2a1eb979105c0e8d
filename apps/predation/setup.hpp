#pragma once

#include <apps/predation/predation.hpp>

#include <cstdint>

namespace predation {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Numbers of animals that were born or died in a step.
struct StepCounts {
  std::int64_t lambs = 0;          ///< sheep born
  std::int64_t starvedSheep = 0;   ///< sheep that died of hunger
  std::int64_t eatenSheep = 0;     ///< sheep that wolves ate
  std::int64_t cubs = 0;           ///< wolves born
  std::int64_t starvedWolves = 0;  ///< wolves that died of hunger
};

/// Grass, sheep and wolves in a periodic square world.
class World {
 public:
  /// Creates a world of `size` x `size` meadows, with animals on random places.
  World(mass::Mass& mass, std::int64_t size, std::int64_t sheep, std::int64_t wolves,
        const Parameters& parameters = {});

  /// Sets the parameters of the next steps.
  void set(const Parameters& parameters) { parameters_ = parameters; }
  StepCounts step() const;
  /// Returns the number of meadows with grass.
  std::int64_t grass() const;
  /// Draws bare ground, grass, sheep over them, and wolves over all.
  mass::Picture picture() const;

  const mass::Places<Meadow>& meadows() const { return meadows_; }
  const mass::Agents<Sheep>& sheep() const { return sheep_; }
  const mass::Agents<Wolf>& wolves() const { return wolves_; }

 private:
  mass::Places<Meadow> meadows_;
  mass::Agents<Sheep> sheep_;
  mass::Agents<Wolf> wolves_;
  Parameters parameters_;
};

/// Creates the world of the settings, and declares steps and outputs.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace predation
