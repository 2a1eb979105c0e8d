// error: static assertion failed: run.state<T>: T is bool, std::int64_t or double
#include <mass/mass.hpp>

void setUp(mass::Simulation& run) {
  run.state<float>("season", 0);
}
