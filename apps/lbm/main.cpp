#include <apps/lbm/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, lbm::program());
}
