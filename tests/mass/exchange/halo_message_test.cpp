#include <mass/exchange/halo_message.hpp>

#include "../../support/make_mass.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using mass::detail::GhostField;

class Room : public mass::Place<2> {
 public:
  static constexpr int reach = 2;
  int number = 0;
  mass::Multiset<8, 3> visitors;
  using Attributes = mass::Attributes<&Room::number, &Room::visitors>;
};

/// Rules read the multiset of their own place only.
TEST(HaloMessages, HaveNoWordsOfMultisets) {
  mass::Mass mass = mass::testing::makeMass(3);
  const auto rooms = mass.createPlaces<Room>({12, 5});
  const mass::detail::PlaceFields& fields = *rooms.population().fields;
  ASSERT_EQ(fields.components(), 4);
  const std::vector<GhostField> numbers{{0, 0}}, words{{1, 0}, {2, 0}, {3, 0}};
  EXPECT_EQ(haloMessages(fields, numbers).size(), 6U);
  EXPECT_TRUE(haloMessages(fields, words).empty());
}

}  // namespace
