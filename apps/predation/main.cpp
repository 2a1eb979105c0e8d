#include <apps/predation/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"predation", "Wolves eat sheep, sheep eat grass (Wilensky 1997).",
                           predation::schema(), predation::setUp});
}
