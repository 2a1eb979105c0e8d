#include "neighborhood_reference.hpp"

namespace {

using namespace mass::testing;

const std::vector<mass::Shape<2>> shapes = {{1, 1}, {1, 7}, {7, 1}, {2, 3}, {5, 5}, {13, 11}};

TEST(Neighborhood2D, Reach1EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<2, 1>(shapes);
}

TEST(Neighborhood2D, Reach2EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<2, 2>(shapes);
}

TEST(Neighborhood2D, Reach3EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<2, 3>(shapes);
}

TEST(Neighborhood2D, BandsOfUnevenWeights) {
  using Weights = std::vector<double>;
  for (const Borders<2>& borders : allBorders<2>()) {
    expectSameAsPlainLoops<2, 2>({23, 6}, borders, 3, 4, Weights{1, 9, 2});
    expectSameAsPlainLoops<2, 2>({23, 6}, borders, 4, 2, Weights{1e-9, 1, 1e-9, 1});
  }
}

// Lines that are padded and longer than any vector register.
TEST(Neighborhood2D, LongLines) {
  for (const Borders<2>& borders : allBorders<2>()) {
    expectSameAsPlainLoops<2, 1>({4, 829}, borders, 2, 3);
  }
}

TEST(Neighborhood2D, EqualsPlainLoopsOnRanks) {
  expectAllBordersSameOnRanks<2, 1>({6, 5});
  expectAllBordersSameOnRanks<2, 2>({7, 3});
  expectAllBordersSameOnRanks<2, 3>({11, 7});
}

}  // namespace
