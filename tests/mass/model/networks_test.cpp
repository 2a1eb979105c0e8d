// Compares agents on the nodes of networks, and changes of edges, with plain programs, bit for bit.
#include "../../support/make_mass.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

using mass::Graph;
using mass::detail::mix;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;

std::size_t asIndex(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// Returns a directed network of random links with weights, with links to the node itself, double
/// links, and nodes without links.
Graph randomGraph(std::int32_t nodes) {
  std::vector<Graph::Edge> edges;
  std::vector<double> weights;
  std::uint64_t state = 1;
  const auto draw = [&](std::int64_t below) {
    state = mix(state);
    return static_cast<std::int64_t>(state % static_cast<std::uint64_t>(below));
  };
  for (std::int64_t i = 0; i < 4 * nodes; ++i) {
    edges.push_back({draw(nodes), draw(nodes)});
    weights.push_back(static_cast<double>(draw(1000)) / 7);
  }
  return {nodes,
          edges,
          weights,
          {.direction = Graph::Direction::directed,
           .selfLoops = Graph::SelfLoops::keep,
           .duplicates = Graph::Duplicates::keep}};
}

class Walker;

class Town : public mass::Node {
 public:
  double wealth = 0;
  double mood = 0;
  using Attributes = mass::Attributes<&Town::wealth, &Town::mood>;

  MASS_FN void welcome(const mass::Here<1>& here, const mass::Births<Walker>& births);
  MASS_FN void meet(const mass::Residents<Walker>& here);
};

/// Agent that goes from town to town.
class Walker : public mass::Agent<Town> {
 public:
  double luck = 1;
  std::int64_t coins = 0;
  using Attributes = mass::Attributes<&Walker::luck, &Walker::coins>;

  MASS_FN void walk(const mass::Links<Town>& roads, mass::Intent<Walker>& intent) {
    if (roads.size() == 0) return;
    const auto k = static_cast<int>(mix(intent.id() * 31 + intent.step()) %
                                    static_cast<std::uint64_t>(roads.size()));
    luck = luck / 2 + roads[k].node().wealth / (1 + roads[k].weight()) +
           static_cast<double>(roads[k].index());
    intent.moveAlong(k);
    if (mix(intent.id() ^ intent.step()) % 19 == 0) intent.kill();
  }
  MASS_FN void walkAlong(int k, mass::Intent<Walker>& intent) { intent.moveAlong(k); }
  MASS_FN void split(const mass::Births<Walker, 2>& births, const mass::Intent<Walker>& intent) {
    if (mix(intent.id() + 5 * intent.step()) % 13 != 0) return;
    Walker child;
    child.luck = luck / 2;
    births.add(child);
    births.add();
  }
  MASS_FN void lend(const mass::Give<&Walker::coins>& give, const mass::Intent<Walker>& intent) {
    if (give(mix(intent.id()) % 150, intent.index() + 1)) coins -= intent.index() + 1;
  }
};

MASS_FN void Town::welcome(const mass::Here<1>& here, const mass::Births<Walker>& births) {
  if ((static_cast<std::uint64_t>(here.index()) + here.step()) % 37 != 0) return;
  Walker guest;
  guest.luck = static_cast<double>(here.index());
  births.add(guest);
}
MASS_FN void Town::meet(const mass::Residents<Walker>& here) {
  for (const Walker guest : here) mood = mood / 2 + guest.luck;
}

/// Towns of a network and walkers.
struct World {
  mass::Places<Town> towns;
  mass::Agents<Walker> walkers;

  World(mass::Mass& mass, const Graph& graph)
      : towns(mass.createGraph<Town>(graph)), walkers(mass.createAgents<Walker>(towns, 150)) {}
  void step() const {
    walkers.callAll<&Walker::walk>();
    towns.callAll<&Town::welcome>(walkers);
    walkers.callAll<&Walker::split>(walkers);
    walkers.manageAll();
    walkers.callAll<&Walker::lend>(walkers);
    walkers.deposit<&Walker::luck, &Town::wealth>();
    towns.callAll<&Town::meet>(walkers);
  }
};

/// Plain program with the same rules.
struct PlainWorld {
  struct Walker {
    std::int64_t town = 0;
    double luck = 1;
    std::int64_t coins = 0;
  };
  const Graph& graph;
  std::map<std::uint64_t, Walker> walkers;
  std::vector<double> wealth, mood;
  std::uint64_t next, walkerStep = 0, townStep = 0;

  /// @param where town of each walker
  PlainWorld(const Graph& graph_, const std::vector<mass::Coordinates<1>>& where)
      : graph(graph_), wealth(asIndex(graph.nodes())), mood(wealth), next(where.size()) {
    for (std::size_t id = 0; id < where.size(); ++id) walkers[id].town = where[id][0];
  }
  void step() {
    const std::vector<std::uint64_t> dead = walk();
    std::vector<Walker> born;
    for (std::int64_t town = 0; town < graph.nodes(); ++town)
      if ((static_cast<std::uint64_t>(town) + townStep) % 37 == 0)
        born.push_back({town, static_cast<double>(town)});
    for (const auto& [id, walker] : walkers) {
      if (mix(id + 5 * (walkerStep + 1)) % 13 != 0) continue;
      born.push_back({before_.at(id), walker.luck / 2});
      born.push_back({before_.at(id)});
    }
    for (const std::uint64_t id : dead) walkers.erase(id);
    for (const Walker& walker : born) walkers[next++] = walker;
    lend();
    for (const auto& [id, walker] : walkers) wealth[asIndex(walker.town)] += walker.luck;
    for (const auto& [id, walker] : walkers)
      mood[asIndex(walker.town)] = mood[asIndex(walker.town)] / 2 + walker.luck;
    walkerStep += 4;
    townStep += 3;
  }
  void lend() {
    std::vector<std::pair<std::uint64_t, std::int64_t>> gifts;
    for (auto& [id, walker] : walkers) {
      const std::uint64_t other = mix(id) % 150;
      if (!walkers.contains(other)) continue;
      gifts.emplace_back(other, walker.town + 1);
      walker.coins -= walker.town + 1;
    }
    for (const auto& [id, amount] : gifts) walkers[id].coins += amount;
  }
  /// Moves all walkers. @return identities of those that die
  std::vector<std::uint64_t> walk() {
    std::vector<std::uint64_t> dead;
    for (auto& [id, walker] : walkers) {
      before_[id] = walker.town;
      const auto roads = graph.linksOf(walker.town);
      if (roads.empty()) continue;
      const std::size_t k = mix(id * 31 + walkerStep) % roads.size();
      const auto end = asIndex(roads[k]);
      walker.luck = walker.luck / 2 + wealth[end] / (1 + graph.weightsOf(walker.town)[k]) +
                    static_cast<double>(end);
      walker.town = roads[k];
      if (mix(id ^ walkerStep) % 19 == 0) dead.push_back(id);
    }
    return dead;
  }

 private:
  std::map<std::uint64_t, std::int64_t> before_;  // towns before the moves
};

/// Expects the walkers and towns of the plain program, in the order of towns, then identities.
void expectSame(const World& world, const PlainWorld& plain) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> order;
  for (const auto& [id, walker] : plain.walkers) order.emplace_back(walker.town, id);
  std::ranges::sort(order);
  std::vector<std::uint64_t> ids;
  std::vector<mass::Coordinates<1>> where;
  std::vector<double> luck;
  std::vector<std::int64_t> coins;
  for (const auto& [town, id] : order) {
    ids.push_back(id);
    where.push_back({town});
    luck.push_back(plain.walkers.at(id).luck);
    coins.push_back(plain.walkers.at(id).coins);
  }
  ASSERT_EQ(world.walkers.ids(), ids);
  EXPECT_EQ(world.walkers.coordinates(), where);
  EXPECT_EQ(world.walkers.download<&Walker::luck>(), luck);
  EXPECT_EQ(world.walkers.map<&Walker::coins>(), coins);
  EXPECT_EQ(world.towns.download<&Town::wealth>(), plain.wealth);
  EXPECT_EQ(world.towns.download<&Town::mood>(), plain.mood);
}

