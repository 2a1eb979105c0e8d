// Another form of floats.cpp.

#include <apps/cavity/forms.hpp>
#include <apps/cavity/tank_of.hpp>

namespace cavity {

std::unique_ptr<Tank> momentHalves(mass::Mass& mass, const Problem& problem) {
  return std::make_unique<TankOf<MomentFluid<D3Q19, float, mass::Half<0>>>>(mass, problem);
}

}  // namespace cavity
