#include "../io/temporary_folder.hpp"
#include "make_mass.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::testing::makeMass;
using mass::testing::TemporaryFolder;

class Burrow : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

class Rabbit : public mass::Agent<Burrow> {
 public:
  static constexpr int offspring = 1;
  double weight = 1;
  float position[2] = {0, 0};
  bool isHungry = false;
  using Attributes = mass::Attributes<&Rabbit::weight, &Rabbit::position, &Rabbit::isHungry>;

  MASS_FN void breed(mass::Intent<Rabbit>& intent) { intent.spawn(Rabbit{}); }
};

/// It has no children.
class Fox : public mass::Agent<Burrow> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr bool seeksFreePlaces = true;
  static constexpr std::int64_t travel = mass::anywhere;
  std::uint16_t age = 0;
  using Attributes = mass::Attributes<&Fox::age>;

  MASS_FN void roam(mass::Intent<Fox>& intent) { intent.moveToFree(); }
};

TEST(AgentRooms, AreWhatIsNeededAndHalfAsMuchAgainWhereAgentsBecomeMore) {
  mass::Mass mass = makeMass(1);
  const auto burrows = mass.createPlaces<Burrow>({20, 20});
  const auto rabbits = mass.createAgents<Rabbit>(burrows, 1000, "rabbits");
  const auto foxes = mass.createAgents<Fox>(burrows, 70);
  const auto roomsNow = [&] {
    std::vector<std::int64_t> rooms;
    for (const mass::AgentRoom& room : mass.agentRooms()) rooms.push_back(room.room);
    return rooms;
  };
  using Rooms = std::vector<std::int64_t>;
  EXPECT_EQ(roomsNow(), (Rooms{1500, 70})) << "these do not become more";
  for (const Rooms& expected : {Rooms{2250, 70}, Rooms{4000, 70}}) {
    rabbits.callAll<&Rabbit::breed>();
    rabbits.manageAll();
    foxes.callAll<&Fox::roam>();
    foxes.manageAll();
    EXPECT_EQ(roomsNow(), expected);
  }
  const auto rooms = mass.agentRooms();
  EXPECT_EQ(rooms[0].agents, "rabbits");
  EXPECT_EQ(rooms[0].device, mass.devices().device(0).name());
  EXPECT_EQ(rooms[0].bytes, rabbits.bytes());
}

/// What a program in which all rabbits breed in each of two steps says on stderr.
std::string notesOn(std::int64_t rabbits, std::string& device) {
  const TemporaryFolder folder;
  mass::Mass mass = makeMass(1, 0, {}, {"steps=2", "output.folder=" + folder.path().string()});
  device = mass.devices().device(0).name();
  const auto burrows = mass.createPlaces<Burrow>({20, 20});
  const auto warren = mass.createAgents<Rabbit>(burrows, rabbits);
  mass::Simulation run(mass, "warren");
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) {
      warren.callAll<&Rabbit::breed>();
      warren.manageAll();
    }
  });
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run.run(), 0);
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(warren.size(), 4 * rabbits);
  return ::testing::internal::GetCapturedStderr();
}

TEST(AgentRooms, AreNotedByProgramsWhenTheyGrow) {
  std::string device;
  const std::string notes = notesOn(20'000, device);
  const std::string begin = "warren: note: agents 'Rabbit' became more than the ";
  EXPECT_EQ(notes, begin + "30000 that " + device +
                       " had room for: it has 4.3 MiB for 45000 now\n" + begin + "45000 that " +
                       device + " had room for: it has 7.7 MiB for 80000 now\n");
  EXPECT_EQ(notesOn(1000, device), "") << "less than 1 MiB is not worth a line";
}

}  // namespace
