// error: static assertion failed: this structure does not say which members are settings
#include <mass/mass.hpp>

struct Options {
  double beta = 0.3;
};

Options optionsOf(const mass::Settings& settings) {
  return settings.read<Options>();
}
