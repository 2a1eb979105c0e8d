#include <apps/rdme/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv, rdme::program());
}
