#include <apps/schelling/town.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"schelling", "Two kinds of households that want to live among their own.",
       schelling::schema(), schelling::setUp});
}
