#include <apps/heat2d/plate.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"heat2d", "Heat spreading in a plate, by the explicit finite-difference method.",
       heat2d::schema(), [](mass::Mass& mass, mass::Simulation& run) {
         const heat2d::Plate plate(mass.settings());
         const bool isFloat = mass.settings().get<std::string>("precision") == "float";
         (isFloat ? heat2d::setUp<float> : heat2d::setUp<double>)(mass, run, plate);
       }});
}