TEST(AgentsOnNetworks, MoveAlongLinksAsInAPlainProgram) {
  const Graph graph = randomGraph(60);
  for (const int devices : {1, 2, 3, 4, 8}) {
    if (!mass::testing::haveDevices(devices)) continue;
    mass::Mass mass = makeMass(devices, devices == 3 ? 6 : 0);
    const World world(mass, graph);
    PlainWorld plain(graph, world.walkers.coordinates());
    for (int step = 0; step < 8; ++step) {
      if (step == 4 && devices == 3) mass.repartition(world.towns, {10, 45, 5});
      world.step();
      plain.step();
      expectSame(world, plain);
      ASSERT_FALSE(HasFailure()) << devices << " devices, step " << step;
    }
  }
}

/// Agents that compete for nodes.
class Guest : public mass::Agent<Town> {
 public:
  static constexpr std::int64_t capacity = 2;
  float stay = 0.1F;
  using Attributes = mass::Attributes<&Guest::stay>;

  MASS_FN void walk(const mass::Links<Town>& roads, mass::Intent<Guest>& intent) {
    auto random = intent.random();
    stay = stay / 3 + random.uniform<float>();
    if (roads.size() == 0) return;
    intent.moveAlong(static_cast<int>(random.below(static_cast<std::uint32_t>(roads.size()))));
  }
};

