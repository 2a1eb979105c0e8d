#include <apps/traffic/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, traffic::program());
}
