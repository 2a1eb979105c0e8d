// error: static assertion failed: this member cannot be a setting: settings are bool, integers
#include <mass/mass.hpp>

struct Options {
  float weights[3] = {1, 2, 3};
  using Keys = mass::Keys<&Options::weights>;
};

void add(mass::Schema& schema) {
  schema.add<Options>();
}
