#include "field_frames.hpp"

#include <mass/backend/gpus.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace {

using namespace mass::testing;

/// Calls `test(mass)` on 1, 2 and 3 GPUs, as far as there are so many.
void onGpus(void (*test)(mass::Mass&)) {
  if (mass::detail::usableGpus() == 0) GTEST_SKIP() << "there is no GPU";
  for (int gpus = 1; gpus <= std::min(3, mass::detail::usableGpus()); ++gpus) {
    mass::Settings settings;
    settings.set("backend=cuda");
    settings.set(fmt::format("devices={}", gpus));
    mass::Mass mass(settings);
    test(mass);
  }
}

TEST(LiveFieldFrameOnGpus, HasThePixelsOfTheValuesOfEachType) {
  onGpus(&testTypes);
}

TEST(LiveFieldFrameOnGpus, HasThePixelsOfSlices) {
  onGpus(&testSlices);
}

TEST(LiveFieldFrameOnGpus, HasThePixelsOfBits) {
  onGpus(&testBits);
}

}  // namespace