TEST(AgentsOnNetworks, AreTheSameOnAllRanksAndDevices) {
  const Graph graph = randomGraph(50);
  auto setups = mass::testing::usualRanks();
  for (const int devices : {2, 3, 4, 8}) setups.push_back({.devices = {devices}});
  mass::testing::expectSameOnRanks(setups, [&](mass::Mass& mass, mass::testing::Record& record) {
    const World world(mass, graph);
    const auto guests = mass.createAgents<Guest>(world.towns, 60);
    for (int step = 0; step < 5; ++step) {
      world.step();
      guests.callAll<&Guest::walk>();
      guests.manageAll();
      record.add("moved", guests.census().moved);
      record.add("blocked", guests.census().blocked);
    }
    const auto uploaded = world.walkers.ids();
    world.walkers.upload<&Walker::coins>(uploaded);
    guests.add({{3}, {7}, {3}, {3}});
    guests.manageAll();
    record.add("ids", guests.ids());
    record.add("stay", guests.map<&Guest::stay>());
    record.add("sum", guests.reduce<&Guest::stay>(mass::sum));
    record.add("coins", world.walkers.download<&Walker::coins>());
    record.add("hash", mass.hash());
  });
}

TEST(AgentsOnNetworks, GoOnFromACheckpointOfOtherDevicesAndRanks) {
  const mass::testing::TemporaryFolder folder;
  const auto file = folder.path() / "walkers.h5";
  const Graph graph = randomGraph(60);
  mass::Mass whole = makeMass(1);
  const World expected(whole, graph);
  for (int step = 0; step < 5; ++step) expected.step();
  const std::uint64_t hash = whole.hash();
  mass::testing::onRanks({.devices = {1, 2}}, [&](mass::Mass& mass) {
    const World world(mass, graph);
    for (int step = 0; step < 2; ++step) world.step();
    mass.saveCheckpoint(file, "test");
  });
  for (const auto& devices : std::vector<std::vector<int>>{{1}, {4}, {2, 1, 1}}) {
    mass::testing::onRanks({.devices = devices}, [&](mass::Mass& mass) {
      const World world(mass, graph);
      mass.restoreCheckpoint(file, "test");
      for (int step = 0; step < 3; ++step) world.step();
      EXPECT_EQ(mass.hash(), hash);
    });
  }
}

