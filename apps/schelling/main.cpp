#include <apps/schelling/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, schelling::program());
}
