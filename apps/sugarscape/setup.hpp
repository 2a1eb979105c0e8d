#pragma once

#include <apps/sugarscape/sugarscape.hpp>

#include <cstdint>

namespace sugarscape {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Maximum of sugar at the peak of a hill.
constexpr int hillHeight = 4;

/// Returns the maximum of sugar of a place in a world of `size` x `size` places: two hills that
/// fall from hillHeight to 0 in four equal steps over half of the world's size.
int maximumAt(const mass::Coordinates<2>& place, std::int64_t size);

/// Numbers of agents by their fate in a step.
struct StepCounts {
  std::int64_t moved = 0;
  std::int64_t blocked = 0;  ///< stayed: other agents were admitted to the places they chose
  std::int64_t died = 0;
  std::int64_t born = 0;
};

/// Parameters of a world of Foragers.
struct Parameters {
  int growth = 1;           ///< sugar per step
  bool replacement = true;  ///< rule R: agents also die of age, and dead ones are replaced
  int tries = 8;            ///< largest number of moves that an agent tries in a step
};

/// World with agents of class A, Ant or Forager.
template <class A>
class World {
 public:
  /// Creates a periodic world of `size` x `size` places, with agents on random places.
  World(mass::Mass& mass, std::int64_t size, std::int64_t agents,
        const Parameters& parameters = {});

  /// Sets the parameters of the next steps.
  void set(const Parameters& parameters) { parameters_ = parameters; }
  StepCounts step() const;
  /// Draws the sugar, and the agents over it.
  mass::Picture picture() const;

  const mass::Places<Cell>& land() const { return land_; }
  const mass::Agents<A>& agents() const { return agents_; }

 private:
  void grow() const;
  mass::Census move() const;
  void eat() const;

  mass::Places<Cell> land_;
  mass::Agents<A> agents_;
  Parameters parameters_;
};

/// Creates the world of the settings, and declares steps and outputs.
/// @throws mass::SettingsError if there are more agents than places.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace sugarscape
