#include <apps/schelling/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"schelling", "Segregation of two kinds of households (Schelling 1971).",
                           schelling::schema(), schelling::setUp});
}
