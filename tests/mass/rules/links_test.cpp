// Compares rules of the nodes of networks with loops on the host, bit for bit.
#include <mass/rules/links.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::Graph;
using mass::testing::makeMass;

/// Returns a network of random links with links to the node itself, double links, nodes without
/// links, and one node with many.
Graph randomGraph(std::int32_t nodes, bool isWeighted, std::uint64_t seed = 1) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> targets;
  std::vector<double> weights;
  std::uint64_t state = seed;
  const auto draw = [&](std::int32_t below) {
    state = mass::detail::mix(state);
    return static_cast<std::int32_t>(state % static_cast<std::uint64_t>(below));
  };
  for (std::int32_t node = 0; node < nodes; ++node) {
    const std::int32_t links = node == nodes / 3 ? 2 * nodes : draw(7);
    for (std::int32_t link = 0; link < links; ++link) {
      targets.push_back(draw(nodes));
      if (isWeighted) weights.push_back(draw(1000) / 7.0);
    }
    offsets.push_back(static_cast<std::int64_t>(targets.size()));
  }
  return Graph::ofLinks(
      offsets, targets, weights,
      {.selfLoops = Graph::SelfLoops::keep, .duplicates = Graph::Duplicates::keep});
}

/// Node with attributes of several sizes, of which a rule writes some.
class Person : public mass::Node {
 public:
  std::uint8_t health = 0;
  double opinion = 0;
  float gifts[2] = {0, 0};
  std::int32_t born = 0;
  using Attributes = mass::Attributes<&Person::health, &Person::opinion, &Person::gifts,
                                      mass::constant<&Person::born>>;

  MASS_FN void meet(const mass::Links<Person>& friends, const mass::Here<1>& here, int factor) {
    std::int64_t sum = 0;
    int position = 0;
    for (const auto link : friends) {
      const Person other = link.node();
      sum += ++position * other.health + other.born;
      opinion = opinion / 2 + link.weight() * (1 + other.gifts[position % 2]);
    }
    gifts[1] += static_cast<float>(friends.size());
    if (friends.size() > 0) gifts[0] = static_cast<float>(friends[0].node().opinion / 1000);
    const auto step = static_cast<std::int64_t>(here.step());
    health = static_cast<std::uint8_t>(health * 3 + sum * factor + here.index() + step);
  }
  /// Writes without reading others.
  MASS_FN void forget() { opinion /= 4; }
  MASS_FN void draw(const mass::Here<1>& here) {
    health ^= static_cast<std::uint8_t>(here.random()() & 7U);
  }
  MASS_FN std::int64_t sickFriends(const mass::Links<Person>& friends) const {
    std::int64_t sick = 0;
    for (const auto link : friends) sick += link.node().health % 2;
    return sick;
  }
};

/// State of all nodes, and the rules on the host.
struct People {
  const Graph& graph;
  std::vector<Person> all;

  explicit People(const Graph& graph_) : graph(graph_) {
    for (std::int64_t node = 0; node < graph.nodes(); ++node) {
      Person& person = all.emplace_back();
      person.health = static_cast<std::uint8_t>(node * node % 251);
      person.born = static_cast<std::int32_t>(node % 100);
    }
  }
  void meet(int factor, std::int64_t step) {
    const std::vector<Person> before = all;
    for (std::size_t node = 0; node < all.size(); ++node) {
      Person& me = all[node];
      std::int64_t sum = 0;
      int position = 0;
      const auto targets = graph.linksOf(static_cast<std::int64_t>(node));
      for (std::size_t link = 0; link < targets.size(); ++link) {
        const Person& other = before[static_cast<std::size_t>(targets[link])];
        sum += ++position * other.health + other.born;
        const double weight =
            graph.isWeighted() ? graph.weightsOf(static_cast<std::int64_t>(node))[link] : 1;
        me.opinion = me.opinion / 2 + weight * (1 + other.gifts[position % 2]);
      }
      me.gifts[1] += static_cast<float>(targets.size());
      if (!targets.empty()) {
        const Person& other = before[static_cast<std::size_t>(targets[0])];
        me.gifts[0] = static_cast<float>(other.opinion / 1000);
      }
      me.health = static_cast<std::uint8_t>(me.health * 3 + sum * factor +
                                            static_cast<std::int64_t>(node) + step);
    }
  }
  void forget() {
    for (Person& person : all) person.opinion /= 4;
  }
  template <class T>
  std::vector<T> values(T Person::*member) const {
    std::vector<T> values;
    for (const Person& person : all) values.push_back(person.*member);
    return values;
  }
};