TEST(AgentsOnNetworks, AreRefusedALinkThatTheirNodeLacks) {
  const std::vector<Graph::Edge> edges{{0, 1}, {1, 2}};
  for (const int devices : {1, 3}) {
    mass::Mass mass = makeMass(devices);
    const auto towns = mass.createGraph<Town>(Graph(3, edges));
    const auto walkers = mass.createAgents<Walker>(towns, {{1}});
    for (const int k : {-1, 2}) {
      SCOPED_TRACE(fmt::format("{} devices, link {}", devices, k));
      const std::string message = messageOf<mass::UsageError>([&] {
        walkers.callAll<&Walker::walkAlong>(k);
        walkers.manageAll();
        static_cast<void>(walkers.census());  // one GPU reports here
      });
      EXPECT_TRUE(mass::testing::testBackend() == "cuda" ||
                  contains(message, "of Town 1, which has 2"))
          << message;
      EXPECT_FALSE(message.empty());
    }
  }
}

TEST(AgentsOnNetworks, AreReadByRulesOfTheirNetworkOnly) {
  mass::Mass mass = makeMass(2);
  const World world(mass, randomGraph(20));
  const auto others = mass.createGraph<Town>(randomGraph(20), "others");
  EXPECT_TRUE(
      contains(messageOf<mass::UsageError>([&] { others.callAll<&Town::meet>(world.walkers); }),
               "both must be the same"));
}

/// Node that adds and removes edges.
class Member : public mass::Node {
 public:
  double opinion = 1;
  using Attributes = mass::Attributes<&Member::opinion>;

  MASS_FN void rewire(const mass::Links<Member>& friends, const mass::Edges<Member, 3>& edges,
                      const mass::Here<1>& here) {
    const auto node = static_cast<std::uint64_t>(here.index());
    const std::uint64_t drawn = mix(node * 7 + here.step());
    for (const auto link : friends)
      opinion = opinion / 2 + link.weight() * link.node().opinion / 100 +
                static_cast<double>(link.index());
    if (friends.size() > 0 && drawn % 3 == 0)
      edges.remove(static_cast<int>(drawn / 8 % static_cast<std::uint64_t>(friends.size())));
    if (drawn % 4 == 1)
      edges.add(static_cast<std::int64_t>(mix(drawn) % 40), static_cast<double>(drawn % 10));
    if (drawn % 5 == 2) edges.add(here.index() / 10 * 10, 2);
  }
  MASS_FN void addTo(const mass::Edges<Member>& edges, std::int64_t node, int times) {
    for (int i = 0; i < times; ++i) edges.add(node);
  }
  MASS_FN void removeLink(const mass::Edges<Member>& edges, int k) { edges.remove(k); }
};

/// Agent that adds and removes edges of its node.
class Scout : public mass::Agent<Member> {
 public:
  std::int64_t found = 0;
  using Attributes = mass::Attributes<&Scout::found>;

  MASS_FN void dig(const mass::Links<Member>& friends, const mass::Edges<Member, 2>& edges,
                   const mass::Intent<Scout>& intent) {
    const std::uint64_t drawn = mix(intent.id() * 3 + intent.step());
    if (friends.size() > 0 && drawn % 2 == 0)
      edges.remove(static_cast<int>(drawn / 2 % static_cast<std::uint64_t>(friends.size())));
    edges.add(static_cast<std::int64_t>(drawn / 8 % 40), static_cast<double>(drawn % 5));
    found += friends.size();
  }
};

/// Plain program: links with the numbers of their edges.
struct PlainMembers {
  struct Link {
    std::int32_t target;
    double weight;
    std::int64_t edge;
  };
  struct Request {
    std::int64_t node;
    bool isAdded;
    std::int64_t other;  // node, or edge to remove
    double weight = 0;
  };
  Graph::Options options;
  std::vector<std::vector<Link>> links;
  std::vector<double> opinion;
  mass::EdgeCounts counts;
  std::int64_t edges = 0;
  std::uint64_t step = 0;

