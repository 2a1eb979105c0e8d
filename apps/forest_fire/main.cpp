#include <apps/forest_fire/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"forest_fire", "Trees grow, lightning strikes, fires spread.",
                           forest_fire::schema(), forest_fire::setUp});
}
