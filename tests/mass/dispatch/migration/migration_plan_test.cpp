#include <mass/dispatch/migration/migration_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using mass::detail::AgentArray;
using mass::detail::Fetch;
using mass::detail::migration::MigrationCounters;
using mass::detail::migration::MigrationPlan;

constexpr int devices = 3;
using Matrix = std::uint64_t[devices][devices];

// By source and target device.
constexpr Matrix moves = {{0, 2, 1}, {3, 0, 0}, {4, 5, 0}};
constexpr Matrix children = {{0, 0, 6}, {1, 0, 2}, {0, 3, 0}};
// By device.
constexpr std::uint64_t own[] = {100, 200, 300}, localChildren[] = {10, 0, 20},
                        requested[] = {16, 3, 23}, seekers[] = {7, 0, 9}, freePlaces[] = {5, 6, 0};

/// Plan of three devices whose agents have two components.
MigrationPlan testPlan() {
  MigrationPlan plan(devices, 2);
  for (int device = 0; device < devices; ++device) {
    MigrationCounters counters = MigrationCounters::zero(devices, 0);
    counters.moves.assign(std::begin(moves[device]), std::end(moves[device]));
    counters.children.assign(std::begin(children[device]), std::end(children[device]));
    counters.totals.own = own[device];
    counters.totals.localChildren = localChildren[device];
    counters.totals.of[mass::detail::migration::children] = requested[device];
    counters.totals.seekers = seekers[device];
    counters.totals.freePlaces = freePlaces[device];
    plan.setCounters(device, counters);
  }
  return plan;
}

/// Returns the fetches of `count` agents: identity, target place and both components.
std::vector<Fetch> agentFetches(int from, std::int64_t sent, int to, std::int64_t agent,
                                std::int64_t count) {
  return {{from, to, {AgentArray::nextIds, sent}, {AgentArray::ids, agent}, count},
          {from, to, {AgentArray::sentPlaces, sent}, {AgentArray::targets, agent}, count},
          {from, to, {AgentArray::back, sent}, {AgentArray::front, agent}, count, 0},
          {from, to, {AgentArray::back, sent}, {AgentArray::front, agent}, count, 1}};
}

std::vector<Fetch> concatenate(const std::vector<std::vector<Fetch>>& lists) {
  std::vector<Fetch> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

TEST(MigrationPlan, SumsTheDevicesBefore) {
  const MigrationPlan plan = testPlan();
  EXPECT_EQ(plan.seekersBefore(0), 0U);
  EXPECT_EQ(plan.seekersBefore(2), 7U);
  EXPECT_EQ(plan.seekersBefore(devices), 16U);
  EXPECT_EQ(plan.freePlacesBefore(1), 5U);
  EXPECT_EQ(plan.freePlacesBefore(devices), 11U);
  EXPECT_EQ(plan.childrenBefore(2), 19U);
}

TEST(MigrationPlan, CountsTheAgentsThatDevicesSendAndReceive) {
  const MigrationPlan plan = testPlan();
  const std::int64_t emigrants[] = {3, 3, 9}, sent[] = {9, 6, 12}, immigrants[] = {7, 7, 1},
                     newborns[] = {11, 3, 28};
  for (int device = 0; device < devices; ++device) {
    EXPECT_EQ(plan.emigrants(device), emigrants[device]) << device;
    EXPECT_EQ(plan.sent(device), sent[device]) << device;
    EXPECT_EQ(plan.immigrants(device), immigrants[device]) << device;
    EXPECT_EQ(plan.newborns(device), newborns[device]) << device;
  }
}

TEST(MigrationPlan, SegmentsFillTheSendBuffers) {
  const MigrationPlan plan = testPlan();
  for (int from = 0; from < devices; ++from) {
    std::int64_t next = 0;
    for (int to = 0; to < devices; ++to) {
      EXPECT_EQ(plan.sentMoves(from, to).begin, next);
      next = plan.sentMoves(from, to).end();
    }
    EXPECT_EQ(next, plan.emigrants(from));
    for (int to = 0; to < devices; ++to) {
      EXPECT_EQ(plan.sentChildren(from, to).begin, next);
      next = plan.sentChildren(from, to).end();
    }
    EXPECT_EQ(next, plan.sent(from));
  }
}

TEST(MigrationPlan, ConcatenatesFreePlaces) {
  const MigrationPlan plan = testPlan();
  for (int device = 0; device < devices; ++device) {
    const std::vector<Fetch> expected{
        {0, device, {AgentArray::freePlaceList, 0}, {AgentArray::allFreePlaceList, 0}, 5},
        {1, device, {AgentArray::freePlaceList, 0}, {AgentArray::allFreePlaceList, 5}, 6}};
    EXPECT_EQ(plan.freePlaceFetches(device), expected);
  }
}

TEST(MigrationPlan, AppendsImmigrantsThenLocalChildrenThenOtherChildren) {
  const MigrationPlan plan = testPlan();
  EXPECT_EQ(plan.agentFetches(0),
            concatenate({agentFetches(1, 0, 0, 100, 3), agentFetches(2, 0, 0, 103, 4),
                         agentFetches(1, 3, 0, 100 + 7 + 10, 1)}));
  EXPECT_EQ(plan.agentFetches(1),
            concatenate({agentFetches(0, 0, 1, 200, 2), agentFetches(2, 4, 1, 202, 5),
                         agentFetches(2, 9, 1, 200 + 7, 3)}));
  EXPECT_EQ(plan.agentFetches(2),
            concatenate({agentFetches(0, 2, 2, 300, 1), agentFetches(0, 3, 2, 300 + 1 + 20, 6),
                         agentFetches(1, 4, 2, 300 + 1 + 20 + 6, 2)}));
}

TEST(MigrationPlan, DecisionsComeFromTheNumbersOfTheImmigrants) {
  const MigrationPlan plan = testPlan();
  const std::vector<Fetch> of0{
      {1, 0, {AgentArray::moveStates, 200}, {AgentArray::decisions, 0}, 2},
      {2, 0, {AgentArray::moveStates, 300}, {AgentArray::decisions, 2}, 1}};
  const std::vector<Fetch> of1{
      {0, 1, {AgentArray::moveStates, 100}, {AgentArray::decisions, 0}, 3}};
  const std::vector<Fetch> of2{
      {0, 2, {AgentArray::moveStates, 103}, {AgentArray::decisions, 0}, 4},
      {1, 2, {AgentArray::moveStates, 202}, {AgentArray::decisions, 4}, 5}};
  EXPECT_EQ(plan.decisionFetches(0), of0);
  EXPECT_EQ(plan.decisionFetches(1), of1);
  EXPECT_EQ(plan.decisionFetches(2), of2);
}

TEST(MigrationPlan, NobodyMoves) {
  MigrationPlan plan(2, 1);
  for (const int device : {0, 1}) plan.setCounters(device, MigrationCounters::zero(2, 4));
  for (const int device : {0, 1}) {
    EXPECT_TRUE(plan.freePlaceFetches(device).empty());
    EXPECT_TRUE(plan.agentFetches(device).empty());
    EXPECT_TRUE(plan.decisionFetches(device).empty());
    EXPECT_EQ(plan.sent(device), 0);
  }
}

}  // namespace
