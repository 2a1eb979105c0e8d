#include <mass/program/live/board.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace mass::detail::live;
using Json = nlohmann::json;

/// Board whose messages a test reads.
class LiveBoard : public ::testing::Test {
 protected:
  LiveBoard() {
    board.connect([this](ViewerId viewer, const Message& message) {
      messages[viewer].push_back(*message.bytes);
    });
    board.begin(R"({"is":"run"})");
  }

  /// Returns a member of the last status that a viewer got.
  Json status(ViewerId viewer, const char* member) {
    const auto& all = messages[viewer];
    for (auto text = all.rbegin(); text != all.rend(); ++text) {
      const Json json = Json::parse(*text, nullptr, false);
      if (json.is_object() && json["is"] == "status") return json[member];
    }
    return {};
  }

  Board board;
  std::map<ViewerId, std::vector<std::string>> messages;
};

constexpr const char* frameRequest =
    R"({"do":"frame","size":[9,9],"reduce":"mean","after":AFTER,"id":1})";

std::string frameAfter(int after) {
  std::string text = frameRequest;
  return text.replace(text.find("AFTER"), 5, std::to_string(after));
}

TEST_F(LiveBoard, DescribesTheRunToEachViewer) {
  board.opened(1);
  EXPECT_EQ(messages[1].front(), R"({"is":"run"})");
  EXPECT_EQ(board.viewers(), 1);
  EXPECT_TRUE(board.wasSeen());
}

TEST_F(LiveBoard, TakesCommandsOfTheFirstViewerOnly) {
  board.opened(1), board.opened(2);
  EXPECT_EQ(status(1, "isOwn"), true);
  EXPECT_EQ(status(2, "isOwn"), false);
  EXPECT_TRUE(board.received(2, R"({"do":"run"})"));
  EXPECT_TRUE(board.takeCommands().empty());
  EXPECT_TRUE(board.received(1, R"({"do":"pause"})"));
  const auto commands = board.takeCommands();
  ASSERT_EQ(commands.size(), 1);
  EXPECT_TRUE(std::holds_alternative<PauseCommand>(commands[0].request));
  EXPECT_TRUE(board.takeCommands().empty());
}

TEST_F(LiveBoard, HandsTheSteeringOver) {
  board.opened(1), board.opened(2);
  board.received(2, R"({"do":"steer"})");
  EXPECT_EQ(status(2, "isOwn"), false);
  board.received(2, R"({"do":"release"})");
  EXPECT_EQ(status(1, "isOwn"), true);
  board.received(1, R"({"do":"release"})");
  EXPECT_EQ(status(2, "isLed"), false);
  board.received(2, R"({"do":"steer"})");
  EXPECT_EQ(status(2, "isOwn"), true);
  board.closed(2);
  EXPECT_EQ(status(1, "isLed"), false);
  board.opened(3);
  EXPECT_EQ(status(3, "isOwn"), true);
}

TEST_F(LiveBoard, RefusesMessagesThatAreNoRequests) {
  board.opened(1);
  EXPECT_FALSE(board.received(1, "hello"));
  EXPECT_FALSE(board.received(1, R"({"do":"format"})"));
}

TEST_F(LiveBoard, AnswersOneRequestForAFrameOfAViewer) {
  board.opened(1);
  EXPECT_FALSE(board.isFrameWanted(0));
  board.received(1, frameAfter(2));
  board.received(1, frameAfter(3));
  EXPECT_FALSE(board.isFrameWanted(2));
  EXPECT_TRUE(board.isFrameWanted(3));
  EXPECT_TRUE(board.takeFrames(3).empty());
  ASSERT_EQ(board.takeFrames(4).size(), 1);
  EXPECT_TRUE(board.takeFrames(5).empty());
}

TEST_F(LiveBoard, SendsALegendWhenItChanges) {
  board.opened(1);
  mass::Picture picture{{0, 1}, 1, 2};
  const auto send = [&] {
    board.received(1, frameAfter(-1));
    for (const WaitingFrame& to : board.takeFrames(1))
      board.send(to, picture, drawFrame(picture, to.request, {}), 1, 5);
  };
  const auto legends = [&] {
    return std::ranges::count_if(
        messages[1], [](const std::string& text) { return text.starts_with(R"({"is":"legend")"); });
  };
  send(), send();
  EXPECT_EQ(legends(), 1);
  picture.high = 2;
  send();
  EXPECT_EQ(legends(), 2);
}

TEST_F(LiveBoard, SendsAStatusOnlyIfItHasChanged) {
  board.opened(1);
  Status status;
  status.step = 4;
  board.publish(status);
  const std::size_t count = messages[1].size();
  board.publish(status);
  EXPECT_EQ(messages[1].size(), count);
  EXPECT_EQ(this->status(1, "step"), 4);
}

TEST_F(LiveBoard, SendsNothingAfterItsWayIsGone) {
  board.opened(1);
  board.connect({});
  const std::size_t count = messages[1].size();
  board.tell(0, "late");
  board.closed(1);
  EXPECT_EQ(messages[1].size(), count);
}

}  // namespace
