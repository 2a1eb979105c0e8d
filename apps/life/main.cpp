#include <apps/life/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"life", "The Game of Life, by any Life-like rule, from a pattern file or random cells.",
       life::schema(), life::setUp});
}
