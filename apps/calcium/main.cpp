#include <apps/calcium/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, calcium::program());
}
