#include "neighborhood_reference.hpp"

namespace {

using namespace mass::testing;

const std::vector<mass::Shape<1>> shapes = {{1}, {2}, {5}, {13}, {31}};

TEST(Neighborhood1D, Reach1EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<1, 1>(shapes);
}

TEST(Neighborhood1D, Reach2EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<1, 2>(shapes);
}

TEST(Neighborhood1D, Reach3EqualsPlainLoopsOnEachSplit) {
  expectAllBordersSameAsPlainLoops<1, 3>(shapes);
}

TEST(Neighborhood1D, EqualsPlainLoopsOnRanks) {
  expectAllBordersSameOnRanks<1, 1>({6});
  expectAllBordersSameOnRanks<1, 2>({6});
  expectAllBordersSameOnRanks<1, 3>({17});
}

}  // namespace
