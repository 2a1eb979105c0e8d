// Rules in turn on GPUs, compared with loops over arrays.

#include "../../support/asymmetric_cells.hpp"

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using mass::Border;
using mass::Shape;

template <int D, int Reach>
void compare(Shape<D> shape, Border border, int devices) {
  SCOPED_TRACE(fmt::format("{}-D, reach {}, border {}, {} devices", D, Reach,
                           static_cast<int>(border), devices));
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", devices));
  settings.set("MAX_PLACE_EXCHANGE=2");
  settings.set("seed=11");
  mass::Mass mass(settings);
  mass::testing::compareOn<D, Reach>(mass, shape, border, {7, 1, 101, 2});
}

// Several devices run the rules one by one.
TEST(GpuTurns, HaveTheBitsOfLoopsOverArrays) {
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (const int devices : {1, 2}) {
      if (mass::detail::usableGpus() < devices) GTEST_SKIP() << "no " << devices << " GPUs";
      compare<2, 1>({67, 40}, border, devices);
      compare<3, 2>({11, 3, 5}, border, devices);
    }
  }
}

}  // namespace
