#include <apps/life3d/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, life3d::program());
}
