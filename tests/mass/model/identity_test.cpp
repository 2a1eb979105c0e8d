#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using mass::detail::mix;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;

constexpr std::uint64_t identities = 70;  // that people look for; some never exist

class Land : public mass::Place<2> {
 public:
  int soil = 1;
  using Attributes = mass::Attributes<&Land::soil>;
};

/// Firm without space.
class Firm : public mass::Agent<mass::NoSpace> {
 public:
  static constexpr int offspring = 1;
  double income = 0;
  std::int64_t coins = 0;
  float wage = 3;
  using Attributes = mass::Attributes<&Firm::income, &Firm::coins, &Firm::wage>;

  /// Changes the wage by that of another firm; some close, some found a firm.
  MASS_FN void trade(const mass::ById<Firm>& firms, mass::Intent<Firm>& intent) {
    const std::uint64_t other = mix(intent.id() + intent.step()) % identities;
    wage += firms.has(other) ? 0.5F * firms[other].wage : 1;
    if (mix(intent.id() ^ intent.step()) % 11 == 0) intent.kill();
    if (mix(intent.id() - intent.step()) % 13 == 0) intent.spawn(Firm{});
  }
};

class Person : public mass::Agent<Land> {
 public:
  std::uint64_t employer = 0;
  std::int64_t coins = 100;
  float wage = 0;
  using Attributes = mass::Attributes<&Person::employer, &Person::coins, &Person::wage>;

  MASS_FN void work(const mass::ById<Firm>& firms, mass::Intent<Person>& intent) {
    employer = mix(intent.id() * 7 + intent.step()) % identities;
    wage = firms[employer].wage;
    intent.move({static_cast<int>(employer % 3) - 1, 1});
  }
  MASS_FN void spend(const mass::Give<&Firm::income, 2>& pay, const mass::Give<&Firm::coins>& give,
                     const mass::Intent<Person>& intent) {
    pay(employer, static_cast<double>(wage) / 3);
    pay(intent.id() % 5, 1.0 / static_cast<double>(intent.id() + 3));
    if (give(employer, 2)) coins -= 2;
  }
  MASS_FN void spendTwice(const mass::Give<&Firm::coins>& give) {
    give(1, 2);
    give(2, 2);
  }
  MASS_FN void find(const mass::ById<Firm>& firms, const mass::Intent<Person>& intent) {
    wage = firms[(std::uint64_t{1} << 35) + 1000003 * intent.id()].wage;
  }
  MASS_FN void lend(const mass::Give<&Person::coins>& give, const mass::Intent<Person>& intent) {
    if (give(mix(intent.id()) % identities, 5)) coins -= 5;
  }
};

/// People on land and firms.
struct Economy {
  mass::Places<Land> land;
  mass::Agents<Person> people;
  mass::Agents<Firm> firms;

  explicit Economy(mass::Mass& mass)
      : land(mass.createPlaces<Land>({11, 6})),
        people(mass.createAgents<Person>(land, 150)),
        firms(mass.createAgents<Firm>(50)) {}
  void step() const {
    people.callAll<&Person::work>(firms);
    people.callAll<&Person::spend>(firms, firms);
    people.callAll<&Person::lend>(people);
    people.manageAll();
    firms.callAll<&Firm::trade>(firms);
    firms.manageAll();
  }
};

/// Plain program with the same rules.
struct PlainEconomy {
  struct Person {
    std::uint64_t employer = 0;
    std::int64_t coins = 100;
    float wage = 0;
  };
  struct Firm {
    double income = 0;
    std::int64_t coins = 0;
    float wage = 3;
  };
  std::map<std::uint64_t, Person> people;
  std::map<std::uint64_t, Firm> firms;
  std::uint64_t next = 50, peopleSteps = 0, firmSteps = 0, missing = 0;

