#include <apps/circles/circles.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"circles", "Particles that keep their distance.", circles::schema(), circles::setUp});
}
