#include <apps/boids/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, boids::program());
}