/// Creates the nodes with the state of People.
mass::Places<Person> createPeople(mass::Mass& mass, const Graph& graph) {
  auto people = mass.createGraph<Person>(graph);
  people.upload<&Person::health>(People(graph).values(&Person::health));
  people.upload<&Person::born>(People(graph).values(&Person::born));
  return people;
}

void expectSame(const mass::Places<Person>& people, const People& expected) {
  EXPECT_EQ(people.download<&Person::health>(), expected.values(&Person::health));
  EXPECT_EQ(people.download<&Person::opinion>(), expected.values(&Person::opinion));
}

TEST(Links, ReadTheNodesAtTheirEndsInTheOrderOfTheGraph) {
  for (const bool isWeighted : {false, true}) {
    const Graph graph = randomGraph(200, isWeighted);
    for (const int devices : {1, 2, 3, 4, 8}) {
      if (!mass::testing::haveDevices(devices)) continue;
      mass::Mass mass = makeMass(devices, devices == 3 ? 6 : 0);
      const auto people = createPeople(mass, graph);
      People expected(graph);
      people.callAll<&Person::meet>(mass::steps(5), 3);
      for (int step = 0; step < 5; ++step) expected.meet(3, step);
      expectSame(people, expected);
      people.callAll<&Person::forget>();
      people.callAll<&Person::meet>(7);
      expected.forget();
      expected.meet(7, 6);
      expectSame(people, expected);
      ASSERT_FALSE(HasFailure()) << devices << " devices";
    }
  }
}

TEST(Links, AreReadByRulesInTurnAndByReductions) {
  const Graph graph = randomGraph(97, true);
  mass::Mass mass = makeMass(3);
  const auto people = createPeople(mass, graph);
  People expected(graph);
  people.callAll<mass::inTurn<&Person::meet, &Person::forget>>(mass::steps(3), 5);
  for (int turn = 0; turn < 3; ++turn) {
    expected.meet(5, 2 * turn);
    expected.forget();
  }
  expectSame(people, expected);
  std::int64_t sick = 0;
  std::vector<std::int64_t> byNode;
  for (std::size_t node = 0; node < 97; ++node) {
    byNode.push_back(0);
    for (const std::int32_t target : graph.linksOf(static_cast<std::int64_t>(node)))
      byNode.back() += expected.all[static_cast<std::size_t>(target)].health % 2;
    sick += byNode.back();
  }
  EXPECT_EQ(people.map<&Person::sickFriends>(), byNode);
  EXPECT_EQ(people.reduce<&Person::sickFriends>(mass::sum), sick);
}

TEST(Links, GiveTheSameOnAllRanksAndDevices) {
  const Graph graph = randomGraph(150, true);
  auto setups = mass::testing::usualRanks();
  for (const int devices : {2, 3, 4, 8}) setups.push_back({.devices = {devices}});
  mass::testing::expectSameOnRanks(setups, [&](mass::Mass& mass, mass::testing::Record& record) {
    const auto people = createPeople(mass, graph);
    people.callAll<&Person::meet>(mass::steps(4), 3);
    people.callAll<&Person::draw>(mass::steps(2));
    people.callAll<&Person::meet>(mass::steps(3), 5);
    record.add("health", people.download<&Person::health>());
    record.add("opinion", people.download<&Person::opinion>());
    record.add("friends", people.map<&Person::sickFriends>());
    record.add("sum", people.reduce<&Person::sickFriends>(mass::sum));
    record.add("hash", mass.hash());
  });
}

