// Another form of floats.cpp.

#include <apps/cavity/forms.hpp>
#include <apps/cavity/tank_of.hpp>

namespace cavity {

std::unique_ptr<Tank> flatDoubles(mass::Mass& mass, const Problem& problem) {
  return std::make_unique<TankOf<D2Q9, double, void>>(mass, problem);
}

}  // namespace cavity
