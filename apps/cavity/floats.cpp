#include <apps/cavity/forms.hpp>
#include <apps/cavity/tank_of.hpp>

namespace cavity {

std::unique_ptr<Tank> floats(mass::Mass& mass, const Problem& problem) {
  return std::make_unique<TankOf<D3Q19, float, void>>(mass, problem);
}

}  // namespace cavity