TEST(Links, StayAfterARepartition) {
  const Graph graph = randomGraph(60, true);
  mass::Mass mass = makeMass(3);
  if (mass.devices().size() < 3) GTEST_SKIP() << "too few GPUs";
  const auto people = createPeople(mass, graph);
  People expected(graph);
  people.callAll<&Person::meet>(3);
  mass.repartition(people, {10, 45, 5});
  people.callAll<&Person::meet>(mass::steps(2), 3);
  for (int step = 0; step < 3; ++step) expected.meet(3, step);
  expectSame(people, expected);
}

/// Records the values that several ways of reading give.
void recordValues(mass::Mass& mass, const mass::Places<Person>& people,
                  mass::testing::Record& record) {
  record.add("all", people.download<&Person::opinion>());
  for (const Person& person : people.download({40}, {47})) record.add("box", person.opinion);
  const auto health = people.download<&Person::health>();
  const auto onFirstRank = people.collect<&Person::health>();
  record.add("first rank", onFirstRank.empty() ? health : onFirstRank);
  std::vector<double> some(5);
  mass.places()[0].read("opinion", {{3}, {8}}, some.data());
  record.add("some", some);
  record.add("hash", mass.hash());
}

TEST(Links, LeaveTheNodesInTheirOrderOnTheHost) {
  const Graph graph = randomGraph(150, false);
  const auto setups = mass::testing::usualRanks();
  mass::testing::expectSameOnRanks(setups, [&](mass::Mass& mass, mass::testing::Record& record) {
    const auto people = mass.createGraph<Person>(graph);
    people.initialise<&Person::opinion>(
        [](const auto& at) { return 1.0 / static_cast<double>(1 + at[0]); });
    recordValues(mass, people, record);
    people.callAll<&Person::meet>(mass::steps(2), 3);
    const std::vector<double> changes{1.5, 2.5, 3.5};
    mass.places()[0].write("opinion", {{20}, {23}}, changes.data());
    std::vector<std::uint8_t> health(150);
    for (std::size_t node = 0; node < health.size(); ++node)
      health[node] = static_cast<std::uint8_t>(node);
    mass.places()[0].write("health", health.data());
    recordValues(mass, people, record);
    record.add("sum", people.reduce<&Person::opinion>(mass::sum));
    record.add("least", people.reduce<&Person::opinion>(mass::minimum));
  });
}

TEST(Links, GoOnFromACheckpointOfOtherDevices) {
  const mass::testing::TemporaryFolder folder;
  const auto file = folder.path() / "network.h5";
  const Graph graph = randomGraph(120, true);
  mass::Mass whole = makeMass(1);
  const auto expected = createPeople(whole, graph);
  expected.callAll<&Person::meet>(mass::steps(5), 3);
  {
    mass::Mass before = makeMass(3);
    createPeople(before, graph).callAll<&Person::meet>(mass::steps(2), 3);
    before.saveCheckpoint(file, "test");
  }
  mass::Mass after = makeMass(4);
  const auto people = createPeople(after, graph);
  after.restoreCheckpoint(file, "test");
  people.callAll<&Person::meet>(mass::steps(3), 3);
  EXPECT_EQ(after.hash(), whole.hash());

  mass::Mass other = makeMass(2);
  createPeople(other, randomGraph(120, true, 2));
  EXPECT_THROW(other.restoreCheckpoint(file, "test"), mass::CheckpointError);
}

TEST(Links, NeedANodeForEachDevice) {
  mass::Mass mass = makeMass(3);
  if (mass.devices().size() < 3) GTEST_SKIP() << "too few GPUs";
  EXPECT_THROW(mass.createGraph<Person>(randomGraph(2, false)), mass::Error);
}

}  // namespace
