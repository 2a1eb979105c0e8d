// Another form of floats.cpp.

#include <apps/cavity/forms.hpp>
#include <apps/cavity/tank_of.hpp>

namespace cavity {

std::unique_ptr<Tank> flatMomentFloats(mass::Mass& mass, const Problem& problem) {
  return std::make_unique<TankOf<MomentFluid<D2Q9, float>>>(mass, problem);
}

}  // namespace cavity
