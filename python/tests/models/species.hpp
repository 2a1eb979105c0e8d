#pragma once

/// Parameters that Python cannot give.
struct Species {
  int gain = 4;
  float birth = 0.1F;
};
