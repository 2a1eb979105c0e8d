#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;
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

/// Agent without children.
class Fox : public mass::Agent<Burrow> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr bool seeksFreePlaces = true;
  static constexpr std::int64_t travel = mass::anywhere;
  std::uint16_t age = 0;
  using Attributes = mass::Attributes<&Fox::age>;

  MASS_FN void roam(mass::Intent<Fox>& intent) { intent.moveToFree(); }
};

TEST(AgentCapacities, GrowByHalfIfAgentsBecomeMore) {
  mass::Mass mass = makeMass(1);
  const auto burrows = mass.createPlaces<Burrow>({20, 20});
  const auto rabbits = mass.createAgents<Rabbit>(burrows, 1000, "rabbits");
  const auto foxes = mass.createAgents<Fox>(burrows, 70);
  const auto capacitiesNow = [&] {
    std::vector<std::int64_t> capacities;
    for (const mass::AgentCapacity& agents : mass.agentCapacities())
      capacities.push_back(agents.capacity);
    return capacities;
  };
  using Capacities = std::vector<std::int64_t>;
  EXPECT_EQ(capacitiesNow(), (Capacities{1500, 70})) << "these do not become more";
  for (const Capacities& expected : {Capacities{2250, 70}, Capacities{4000, 70}}) {
    rabbits.callAll<&Rabbit::breed>();
    rabbits.manageAll();
    foxes.callAll<&Fox::roam>();
    foxes.manageAll();
    EXPECT_EQ(capacitiesNow(), expected);
  }
  const auto capacities = mass.agentCapacities();
  EXPECT_EQ(capacities[0].agents, "rabbits");
  EXPECT_EQ(capacities[0].device, mass.devices().device(0).name());
  EXPECT_EQ(capacities[0].bytes, rabbits.bytes());
}

/// Returns the text on stderr of a program of two steps, in each of which all rabbits breed.
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

