#include <apps/lbm/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"lbm", "Flow in a box by the lattice Boltzmann method.", lbm::schema(), lbm::setUp});
}
