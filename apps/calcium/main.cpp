#include <apps/calcium/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"calcium", "Calcium waves and buffers in dendrites: single molecules, or concentrations.",
       calcium::schema(), calcium::setUp});
}