TEST(AgentCapacities, AreReportedByProgramsWhenTheyGrow) {
  std::string device;
  const std::string notes = notesOn(20'000, device);
  const std::string begin = "warren: note: agents 'Rabbit' exceed the capacity of " + device;
  EXPECT_EQ(notes, begin + ", 30000: enlarged to 45000 agents, 4.3 MiB\n" + begin +
                       ", 45000: enlarged to 80000 agents, 7.7 MiB\n");
  EXPECT_EQ(notesOn(1000, device), "") << "less than 1 MiB is not worth a line";
}

/// Returns a lower bound of the bytes of agents of class A on a device; less than 1000 too low.
template <class A>
std::int64_t bytesOf(std::int64_t room, std::int64_t attributes, std::int64_t places,
                     std::int64_t ghostPlaces) {
  const std::int64_t anAgent = 42 + 2 * attributes + A::offspring * (8 + attributes);
  const std::int64_t aPlace = A::seeksFreePlaces ? 24 : 16;
  return room * anAgent + places * aPlace + ghostPlaces * 8;
}

TEST(AgentMemory, IsWhatTheDocumentsSay) {
  constexpr std::int64_t rows = 60, columns = 50, rabbitCount = 20'000, foxCount = 2'500;
  for (const int wanted : {1, 3}) {
    mass::Mass mass = makeMass(wanted);
    const auto burrows = mass.createPlaces<Burrow>({rows, columns});
    const auto rabbits = mass.createAgents<Rabbit>(burrows, rabbitCount);
    const auto foxes = mass.createAgents<Fox>(burrows, foxCount);
    const int devices = mass.devices().size();
    const std::int64_t places = rows / devices * columns;
    const std::int64_t ghostPlaces = devices == 1 ? 0 : 2 * columns;
    // `sent`: bytes for emigrants and for the lists of free places.
    const auto expectBytes = [&](std::int64_t sent) {
      const auto capacities = mass.agentCapacities();
      for (std::size_t i = 0; i < capacities.size(); ++i) {
        const bool areRabbits = i < static_cast<std::size_t>(devices);
        const std::int64_t expected =
            areRabbits ? bytesOf<Rabbit>(capacities[i].capacity, 8 + 2 * 4 + 1, places, ghostPlaces)
                       : bytesOf<Fox>(capacities[i].capacity, 2, places, ghostPlaces);
        const auto bytes = static_cast<std::int64_t>(capacities[i].bytes);
        EXPECT_GE(bytes, expected) << capacities[i].agents << " on " << capacities[i].device;
        EXPECT_LT(bytes, expected + 1000 + sent)
            << capacities[i].agents << " on " << capacities[i].device;
      }
    };
    expectBytes(0);
    rabbits.callAll<&Rabbit::breed>();
    rabbits.manageAll();
    foxes.callAll<&Fox::roam>();
    foxes.manageAll();
    const std::int64_t free = rows * columns - foxCount;
    expectBytes(devices == 1 ? 0 : 13 * foxCount + 8 * free);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool takesAnyMemory = true;  // sanitizers abort on a failed allocation
#else
constexpr bool takesAnyMemory = false;
#endif

/// True if all threads share one arena of malloc, so that freed memory is available to each.
const bool sharesMemory = mallopt(M_ARENA_MAX, 1) == 1;

/// Exhausts large blocks of memory during the lifetime of the object; small blocks remain.
class LittleMemory {
 public:
  LittleMemory() {
    EXPECT_TRUE(sharesMemory);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    rlimit now = before_;
    now.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (1U << 20);
    EXPECT_EQ(setrlimit(RLIMIT_AS, &now), 0);
    // Takes the blocks that malloc already holds.
    Piece* small = nullptr;
    for (int i = 0; i < 16; ++i) {
      take(small, 1U << 12);
      take(large_, 1U << 16);
    }
    while (take(large_, 1U << 16)) {
    }
    giveBack(small);
  }
  ~LittleMemory() {
    giveBack(large_);
    EXPECT_EQ(setrlimit(RLIMIT_AS, &before_), 0);
  }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  struct Piece {
    Piece* next;
  };
  static bool take(Piece*& list, std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (memory != nullptr) list = new (memory) Piece{list};
    return memory != nullptr;
  }
  static void giveBack(Piece* list) {
    while (list != nullptr) std::free(std::exchange(list, list->next));
  }

  rlimit before_{};
  Piece* large_ = nullptr;
};

/// Agent that moves, breeds and reads its neighbours. A place holds `Capacity` of them.
template <int Capacity>
class Hare : public mass::Agent<Burrow> {
 public:
  static constexpr std::int64_t capacity = Capacity;
  static constexpr int travel = 1, reach = 1, offspring = 1;
  int weight = 1;
  using Attributes = mass::Attributes<&Hare::weight>;

  MASS_FN void roam(mass::Intent<Hare>& intent) {
    auto random = intent.random();
    weight += static_cast<int>(random.below(100));
    intent.move({static_cast<int>(random.below(3)) - 1, static_cast<int>(random.below(3)) - 1});
    intent.spawn(Hare{}, {1, 0});
  }
  MASS_FN int seen(const mass::Neighbors<Hare>& others) const {
    int sum = 0;
    for (const Hare other : others(1, 0)) sum += other.weight;
    return sum;
  }
};

/// Agent that seeks a free place. There are fewer free places than agents.
class Stork : public mass::Agent<Burrow> {
 public:
  static constexpr std::int64_t capacity = 2;
  static constexpr int travel = mass::anywhere, reach = 1, offspring = 1;
  static constexpr bool seeksFreePlaces = true;
  int weight = 1;
  using Attributes = mass::Attributes<&Stork::weight>;

  MASS_FN void roam(mass::Intent<Stork>& intent) {
    intent.moveToFree();
    intent.spawn(Stork{}, {1, 0});
  }
  MASS_FN int seen(const mass::Neighbors<Stork>& others) const {
    return static_cast<int>(others(1, 0).size());
  }
};

template <class H>
void expectSameWhereMemoryEnded(int devices) {
  mass::Mass mass = makeMass(devices, 4), usual = makeMass(devices, 4);
  const auto start = [](mass::Mass& one) {
    const auto hares = one.createAgents<H>(one.createPlaces<Burrow>({200, 200}), 50'000, "hares");
    hares.template callAll<&H::roam>();
    return hares;
  };
  const auto hares = start(mass), same = start(usual);
  const auto seen = hares.template map<&H::seen>(hares);
  {
    const LittleMemory little;
    EXPECT_THROW(hares.manageAll(), mass::DeviceError);
  }
  EXPECT_EQ(hares.template map<&H::seen>(hares), seen);
  for (int step = 0; step < 2; ++step) {
    hares.manageAll();
    same.manageAll();
    EXPECT_EQ(mass.hash(), usual.hash()) << devices << " devices, " << H::capacity << " a place";
    EXPECT_EQ(hares.census(), same.census());
  }
}

TEST(AgentMemory, ThatEndsLeavesNoClaimsBehind) {
  if (mass::testing::testBackend() == "cuda") GTEST_SKIP() << "the memory of GPUs has no limit";
  if (takesAnyMemory) GTEST_SKIP() << "sanitizers need memory without limits";
  for (const int devices : {1, 3}) {
    expectSameWhereMemoryEnded<Hare<0>>(devices);
    expectSameWhereMemoryEnded<Hare<2>>(devices);
    expectSameWhereMemoryEnded<Stork>(devices);
  }
}

TEST(AgentMemory, ThatEndsLeavesAgentsAsTheyWereOnAnyNumberOfThreads) {
  if (mass::testing::testBackend() == "cuda") GTEST_SKIP() << "the memory of GPUs has no limit";
  if (takesAnyMemory) GTEST_SKIP() << "sanitizers need memory without limits";
  for (const int devices : {1, 2, 3}) {
    mass::Mass mass = makeMass(devices, 4);
    const auto burrows = mass.createPlaces<Burrow>({200, 200});
    const auto rabbits = mass.createAgents<Rabbit>(burrows, 50'000, "rabbits");
    rabbits.callAll<&Rabbit::breed>();
    const auto before = mass.hash();
    const std::string message = [&] {
      const LittleMemory little;
      return messageOf<mass::DeviceError>([&] { rabbits.manageAll(); });
    }();
    EXPECT_TRUE(contains(message, "rabbits need memory for ")) << message;
    EXPECT_TRUE(contains(message, "cannot allocate ")) << message;
    EXPECT_EQ(mass.hash(), before);
    rabbits.manageAll();  // carries out the same intents
    EXPECT_EQ(rabbits.size(), 100'000);
  }
}

}  // namespace
