#include <apps/life3d/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"life3d", "The Game of Life in three dimensions, by any rule that counts 26 neighbours.",
       life3d::schema(), life3d::setUp});
}
