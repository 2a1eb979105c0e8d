// Tables of rules of one bool.

#include <mass/kernels/bool_rule.hpp>

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace {

using mass::detail::BoolTable;
using mass::detail::LifeCounts;

/// Numbers of living neighbours for births and survivals, as bit masks.
struct Digits {
  unsigned birth, survival;
};
struct Unused {
  double numbers[3];
};

class Cell : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Cell::alive>;
  using Near = mass::Neighborhood<Cell>;

  MASS_FN void conway(const Near& near) {
    int living = 0;
    for (auto offset : mass::moore<2>) living += near(offset).alive;
    alive = living == 3 || (alive && living == 2);
  }
  MASS_FN void count(const Near& near, const Digits& digits, Unused) {
    const auto living = near.count<&Cell::alive>(mass::moore<2>);
    alive = ((alive ? digits.survival : digits.birth) >> living & 1U) != 0;
  }
  MASS_FN void shift(const Near& near) { alive = near(0, -1).alive; }
  MASS_FN void pick(const Near& near, int dy, int dx) { alive = near.get<&Cell::alive>({dy, dx}); }
  MASS_FN void set(const Near&, bool value) { alive = value; }
  MASS_FN void withHere(const Near& near, const mass::Here<2>&) { alive = near(1, 1).alive; }
  MASS_FN void lookUp(const Near& near, const mass::Shared<std::uint8_t>& results) {
    unsigned pattern = 0;
    for (int k = 0; k < 9; ++k) pattern |= (near(k / 3 - 1, k % 3 - 1).alive ? 1U : 0U) << k;
    alive = results[pattern] != 0;
  }
  MASS_FN void stepOfThree(const Near& near) {
    const auto living = near.count<&Cell::alive>(mass::moore<2>);
    if (living == 3) alive = near.step() % 2 == 0;
  }
  MASS_FN void random(const Near& near) { alive = near.random().bernoulli(0.5); }
  MASS_FN void randomOfStream(const Near& near) { alive = near.random(3, 1).bernoulli(0.5); }
  MASS_FN void position(const Near& near) {
    if (near(1, 1).alive && near(1, 0).alive) alive = near.coordinates()[1] < 7;
  }
  MASS_FN void index(const Near& near) { alive = near.index() == 5; }
  MASS_FN void shape(const Near& near) { alive = near.shape()[0] == 5; }
  MASS_FN void end(const Near& near) { alive = near.isAtFixedEnd(1, 0); }
  MASS_FN void neighbors(const Near& near) { alive = near.size() > 0 && near[0].alive; }
  MASS_FN void stepOfHere(const Near&, const mass::Here<2>& here) { alive = here.step() == 1; }
  MASS_FN void stepOfCopy(const Near& near) {
    const mass::Here<2> here = near;
    alive = here.step() == 1;
  }
  MASS_FN void fail(const Near& near) {
    alive = near(0, 1).alive;
#if !defined(__CUDA_ARCH__)
    if (alive && near(-1, -1).alive) throw std::runtime_error("both");
#endif
  }
  MASS_FN void own(const mass::Here<2>&) {
    alive = !alive;
  }
};

class Far : public mass::Place<2> {
 public:
  static constexpr int reach = 2;
  bool alive = false;
  using Attributes = mass::Attributes<&Far::alive>;
  MASS_FN void next(const mass::Neighborhood<Far>& near) { alive = near(0, 2).alive; }
};
class Two : public mass::Place<2> {
 public:
  bool alive = false, old = false;
  using Attributes = mass::Attributes<&Two::alive, &Two::old>;
  MASS_FN void next(const mass::Neighborhood<Two>& near) { alive = near(0, 1).alive; }
};
class Number : public mass::Place<2> {
 public:
  std::uint8_t alive = 0;
  using Attributes = mass::Attributes<&Number::alive>;
  MASS_FN void next(const mass::Neighborhood<Number>& near) { alive = near(0, 1).alive; }
};
class Line : public mass::Place<1> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Line::alive>;
  MASS_FN void next(const mass::Neighborhood<Line>& near) { alive = near(1).alive; }
};

template <auto Rule, class... Given>
std::optional<BoolTable> tableOf(Given... given) {
  const auto* const rule = mass::detail::boolRule<Cell, Rule, mass::detail::WritesAll>();
  if (rule == nullptr) return std::nullopt;
  const typename mass::detail::Traits<Rule>::Arguments arguments(given...);
  return rule->table(&arguments, 0);
}

/// Expects the results of `expected(own, living)`.
template <class Expected>
void expectCounting(const std::optional<BoolTable>& table, const Expected& expected) {
  ASSERT_TRUE(table);
  for (int pattern = 0; pattern < 512; ++pattern) {
    const bool own = (pattern & 16) != 0;
    const int living = std::popcount(static_cast<unsigned>(pattern & ~16));
    EXPECT_EQ(table->at(pattern), expected(own, living)) << pattern;
  }
}

