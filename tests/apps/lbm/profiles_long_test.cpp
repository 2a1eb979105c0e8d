// Cavities on fine grids against published profiles.

#include "trial.hpp"

#include <gtest/gtest.h>

namespace {

using namespace lbm;
using namespace lbm::testing;

/// Returns the distance of a steady cavity flow from a published one, in lid speeds.
double distance(std::array<std::int64_t, 3> cells, double reynolds, double seconds, bool doubles,
                const std::string& file, const std::string& column, double upTo,
                bool moments = false) {
  constexpr double speed = 0.1;
  const double height = static_cast<double>(cells[1]);
  LatticeCase lattice = lidDriven(cells, manyRates(speed * height / reynolds), speed);
  lattice.isDouble = doubles;
  lattice.storesMoments = moments;
  Trial run(lattice);
  run.advance(static_cast<std::int64_t>(seconds * height / speed));
  const double most = distanceFrom(lattice, run.solver->macroscopic(), file, column, upTo);
  ::testing::Test::RecordProperty("distance", std::to_string(most));
  fmt::print("  {} x {} x {}, Re {}, {}: {:.4f} lid speeds from {}\n", cells[2], cells[1], cells[0],
             reynolds, moments ? "moments" : "populations", most, file);
  return most;
}

// The distances are those of apps/lbm/README.md. A change of the method, or of its accuracy,
// changes them.
constexpr double rounding = 1e-4;

TEST(Profiles, AreThoseOfGhiaAtReynolds100) {
  EXPECT_NEAR(distance({1, 256, 256}, 100, 30, true, "ghia_1982.csv", "re100", 1), 0.0085,
              rounding);
}

TEST(Profiles, AreThoseOfGhiaAtReynolds1000) {
  // Their v near the right wall, x > 0.9, is known to be 2 to 6 % off.
  EXPECT_NEAR(distance({1, 256, 256}, 1000, 60, true, "ghia_1982.csv", "re1000", 0.9), 0.0068,
              rounding);
}

TEST(Profiles, OfMomentsAreThoseOfGhia) {
  EXPECT_NEAR(distance({1, 256, 256}, 100, 30, true, "ghia_1982.csv", "re100", 1, true), 0.0085,
              rounding);
  EXPECT_NEAR(distance({1, 256, 256}, 1000, 60, true, "ghia_1982.csv", "re1000", 0.9, true), 0.0068,
              rounding);
}

/// Returns the distance of a cubic cavity from the profiles of Albensoeder and Kuhlmann.
double ofCube(std::int64_t cells, bool moments) {
  return distance({cells, cells, cells}, 1000, 40, false, "albensoeder_2005.csv", "re1000", 1,
                  moments);
}

TEST(Profiles, OfMomentsComeNearThoseOfAlbensoederAndKuhlmannInACoarseCube) {
  EXPECT_NEAR(ofCube(64, true), 0.0213, rounding);
}

TEST(Profiles, OfMomentsAreThoseOfAlbensoederAndKuhlmannInACube) {
  EXPECT_NEAR(ofCube(128, true), 0.0053, rounding);
}

TEST(Profiles, ComeNearThoseOfAlbensoederAndKuhlmannInACoarseCube) {
  EXPECT_NEAR(ofCube(64, false), 0.0269, rounding);
}

TEST(Profiles, AreThoseOfAlbensoederAndKuhlmannInACube) {
  EXPECT_NEAR(ofCube(128, false), 0.0064, rounding);
}

TEST(Profiles, AreThoseOfAlbensoederAndKuhlmannInAFineCube) {
  if (mass::testing::testBackend() != "cuda")
    GTEST_SKIP() << "takes hours on CPUs: set MASS_TEST_BACKEND=cuda";
  for (const bool moments : {false, true}) EXPECT_NEAR(ofCube(256, moments), 0.0017, rounding);
}

}  // namespace
