#include <apps/cavity/forms.hpp>
#include <apps/cavity/tank_of.hpp>

namespace cavity {

std::unique_ptr<Tank> floats(mass::Mass& mass, const Problem& problem) {
  return std::make_unique<TankOf<Fluid<D3Q19, float>>>(mass, problem);
}

}  // namespace cavity
