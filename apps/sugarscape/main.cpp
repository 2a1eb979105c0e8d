#include <apps/sugarscape/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"sugarscape",
       "Agents gather sugar, and their wealth becomes unequal (Epstein & Axtell 1996).",
       sugarscape::schema(), sugarscape::setUp});
}