  PlainMembers(std::int64_t nodes, const std::vector<Graph::Edge>& given,
               const Graph::Options& options_)
      : options(options_), links(asIndex(nodes)), opinion(asIndex(nodes), 1.0) {
    for (const auto& edge : given) append(edge.source, edge.target, 1.5);
  }
  bool isUndirected() const { return options.direction == Graph::Direction::undirected; }
  void append(std::int64_t node, std::int64_t other, double weight) {
    links[asIndex(node)].push_back({static_cast<std::int32_t>(other), weight, edges});
    if (isUndirected() && node != other)
      links[asIndex(other)].push_back({static_cast<std::int32_t>(node), weight, edges});
    ++edges;
  }
  void carryOut(const std::vector<Request>& requests) {
    counts = {};
    for (const Request& request : requests)
      if (!request.isAdded) remove(request.other);
    for (const Request& request : requests)
      if (request.isAdded) ++(add(request) ? counts.added : counts.refused);
  }
  void remove(std::int64_t edge) {
    std::size_t erased = 0;
    for (auto& list : links)
      erased += std::erase_if(list, [&](const Link& link) { return link.edge == edge; });
    counts.removed += erased > 0 ? 1 : 0;
  }
  bool add(const Request& request) {
    if (request.node == request.other && options.selfLoops != Graph::SelfLoops::keep) return false;
    auto& list = links[asIndex(request.node)];
    const auto known = std::ranges::find(list, request.other, &Link::target);
    if (known == list.end() || options.duplicates == Graph::Duplicates::keep) {
      append(request.node, request.other, request.weight);
      return true;
    }
    if (options.duplicates == Graph::Duplicates::refuse) return false;
    const std::int64_t edge = known->edge;
    for (auto& each : links)
      for (Link& link : each)
        if (link.edge == edge) link.weight += request.weight;
    return true;
  }
  void rewire() {
    std::vector<Request> requests;
    const std::vector<double> before = opinion;
    for (std::size_t node = 0; node < links.size(); ++node) {
      const std::uint64_t drawn = mix(node * 7 + step);
      for (const Link& link : links[node])
        opinion[node] = opinion[node] / 2 + link.weight * before[asIndex(link.target)] / 100 +
                        static_cast<double>(link.target);
      const auto here = static_cast<std::int64_t>(node);
      if (!links[node].empty() && drawn % 3 == 0)
        requests.push_back({here, false, links[node][drawn / 8 % links[node].size()].edge});
      if (drawn % 4 == 1)
        requests.push_back({here, true, static_cast<std::int64_t>(mix(drawn) % 40),
                            static_cast<double>(drawn % 10)});
      if (drawn % 5 == 2) requests.push_back({here, true, here / 10 * 10, 2});
    }
    carryOut(requests);
    ++step;
  }
  /// @param scouts nodes of the scouts by identity
  void dig(const std::vector<std::int64_t>& scouts, std::uint64_t scoutStep) {
    std::vector<Request> requests;
    for (std::size_t id = 0; id < scouts.size(); ++id) {
      const std::uint64_t drawn = mix(id * 3 + scoutStep);
      const auto& list = links[asIndex(scouts[id])];
      if (!list.empty() && drawn % 2 == 0)
        requests.push_back({scouts[id], false, list[drawn / 2 % list.size()].edge});
      requests.push_back({scouts[id], true, static_cast<std::int64_t>(drawn / 8 % 40),
                          static_cast<double>(drawn % 5)});
    }
    carryOut(requests);
  }
};

