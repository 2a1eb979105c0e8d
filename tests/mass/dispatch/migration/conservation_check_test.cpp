#include <mass/dispatch/migration/conservation_check.hpp>

#include "../../../support/make_mass.hpp"
#include "../../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

using mass::testing::contains;
using mass::testing::messageOf;

class Ground : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};
class Pawn : public mass::Agent<Ground> {
 public:
  using Attributes = mass::Attributes<>;
};

/// World with 30 pawns that do not move.
struct Board {
  explicit Board(int devices) : mass(mass::testing::makeMass(devices)) {}

  mass::Mass mass;
  mass::Places<Ground> ground = mass.createPlaces<Ground>({4, 5});
  mass::Agents<Pawn> pawns = mass.createAgents<Pawn>(ground, 30, "pawns");
  mass::detail::AgentFields& fields = *pawns.population().fields;
};

TEST(Check, AnAgentThatIsLostIsAnErrorInEveryBuild) {
  for (const int devices : {1, 3}) {
    const Board board(devices);
    board.pawns.manageAll();
    EXPECT_EQ(board.pawns.size(), 30);
    // Removes the last agent of a device from its bin, as an error of the library would.
    mass::detail::AgentBand& band = board.fields.band(board.fields.devices() - 1);
    std::int32_t end = 0;
    band.first.read(&end, 1, band.bins.own());
    ASSERT_GT(end, 0);
    --end;
    band.first.write(&end, 1, band.bins.own());
    const std::string message = messageOf<mass::Error>([&] {
      board.pawns.manageAll();
      (void)board.pawns.census();  // GPUs throw here
    });
    EXPECT_TRUE(contains(message,
                         "agents of class pawns were lost or duplicated in manageAll: 29 remain, "
                         "0 died, 0 were born"));
  }
}

TEST(Check, AnAgentThatIsThereTwiceIsAnError) {
  const Board board(1);
  const mass::Census census{.alive = 31};
  EXPECT_NO_THROW(mass::detail::migration::check(board.fields, census, 0, 0));
  // The checksum of identities is 0 only if every agent exists exactly once.
  const std::string message =
      messageOf<mass::Error>([&] { mass::detail::migration::check(board.fields, census, 1, 0); });
  EXPECT_TRUE(contains(message, "pawns were lost or duplicated in manageAll: 31 remain"))
      << message;
}

TEST(Check, IdentitiesEndAtTheirLimit) {
  const Board board(1);
  board.fields.nextId = mass::detail::RandomKey::indices;
  EXPECT_NO_THROW(mass::detail::migration::check(board.fields, {}, 0, 0)) << "the last was given";
  ++board.fields.nextId;
  const std::string message =
      messageOf<mass::UsageError>([&] { mass::detail::migration::check(board.fields, {}, 0, 0); });
  EXPECT_TRUE(contains(message, "children of class pawns got identities of 2^40")) << message;
}

TEST(Check, InvalidRequestsAreCounted) {
  const Board board(1);
  const std::string message =
      messageOf<mass::UsageError>([&] { mass::detail::migration::check(board.fields, {}, 0, 2); });
  EXPECT_TRUE(contains(message, "2 agents of class pawns requested a move farther")) << message;
}

}  // namespace
