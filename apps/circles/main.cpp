#include <apps/circles/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, circles::program());
}
