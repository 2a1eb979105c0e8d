#include <apps/heat2d/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"heat2d", "Heat conduction in a plate, by the explicit finite-difference method.",
       heat2d::schema(), heat2d::setUp});
}
