#pragma once

#include <mass/mass.hpp>

#include <cstdint>

/// Cell of an excitable medium (Greenberg & Hastings, SIAM J. Appl. Math. 34, 515, 1978): a cell at
/// rest is excited by excited neighbours, and is refractory for some steps after that.
class Excitable : public mass::Place<2> {
 public:
  std::uint8_t state = 0;  // 0: at rest; 1: excited; 2 and above: refractory
  using Attributes = mass::Attributes<&Excitable::state>;

  /// Makes one step of a medium with `states` states, in which `threshold` excited neighbours
  /// excite a cell.
  MASS_FN void excite(const mass::Neighborhood<Excitable>& near, int states, int threshold) {
    int excited = 0;
    for (auto offset : mass::moore<2>) excited += near(offset).state == 1;
    if (state > 0) {
      state = static_cast<std::uint8_t>((state + 1) % states);
    } else if (excited >= threshold) {
      state = 1;
    }
  }

  /// Sets a random state below `states` with probability `density`.
  MASS_FN void randomise(const mass::Here<2>& here, int states, double density) {
    mass::Random random = here.random();
    state = random.bernoulli(density) ? static_cast<std::uint8_t>(random.uniform() * states) : 0;
  }

  MASS_FN bool isExcited() const { return state == 1; }
};
