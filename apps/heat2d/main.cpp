#include <apps/heat2d/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, heat2d::program());
}
