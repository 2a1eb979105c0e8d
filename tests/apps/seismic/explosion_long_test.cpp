// Compares a distant explosion with its analytic velocity: two minutes on two cores.
#include "runs.hpp"

namespace seismic {
namespace {

// Errors of second order in time (too fast) and of fourth order in space (too slow) partly cancel.
TEST(ExplosionLong, TenWavelengthsAwayFollowsTheAnalyticVelocityWithin3PerCent) {
  const double found = misfitOfExplosion(10, 0.2, 28, 60);
  EXPECT_LE(found, 0.03);
  RecordProperty("misfit", fmt::format("{:.3g}", found));
}

}  // namespace
}  // namespace seismic
