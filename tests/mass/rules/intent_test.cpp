#include <mass/rules/intent.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using mass::Intent;
using mass::Mass;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;

class Ground : public mass::Place<2> {
 public:
  int value = 0;
  using Attributes = mass::Attributes<&Ground::value>;
};

enum class Wish : int { step, stay, die, goThere };

/// Asks for what it may not, and then for something else.
class Child : public mass::Agent<Ground> {
 public:
  static constexpr std::int64_t capacity = 9;
  static constexpr int travel = 1, offspring = 1;
  int value = 0;
  using Attributes = mass::Attributes<&Child::value>;

  MASS_FN void ask(Intent<Child>& intent, Wish wish) {
    if (wish == Wish::step) intent.move({0, 1});
    if (wish == Wish::stay) intent.stay();
    if (wish == Wish::die) intent.kill();
    if (wish == Wish::goThere) intent.moveTo(intent.coordinates());
  }
  MASS_FN void goTooFar(Intent<Child>& intent, Wish wish) {
    intent.move({0, 2});
    ask(intent, wish);
  }
  MASS_FN void goTooFarTo(Intent<Child>& intent, Wish wish) {
    intent.moveTo({intent.coordinates()[0], 4});
    ask(intent, wish);
  }
  MASS_FN void haveTooMany(Intent<Child>& intent, Wish wish) {
    for (int child = 0; child < 2; ++child) intent.spawn(Child{});
    ask(intent, wish);
  }
  MASS_FN void dieAndGoTooFar(Intent<Child>& intent) {
    intent.kill();
    intent.move({0, 2});
  }
};

/// What is thrown where two agents follow a rule.
template <auto rule, class... Arguments>
std::string errorOf(const Arguments&... arguments) {
  Mass mass = makeMass(2);
  auto children = mass.createAgents<Child>(mass.createPlaces<Ground>({4, 6}), {{0, 0}, {3, 1}});
  return messageOf<mass::UsageError>([&] {
    children.callAll<rule>(arguments...);
    children.manageAll();  // GPUs find out here,
    children.census();     // or here
  });
}

TEST(Intent, AnErrorStaysOneWhateverIsAskedForNext) {
  const bool onGpus = mass::testing::testBackend() == "cuda";
  const std::string far = onGpus ? "2 agents of class Child wanted" : "its travel is 1";
  const std::string many = onGpus ? "2 agents of class Child wanted" : "more children than 1";
  for (const Wish wish : {Wish::step, Wish::stay, Wish::die, Wish::goThere}) {
    SCOPED_TRACE(static_cast<int>(wish));
    EXPECT_TRUE(contains(errorOf<&Child::goTooFar>(wish), far));
    EXPECT_TRUE(contains(errorOf<&Child::goTooFarTo>(wish), far));
    EXPECT_TRUE(contains(errorOf<&Child::haveTooMany>(wish), many));
  }
  EXPECT_TRUE(contains(errorOf<&Child::dieAndGoTooFar>(), far));
}

}  // namespace