TEST(BoolRule, HasTheTableOfConwaysRule) {
  const auto table = tableOf<&Cell::conway>();
  expectCounting(table, [](bool own, int n) { return n == 3 || (own && n == 2); });
  EXPECT_EQ(table->counts(), (LifeCounts{1U << 3, 1U << 2 | 1U << 3}));
}

TEST(BoolRule, HasTheTableOfTheArguments) {
  for (const Digits digits : {Digits{0x148, 0x10c}, Digits{0x48, 0xc}, Digits{0, 0x1ff}}) {
    const auto table = tableOf<&Cell::count>(digits, Unused{});
    expectCounting(table, [&](bool own, int n) {
      return ((own ? digits.survival : digits.birth) >> n & 1U) != 0;
    });
    EXPECT_EQ(table->counts(), (LifeCounts{digits.birth, digits.survival}));
  }
}

TEST(BoolRule, HasTheTablesOfAsymmetricRules) {
  const auto shift = tableOf<&Cell::shift>();
  ASSERT_TRUE(shift);
  EXPECT_FALSE(shift->counts());
  for (int pattern = 0; pattern < 512; ++pattern)
    EXPECT_EQ(shift->at(pattern), (pattern >> 3 & 1) != 0);
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const auto pick = tableOf<&Cell::pick>(dy, dx);
      ASSERT_TRUE(pick);
      for (int pattern = 0; pattern < 512; ++pattern)
        EXPECT_EQ(pick->at(pattern), (pattern >> (3 * (dy + 1) + dx + 1) & 1) != 0);
    }
  }
  EXPECT_TRUE(tableOf<&Cell::withHere>());
}

TEST(BoolRule, HasConstantTables) {
  EXPECT_EQ(tableOf<&Cell::set>(false)->counts(), (LifeCounts{0, 0}));
  EXPECT_EQ(tableOf<&Cell::set>(true)->counts(), (LifeCounts{0x1ff, 0x1ff}));
}

TEST(BoolRule, ReadsSharedArrays) {
  mass::Settings settings;
  const mass::Mass mass(settings);
  std::vector<std::uint8_t> results(512);
  for (std::size_t i = 0; i < 512; ++i) results[i] = i * i % 7 < 3 ? 1 : 0;
  const auto table = tableOf<&Cell::lookUp>(mass.share(results));
  ASSERT_TRUE(table);
  EXPECT_FALSE(table->counts());
  for (int pattern = 0; pattern < 512; ++pattern)
    EXPECT_EQ(table->at(pattern), results[static_cast<std::size_t>(pattern)] != 0);
  const auto readsArrays = [](const mass::detail::BoolRule* rule) { return rule->readsArrays; };
  using W = mass::detail::WritesAll;
  EXPECT_TRUE(readsArrays(mass::detail::boolRule<Cell, &Cell::lookUp, W>()));
  EXPECT_FALSE(readsArrays(mass::detail::boolRule<Cell, &Cell::count, W>()));
}

TEST(BoolRule, RefusesRulesThatDependOnMore) {
  EXPECT_FALSE(tableOf<&Cell::stepOfThree>());
  EXPECT_FALSE(tableOf<&Cell::random>());
  EXPECT_FALSE(tableOf<&Cell::randomOfStream>());
  EXPECT_FALSE(tableOf<&Cell::position>());
  EXPECT_FALSE(tableOf<&Cell::index>());
  EXPECT_FALSE(tableOf<&Cell::shape>());
  EXPECT_FALSE(tableOf<&Cell::end>());
  EXPECT_FALSE(tableOf<&Cell::neighbors>());
  EXPECT_FALSE(tableOf<&Cell::stepOfHere>());
  EXPECT_FALSE(tableOf<&Cell::stepOfCopy>());
}

TEST(BoolRule, RefusesRulesThatThrow) {
  EXPECT_FALSE(tableOf<&Cell::fail>());
}

TEST(BoolRule, RefusesOtherClassesAndRules) {
  using mass::detail::mayBeBoolRule;
  using W = mass::detail::WritesAll;
  EXPECT_TRUE((mayBeBoolRule<Cell, &Cell::conway, W>()));
  EXPECT_FALSE((mayBeBoolRule<Cell, &Cell::own, W>()));  // reads no neighbours
  EXPECT_FALSE((mayBeBoolRule<Cell, &Cell::conway, mass::detail::Writes<>>()));
  EXPECT_FALSE((mayBeBoolRule<Far, &Far::next, W>()));
  EXPECT_FALSE((mayBeBoolRule<Two, &Two::next, W>()));
  EXPECT_FALSE((mayBeBoolRule<Number, &Number::next, W>()));
  EXPECT_FALSE((mayBeBoolRule<Line, &Line::next, W>()));
}

}  // namespace
