#include <apps/forest_fire/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, forest_fire::program());
}
