#pragma once

#include <apps/cavity/tank.hpp>

namespace cavity {

// Each in a source of its own, as compilers take their time over them.
std::unique_ptr<Tank> flatFloats(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> flatDoubles(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> floats(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> doubles(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> halves(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> flatMomentFloats(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> flatMomentDoubles(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> momentFloats(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> momentDoubles(mass::Mass& mass, const Problem& problem);
std::unique_ptr<Tank> momentHalves(mass::Mass& mass, const Problem& problem);

}  // namespace cavity
