#include <apps/life/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, life::program());
}