  PlainEconomy() {
    for (std::uint64_t id = 0; id < 150; ++id) people[id] = {};
    for (std::uint64_t id = 0; id < next; ++id) firms[id] = {};
  }
  /// Returns a firm; null, and counts, if there is none.
  Firm* find(std::uint64_t id) {
    const auto found = firms.find(id);
    if (found != firms.end()) return &found->second;
    ++missing;
    return nullptr;
  }
  void step() {
    work();
    pay();
    lend();
    peopleSteps += 4;
    trade();
  }
  void work() {
    for (auto& [id, person] : people) {
      person.employer = mix(id * 7 + peopleSteps) % identities;
      const Firm* const firm = find(person.employer);
      person.wage = firm != nullptr ? firm->wage : 3;
    }
  }
  void pay() {
    for (auto& [id, person] : people) {
      if (Firm* const firm = find(person.employer))
        firm->income += static_cast<double>(person.wage) / 3;
      if (Firm* const firm = find(id % 5)) firm->income += 1.0 / static_cast<double>(id + 3);
      if (Firm* const firm = find(person.employer)) {
        firm->coins += 2;
        person.coins -= 2;
      }
    }
  }
  void lend() {
    for (auto& [id, person] : people) {
      person.coins -= 5;
      people.at(mix(id) % identities).coins += 5;
    }
  }
  void trade() {
    const std::map<std::uint64_t, Firm> before = firms;
    std::uint64_t born = 0;
    for (const auto& [id, old] : before) {
      const std::uint64_t other = mix(id + firmSteps) % identities;
      firms[id].wage += before.contains(other) ? 0.5F * before.at(other).wage : 1;
      if (mix(id ^ firmSteps) % 11 == 0) firms.erase(id);
      if (mix(id - firmSteps) % 13 == 0) ++born;
    }
    for (std::uint64_t k = 0; k < born; ++k) firms[next++] = {};
    firmSteps += 2;
  }
};

void expectEqual(const Economy& economy, PlainEconomy& plain) {
  const auto ids = economy.firms.ids();
  const auto incomes = economy.firms.download<&Firm::income>();
  const auto coins = economy.firms.download<&Firm::coins>();
  const auto wages = economy.firms.download<&Firm::wage>();
  ASSERT_EQ(ids.size(), plain.firms.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_TRUE(plain.firms.contains(ids[i]));
    const PlainEconomy::Firm& firm = plain.firms.at(ids[i]);
    ASSERT_EQ(incomes[i], firm.income) << ids[i];
    ASSERT_EQ(coins[i], firm.coins);
    ASSERT_EQ(wages[i], firm.wage);
  }
  const auto people = economy.people.ids();
  const auto money = economy.people.download<&Person::coins>();
  const auto paid = economy.people.download<&Person::wage>();
  for (std::size_t i = 0; i < people.size(); ++i) {
    ASSERT_EQ(money[i], plain.people.at(people[i]).coins);
    ASSERT_EQ(paid[i], plain.people.at(people[i]).wage);
  }
  ASSERT_EQ(economy.firms.missing(), plain.missing);
  ASSERT_EQ(economy.people.missing(), 0U);
}

const std::vector<mass::testing::RankSetup> setups{
    {.devices = {1}},       {.devices = {2}},         {.devices = {3}},
    {.devices = {4}},       {.devices = {8}},         {.devices = {1, 1}, .threads = 2},
    {.devices = {1, 3, 2}}, {.devices = {2, 1, 1, 1}}};

TEST(Identity, DoesWhatAPlainProgramDoes) {
  for (const auto& setup : setups) {
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    mass::testing::onRanks(setup, [](mass::Mass& mass) {
      const Economy economy(mass);
      PlainEconomy plain;
      for (int step = 0; step < 5 && !::testing::Test::HasFatalFailure(); ++step) {
        const auto all = [&] {
          return economy.people.reduce<&Person::coins>(mass::sum) +
                 economy.firms.reduce<&Firm::coins>(mass::sum);
        };
        const auto before = all();
        economy.people.callAll<&Person::spend>(economy.firms, economy.firms);
        EXPECT_EQ(all(), before);
        economy.people.callAll<&Person::lend>(economy.people);
        EXPECT_EQ(all(), before);
        plain.pay();
        plain.lend();
        plain.peopleSteps += 2;
        economy.step();
        plain.step();
        expectEqual(economy, plain);
      }
    });
  }
}