/// Expects the links, opinions and counts of the plain program.
void expectSame(const mass::Places<Member>& members, const PlainMembers& plain) {
  const Graph graph = members.graph();
  ASSERT_EQ(graph.nodes(), std::ssize(plain.links));
  for (std::int64_t node = 0; node < graph.nodes(); ++node) {
    std::vector<std::int32_t> targets;
    std::vector<double> weights;
    for (const auto& link : plain.links[asIndex(node)]) {
      targets.push_back(link.target);
      weights.push_back(link.weight);
    }
    EXPECT_THAT(graph.linksOf(node), ::testing::ElementsAreArray(targets)) << "node " << node;
    EXPECT_THAT(graph.weightsOf(node), ::testing::ElementsAreArray(weights)) << "node " << node;
  }
  EXPECT_EQ(members.download<&Member::opinion>(), plain.opinion);
  EXPECT_EQ(members.edgeCounts().added, plain.counts.added);
  EXPECT_EQ(members.edgeCounts().removed, plain.counts.removed);
  EXPECT_EQ(members.edgeCounts().refused, plain.counts.refused);
}

/// Returns the edges of a ring of 40 nodes with chords.
std::vector<Graph::Edge> ringEdges() {
  std::vector<Graph::Edge> edges;
  for (std::int64_t node = 0; node < 40; ++node) edges.push_back({node, (node + 1) % 40});
  for (std::int64_t node = 0; node < 40; node += 3) edges.push_back({node, (node + 17) % 40});
  return edges;
}

/// Returns the network of ringEdges() with weights.
Graph ring(const Graph::Options& options) {
  const std::vector<Graph::Edge> edges = ringEdges();
  return {40, edges, std::vector<double>(edges.size(), 1.5), options};
}

TEST(Edges, AreAddedAndRemovedAsInAPlainProgram) {
  std::vector<Graph::Options> all;
  for (const auto direction : {Graph::Direction::undirected, Graph::Direction::directed}) {
    all.push_back({direction, Graph::SelfLoops::refuse, Graph::Duplicates::refuse});
    all.push_back({direction, Graph::SelfLoops::keep, Graph::Duplicates::merge});
    all.push_back({direction, Graph::SelfLoops::keep, Graph::Duplicates::keep});
  }
  for (const Graph::Options& options : all) {
    for (const int devices : {1, 2, 3, 4, 8}) {
      if (!mass::testing::haveDevices(devices)) continue;
      mass::Mass mass = makeMass(devices);
      const auto members = mass.createGraph<Member>(ring(options));
      const auto scouts = mass.createAgents<Scout>(members, 20);
      PlainMembers plain(40, ringEdges(), options);
      std::vector<std::int64_t> where;
      for (const auto& at : scouts.coordinates()) where.push_back(at[0]);
      for (int step = 0; step < 4; ++step) {
        members.callAll<&Member::rewire>(members);
        plain.rewire();
        expectSame(members, plain);
        scouts.callAll<&Scout::dig>(members);
        plain.dig(where, static_cast<std::uint64_t>(step));
        expectSame(members, plain);
        if (step == 1 && devices == 3) mass.repartition(members, {5, 30, 5});
        ASSERT_FALSE(HasFailure()) << devices << " devices, step " << step;
      }
    }
  }
}

TEST(Edges, AreTheSameOnAllRanksAndAfterARestart) {
  const mass::testing::TemporaryFolder folder;
  const auto file = folder.path() / "members.h5", start = folder.path() / "start.h5";
  const Graph graph = ring({.duplicates = Graph::Duplicates::merge});
  mass::Mass whole = makeMass(1);
  const auto expected = whole.createGraph<Member>(graph);
  whole.saveCheckpoint(start, "test");
  const std::uint64_t first = whole.hash();
  expected.callAll<&Member::rewire>(mass::steps(5), expected);
  mass::testing::onRanks({.devices = {1, 2}}, [&](mass::Mass& mass) {
    const auto members = mass.createGraph<Member>(graph);
    members.callAll<&Member::rewire>(mass::steps(2), members);
    mass.saveCheckpoint(file, "test");
  });
  for (const auto& devices : std::vector<std::vector<int>>{{1}, {4}, {2, 1, 1}}) {
    mass::testing::onRanks({.devices = devices}, [&](mass::Mass& mass) {
      const auto members = mass.createGraph<Member>(graph);
      mass.restoreCheckpoint(file, "test");
      members.callAll<&Member::rewire>(mass::steps(3), members);
      EXPECT_EQ(mass.hash(), whole.hash());
      EXPECT_EQ(members.graph(), expected.graph());
      mass.restoreCheckpoint(start, "test");
      EXPECT_EQ(mass.hash(), first);
      EXPECT_EQ(members.graph(), graph);
    });
  }
}

