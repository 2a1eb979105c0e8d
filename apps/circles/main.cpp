#include <apps/circles/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"circles", "Particles that repel and attract each other.",
                           circles::schema(), circles::setUp});
}
