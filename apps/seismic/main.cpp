#include <apps/seismic/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, seismic::program());
}