TEST(Identity, IsTheSameOnEverySplit) {
  mass::testing::expectSameOnRanks(setups, [](mass::Mass& mass, mass::testing::Record& record) {
    const Economy economy(mass);
    for (int step = 0; step < 4; ++step) {
      economy.step();
      record.add("hash", mass.hash());
    }
  });
}

TEST(Identity, OfAgentsWithSparseIdentitiesIsFound) {
  const mass::testing::TemporaryFolder folder;
  std::string text = "row,id,wage\n";
  for (int k = 0; k < 40; ++k)
    text +=
        fmt::format("{},{},{}\n", k % 7, (std::int64_t{1} << 35) + std::int64_t{1000003} * k, k);
  mass::testing::writeBytes(folder.path() / "firms.csv", text);
  for (const int devices : {1, 3}) {
    mass::Mass mass = makeMass(devices);
    auto places = mass.createPlaces<mass::NoSpace>({7});
    auto firms = mass.loadAgents<Firm>(places, folder.path() / "firms.csv");
    auto land = mass.createPlaces<Land>({4, 4});
    auto people = mass.createAgents<Person>(land, 40);
    people.callAll<&Person::find>(firms);
    for (const float wage : people.download<&Person::wage>()) EXPECT_GE(wage, 0);
    const auto ids = people.ids();
    const auto wages = people.download<&Person::wage>();
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(wages[i], static_cast<float>(ids[i]));
    EXPECT_EQ(firms.missing(), 0U);
  }
}

TEST(Identity, ThatNobodyHasYieldsInitialAttributesAndIsCounted) {
  mass::Mass mass = makeMass(2);
  const Economy economy(mass);
  const auto none = mass.createAgents<Firm>(0, "none");
  economy.people.callAll<&Person::work>(none);
  for (const float wage : economy.people.download<&Person::wage>()) EXPECT_EQ(wage, 3);
  EXPECT_EQ(none.missing(), 150U);
  economy.people.callAll<&Person::spend>(none, none);
  EXPECT_EQ(none.missing(), 4 * 150U);
  EXPECT_EQ(economy.people.reduce<&Person::coins>(mass::sum), 150 * 100);
  ASSERT_EQ(mass.missingAgents().size(), 1U);
  EXPECT_EQ(mass.missingAgents()[0].first, "none");
  economy.people.manageAll();
  const mass::testing::TemporaryFolder folder;
  mass.saveCheckpoint(folder.path() / "state.h5", "economy");
  economy.people.callAll<&Person::spend>(none, none);
  mass.restoreCheckpoint(folder.path() / "state.h5", "economy");
  EXPECT_EQ(none.missing(), 4 * 150U);
}

TEST(Identity, OfFewerAgentsWithoutSpaceThanDevicesIsTheSameOnAll) {
  const mass::testing::TemporaryFolder folder;
  for (const std::int64_t count : {0, 1, 2}) {
    std::set<std::uint64_t> hashes;
    for (const int devices : {1, 3, 2}) {
      mass::Mass mass = makeMass(devices);
      auto firms = mass.createAgents<Firm>(count);
      if (!hashes.empty()) mass.restoreCheckpoint(folder.path() / "state.h5", "firms");
      hashes.insert(mass.hash());
      mass.saveCheckpoint(folder.path() / "state.h5", "firms");
      firms.add({{2}});
      firms.manageAll();
      EXPECT_EQ(firms.size(), count + 1);
    }
    EXPECT_EQ(hashes.size(), 1U) << count;
  }
}

TEST(Identity, RefusesInvalidCalls) {
  mass::Mass mass = makeMass(1), other = makeMass(1);
  const Economy economy(mass), far(other);
  EXPECT_TRUE(contains(
      messageOf<mass::UsageError>([&] { economy.people.callAll<&Person::work>(far.firms); }),
      "another Mass"));
  EXPECT_TRUE(contains(messageOf<mass::UsageError>(
                           [&] { economy.people.callAll<&Person::spendTwice>(economy.firms); }),
                       "raise the maximum"));
  EXPECT_EQ(economy.firms.reduce<&Firm::coins>(mass::sum), 0);
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] { mass.createAgents<Firm>(-1, "few"); }),
                       "0 or more"));
}

}  // namespace
