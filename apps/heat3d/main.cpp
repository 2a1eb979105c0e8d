#include <apps/heat3d/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, heat3d::program());
}
