#include <apps/predation/world.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"predation", "Wolves that eat sheep that eat grass.",
                           predation::schema(), predation::setUp});
}
