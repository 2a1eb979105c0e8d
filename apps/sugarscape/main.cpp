#include <apps/sugarscape/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, sugarscape::program());
}
