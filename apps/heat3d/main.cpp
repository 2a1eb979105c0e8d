#include <apps/heat3d/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"heat3d", "Heat conduction in a block, by explicit finite differences of order 2 to 8.",
       heat3d::schema(), heat3d::setUp});
}
