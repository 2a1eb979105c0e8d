// error: static assertion failed: this member cannot be a setting: settings are bool, integers
#include <mass/mass.hpp>

struct Options {
  double beta = 0.3;
  const char* border = "closed";
  using Keys = mass::Keys<&Options::beta, &Options::border>;
};

Options optionsOf(const mass::Settings& settings) {
  return settings.read<Options>();
}
