#include <apps/sugarscape/world.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"sugarscape", "Agents that gather sugar from two hills, and what wealth they come to.",
       sugarscape::schema(), sugarscape::setUp});
}
