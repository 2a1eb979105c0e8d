#include <apps/predation/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, predation::program());
}