TEST(Edges, AreUnchangedByARequestThatCannotBeCarriedOut) {
  for (const int devices : {1, 3}) {
    mass::Mass mass = makeMass(devices);
    const auto members = mass.createGraph<Member>(ring({}));
    const auto call = [&](std::int64_t node, int times) {
      return messageOf<mass::UsageError>(
          [&] { members.callAll<&Member::addTo>(members, node, times); });
    };
    EXPECT_TRUE(contains(call(40, 1), "from node 0 of 'Member' to a node that does not exist"));
    EXPECT_TRUE(contains(call(-1, 1), "nodes are 0 to 39"));
    EXPECT_TRUE(contains(call(5, 2), "the second template argument"));
    for (const int k : {-1, 9})
      EXPECT_TRUE(contains(
          messageOf<mass::UsageError>([&] { members.callAll<&Member::removeLink>(members, k); }),
          "lacks"));
    const auto others = mass.createGraph<Member>(ring({}), "others");
    EXPECT_TRUE(
        contains(messageOf<mass::UsageError>([&] { members.callAll<&Member::rewire>(others); }),
                 "give it the nodes that it runs on"));
    EXPECT_EQ(members.graph(), ring({}));
  }
}

constexpr double infection = 0.15, recovery = 0.3;

/// Node of an epidemic: 0 susceptible, 1 infectious, 2 recovered.
class Patient : public mass::Node {
 public:
  std::uint8_t health = 0;
  using Attributes = mass::Attributes<&Patient::health>;

  MASS_FN void live(const mass::Links<Patient>& contacts, const mass::Here<1>& here) {
    double escape = 1;
    for (const auto contact : contacts)
      if (contact.node().health == 1) escape *= 1 - infection;
    const double chance[] = {1 - escape, recovery, 0};
    if (here.random().bernoulli(chance[health])) ++health;
  }
};

/// Distribution of the numbers of susceptible and infectious nodes of a complete network.
class MasterEquation {
 public:
  explicit MasterEquation(int nodes) : nodes_(nodes), chance_(asIndex((nodes + 1) * (nodes + 1))) {
    at(chance_, nodes - 1, 1) = 1;
  }
  void step() {
    std::vector<double> next(chance_.size());
    for (int s = 0; s <= nodes_; ++s)
      for (int i = 0; s + i <= nodes_; ++i)
        for (int ill = 0; ill <= s; ++ill)
          for (int well = 0; well <= i; ++well)
            at(next, s - ill, i + ill - well) += at(chance_, s, i) *
                                                 binomial(s, ill, 1 - std::pow(1 - infection, i)) *
                                                 binomial(i, well, recovery);
    chance_ = next;
  }
  /// Returns the probability of a number of susceptible nodes.
  double ofSusceptible(int s) const {
    double sum = 0;
    for (int i = 0; s + i <= nodes_; ++i) sum += chance_[asIndex(s * (nodes_ + 1) + i)];
    return sum;
  }

 private:
  double& at(std::vector<double>& values, int s, int i) const {
    return values[asIndex(s * (nodes_ + 1) + i)];
  }
  static double binomial(int n, int k, double p) {
    double value = std::pow(1 - p, n - k);
    for (int j = 1; j <= k; ++j) value *= p * (n - k + j) / j;
    return value;
  }

  int nodes_;
  std::vector<double> chance_;  // by numbers of susceptible and infectious nodes
};

