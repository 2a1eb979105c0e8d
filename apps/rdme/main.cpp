#include <apps/rdme/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"rdme", "Reactions and diffusion of single particles on a lattice, by the MPD-RDME method.",
       rdme::schema(), rdme::setUp});
}
