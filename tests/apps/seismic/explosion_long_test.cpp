// Compares a distant explosion with its analytic velocity: two minutes on two cores.
#include "runs.hpp"

namespace seismic {
namespace {

// Errors of second order in time (too fast) and of fourth order in space (too slow) partly cancel.
TEST(ExplosionLong, TenWavelengthsAwayFollowsTheAnalyticVelocityWithin3PerCent) {
  EXPECT_LE(misfitOfExplosion(10, 0.2, 40, 75), 0.03);
}

}  // namespace
}  // namespace seismic
