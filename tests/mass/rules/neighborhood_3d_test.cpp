#include "neighborhood_reference.hpp"

namespace {

using namespace mass::testing;

const std::vector<mass::Shape<3>> shapes = {{1, 1, 1}, {3, 1, 2}, {2, 5, 3}, {8, 2, 3}};

TEST(Neighborhood3D, Reach1EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<3, 1>(shapes);
}

TEST(Neighborhood3D, Reach2EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<3, 2>(shapes);
}

TEST(Neighborhood3D, Reach3EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<3, 3>(shapes);
}

TEST(Neighborhood3D, EqualsPlainLoopsOnRanks) {
  expectAllBordersSameOnRanks<3, 1>({6, 3, 5});
  expectAllBordersSameOnRanks<3, 2>({7, 2, 4});
  expectAllBordersSameOnRanks<3, 3>({6, 5, 3});
}

}  // namespace
