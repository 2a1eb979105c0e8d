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

enum class Request : int { step, stay, die, moveToOwnPlace };

/// Makes an invalid request, then a valid one.
class Child : public mass::Agent<Ground> {
 public:
  static constexpr std::int64_t capacity = 9;
  static constexpr int travel = 1, offspring = 1;
  int value = 0;
  using Attributes = mass::Attributes<&Child::value>;

  MASS_FN void issue(Intent<Child>& intent, Request request) {
    if (request == Request::step) intent.move({0, 1});
    if (request == Request::stay) intent.stay();
    if (request == Request::die) intent.kill();
    if (request == Request::moveToOwnPlace) intent.moveTo(intent.coordinates());
  }
  MASS_FN void moveTooFar(Intent<Child>& intent, Request request) {
    intent.move({0, 2});
    issue(intent, request);
  }
  MASS_FN void moveTooFarTo(Intent<Child>& intent, Request request) {
    intent.moveTo({intent.coordinates()[0], 4});
    issue(intent, request);
  }
  MASS_FN void spawnTooMany(Intent<Child>& intent, Request request) {
    for (int child = 0; child < 2; ++child) intent.spawn(Child{});
    issue(intent, request);
  }
  MASS_FN void dieAndMoveTooFar(Intent<Child>& intent) {
    intent.kill();
    intent.move({0, 2});
  }
};

/// Returns the message of the error that a rule of two agents causes.
template <auto rule, class... Arguments>
std::string errorOf(const Arguments&... arguments) {
  Mass mass = makeMass(2);
  auto children = mass.createAgents<Child>(mass.createPlaces<Ground>({4, 6}), {{0, 0}, {3, 1}});
  return messageOf<mass::UsageError>([&] {
    children.callAll<rule>(arguments...);
    children.manageAll();  // throws on GPUs,
    children.census();     // or this does
  });
}

TEST(Intent, LaterRequestsDoNotRemoveAnError) {
  const bool onGpus = mass::testing::testBackend() == "cuda";
  const std::string far = onGpus ? "2 agents of class Child requested" : "its travel is 1";
  const std::string many = onGpus ? "2 agents of class Child requested" : "more children than 1";
  for (const Request request :
       {Request::step, Request::stay, Request::die, Request::moveToOwnPlace}) {
    SCOPED_TRACE(static_cast<int>(request));
    EXPECT_TRUE(contains(errorOf<&Child::moveTooFar>(request), far));
    EXPECT_TRUE(contains(errorOf<&Child::moveTooFarTo>(request), far));
    EXPECT_TRUE(contains(errorOf<&Child::spawnTooMany>(request), many));
  }
  EXPECT_TRUE(contains(errorOf<&Child::dieAndMoveTooFar>(), far));
}

}  // namespace
