#include <apps/lbm/setup.hpp>
#include <apps/lbm/solver/solver.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {lbm::programName, "Flow in a box by the lattice Boltzmann method.",
                           lbm::schema(), lbm::setUp});
}
