#include <apps/boids/flock.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"boids", "Birds that flock.", boids::schema(), boids::setUp});
}
