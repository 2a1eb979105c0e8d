#include <apps/seismic/setup.hpp>

int main(int argc, char** argv) {
  return mass::runProgram(argc, argv,
                          {"seismic", "Seismic waves in an elastic ground, by finite differences.",
                           seismic::schema(), seismic::setUp});
}
