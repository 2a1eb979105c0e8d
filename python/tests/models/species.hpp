#pragma once

/// Parameters of a species.
struct Species {
  int gain = 4;
  float birth = 0.1F;
};
