#include <apps/cavity/tank.hpp>

#include <apps/cavity/forms.hpp>

namespace cavity {

std::unique_ptr<Tank> createTank(mass::Mass& mass, const Problem& problem) {
  if (problem.dimensions == 2) {
    if (problem.halves) throw mass::UsageError("halves are for three dimensions");
    if (problem.moments)
      return (problem.doubles ? flatMomentDoubles : flatMomentFloats)(mass, problem);
    return (problem.doubles ? flatDoubles : flatFloats)(mass, problem);
  }
  if (problem.moments) {
    return (problem.doubles  ? momentDoubles
            : problem.halves ? momentHalves
                             : momentFloats)(mass, problem);
  }
  return (problem.doubles ? doubles : problem.halves ? halves : floats)(mass, problem);
}

}  // namespace cavity
