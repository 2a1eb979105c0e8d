#include <apps/cavity/flow.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"cavity", "Flow in a box by the lattice Boltzmann method.",
                           cavity::schema(), cavity::setUp});
}
