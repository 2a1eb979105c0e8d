#include <apps/phold/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, phold::program());
}
