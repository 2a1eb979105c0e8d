#include <mass/mass.hpp>

#include <mass/program/live/view.hpp>
#include <mass/program/model_run.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tests/support/mass_on_ranks.hpp>
#include <tests/support/web_client.hpp>

#include <algorithm>
#include <memory>
#include <regex>
#include <string>
#include <thread>

namespace {

using mass::detail::ModelRun;
using mass::detail::live::View;
using mass::testing::WebClient;

class Cell : public mass::Place<2> {
 public:
  float heat = 0;
  using Attributes = mass::Attributes<&Cell::heat>;
  MASS_FN void advance(const mass::Neighborhood<Cell>& near, float gain) {
    heat = gain * (heat + near(1, 0).heat) + static_cast<float>(near.index() % 17);
  }
};

mass::Schema schema() {
  mass::Schema schema = mass::Schema::library();
  schema.add("gain", 0.25, "", "gain of a step").between(0, 1).live();
  return schema;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto cells = mass.createPlaces<Cell>({12, 10});
  run.advance([=, &mass](mass::Steps steps) {
    cells.callAll<&Cell::advance>(steps, mass.settings().get<float>("gain"));
  });
}

const mass::Program program{"cells", "Heat.", schema(), &setUp};

mass::Settings settingsFor(int devices) {
  mass::Settings settings(schema());
  mass::testing::setDevices(settings, devices);
  settings.set("steps=1000000");
  return settings;
}

/// Viewer of a run, on a thread of its own.
class Viewer {
 public:
  /// Connects to the page whose address `greeting` has.
  explicit Viewer(const std::string& greeting) : client_(portOf(greeting)) {
    const std::string host = fmt::format("127.0.0.1:{}", portOf(greeting));
    const std::string token = matchOf(greeting, "token=([0-9a-f]+)");
    client_.send(mass::testing::upgradeRequest(
        host, "http://" + host, fmt::format("mass_live_{}={}", portOf(greeting), token)));
    (void)waitFor("101 Switching");
  }

  void send(const std::string& request) { client_.send(mass::testing::message(request)); }
  /// Receives messages until one matches. @return the first group
  std::string waitFor(const std::string& expression) {
    std::string found = matchOf(received_, expression);
    while (found.empty()) {
      const std::string more = client_.receiveSome();
      if (more.empty()) return {};
      received_ += more;
      found = matchOf(received_, expression);
    }
    received_.clear();
    return found;
  }

 private:
  static std::string matchOf(const std::string& text, const std::string& expression) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(expression))) return {};
    return match[match.size() - 1];
  }
  static int portOf(const std::string& greeting) {
    return std::stoi(matchOf(greeting, "127.0.0.1:([0-9]+)/"));
  }

  WebClient client_;
  std::string received_;
};

/// Results that a viewer has seen.
struct Seen {
  std::string pausedAt, setAt, hash, frame;
};

/// Steers a run: pauses, changes a setting, makes 5 steps, looks and ends it.
Seen steer(const std::string& greeting) {
  Viewer viewer(greeting);
  Seen seen;
  viewer.send(R"({"do":"pause"})");
  seen.pausedAt = viewer.waitFor(R"x("step":([0-9]+)[^}]*"state":"paused")x");
  viewer.send(R"({"do":"set","key":"gain","value":"0.5"})");
  viewer.send(R"({"do":"step","count":5})");
  seen.setAt = viewer.waitFor(
      fmt::format(R"x("step":({})[^}}]*"state":"paused")x", std::stoi(seen.pausedAt) + 5));
  viewer.send(R"({"do":"hash"})");
  seen.hash = viewer.waitFor(R"x("hash":"([0-9a-f]+)")x");
  viewer.send(R"({"do":"frame","size":[99,99],"reduce":"mean","after":-1,"id":0})");
  seen.frame = viewer.waitFor(R"x("places":\[(12,10)\])x");
  viewer.send(R"({"do":"end"})");
  return seen;
}

/// Makes steps as a run does, until the view ends it.
void run(ModelRun& model, View& view) {
  view.begin(model);
  for (;;) {
    const auto plan = view.plan(model);
    if (plan.ends) return;
    if (!plan.pauses) model.advanceTo(std::min({plan.stop, model.steps, model.step + 100}));
  }
}

TEST(LiveView, SteersAllRanks) {
  if (mass::testing::testBackend() != "cpu") GTEST_SKIP() << "ranks of threads run on CPUs";
  Seen seen;
  std::uint64_t hash = 0;
  mass::testing::runOnThreadRanks(3, [&](mass::detail::Ranks& ranks) {
    mass::Mass mass(settingsFor(1),
                    std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &ranks));
    const auto cells = mass.createPlaces<Cell>({12, 10});
    ModelRun model(mass, "cells");
    model.advance = [&](mass::Steps steps) {
      cells.callAll<&Cell::advance>(steps, mass.settings().get<float>("gain"));
    };
    model.palette = "heat";
    model.pictureField = std::make_shared<mass::detail::PictureField>(cells.sharedPopulation(),
                                                                      "heat", mass::Picture{});
    model.picture = [&] { return model.pictureField->picture(); };
    View view({}, ranks.isFirst());
    std::thread viewer;
    if (ranks.isFirst())
      viewer = std::thread([&, greeting = view.greeting("cells")] { seen = steer(greeting); });
    run(model, view);
    if (viewer.joinable()) viewer.join();
    const std::uint64_t own = mass.hash();
    if (ranks.isFirst()) hash = own;
  });
  ASSERT_NE(seen.setAt, "");
  mass::Run alone(program, settingsFor(1));
  alone.step(std::stoi(seen.pausedAt));
  alone.set("gain=0.5");
  alone.step(5);
  EXPECT_EQ(seen.hash, fmt::format("{:016x}", alone.hash()));
  EXPECT_EQ(hash, alone.hash());
  EXPECT_EQ(seen.frame, "12,10");
}

TEST(LiveView, HasNoServerOnOtherRanks) {
  EXPECT_EQ(View({}, false).greeting("cells"), "");
}

}  // namespace