/// Returns many complete networks of `size` nodes, as one.
Graph completeGraphs(std::int64_t copies, std::int64_t size) {
  std::vector<Graph::Edge> edges;
  for (std::int64_t first = 0; first < copies * size; first += size)
    for (std::int64_t a = 0; a < size; ++a)
      for (std::int64_t b = 0; b < a; ++b) edges.push_back({first + a, first + b});
  return {copies * size, edges};
}

TEST(Epidemics, OnCompleteNetworksFollowTheMasterEquation) {
  constexpr int size = 6;
  constexpr std::int64_t copies = 2000;
  mass::Mass mass = makeMass(2);
  const auto people = mass.createGraph<Patient>(completeGraphs(copies, size));
  people.initialise<&Patient::health>([](const auto& at) { return at[0] % size == 0 ? 1 : 0; });
  MasterEquation exact(size);
  for (const int steps : {5, 55}) {
    for (int step = 0; step < steps; ++step) exact.step();
    people.callAll<&Patient::live>(mass::steps(steps));
    const auto health = people.download<&Patient::health>();
    std::vector<double> counts(size);
    for (std::size_t first = 0; first < health.size(); first += size)
      ++counts[asIndex(std::count(health.begin() + static_cast<std::ptrdiff_t>(first),
                                  health.begin() + static_cast<std::ptrdiff_t>(first + size), 0))];
    double chiSquare = 0;
    for (int s = 0; s < size; ++s) {
      const double expected = static_cast<double>(copies) * exact.ofSusceptible(s);
      ASSERT_GT(expected, 5) << "too rare for the test";
      chiSquare += (counts[asIndex(s)] - expected) * (counts[asIndex(s)] - expected) / expected;
    }
    // 5 degrees of freedom: a larger value has a probability of 0.001.
    EXPECT_LT(chiSquare, 20.52) << steps << " steps";
  }
}

/// Compares an epidemic on a scale-free network with a plain program after each step.
void compareWithSequentialProgram(std::size_t nodes, std::uint64_t steps, int devices) {
  SCOPED_TRACE(std::to_string(nodes) + " nodes on " + std::to_string(devices) + " devices");
  const Graph graph = mass::barabasiAlbertGraph(static_cast<std::int64_t>(nodes), 3, 7);
  mass::Mass mass = makeMass(devices, 0, {}, {"seed=5"});
  const auto people = mass.createGraph<Patient>(graph);
  std::vector<std::uint8_t> plain(nodes);
  for (std::size_t node = 0; node < nodes; node += 50) plain[node] = 1;
  people.upload<&Patient::health>(plain);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::vector<std::uint8_t> before = plain;
    for (std::size_t node = 0; node < nodes; ++node) {
      double escape = 1;
      for (const std::int32_t other : graph.linksOf(static_cast<std::int64_t>(node)))
        if (before[asIndex(other)] == 1) escape *= 1 - infection;
      const double chance[] = {1 - escape, recovery, 0};
      mass::Random random({.seed = 5, .index = node, .step = step});
      if (random.bernoulli(chance[plain[node]])) ++plain[node];
    }
    people.callAll<&Patient::live>();
    ASSERT_EQ(people.download<&Patient::health>(), plain);
  }
  mass::Mass other = makeMass(1);
  const auto same = other.createGraph<Patient>(graph);
  same.callAll<&Patient::live>(mass::steps(static_cast<std::int64_t>(steps)));  // for the hash
  same.upload<&Patient::health>(plain);
  EXPECT_EQ(people.hash(), same.hash());
}

TEST(Epidemics, OnAScaleFreeNetworkAreThoseOfASequentialProgram) {
  for (const int devices : {1, 2, 3, 4, 8})
    if (mass::testing::haveDevices(devices)) compareWithSequentialProgram(500, 20, devices);
}

TEST(Epidemics, WhoseNodesArePackedAreThoseOfASequentialProgram) {
  for (const int devices : {1, 2}) {
    if (!mass::testing::haveDevices(devices)) continue;
    compareWithSequentialProgram(mass::detail::minPackedRows * 2 + 1, 3, devices);
  }
}

}  // namespace
