#include <mass/program/live/request.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace {

using namespace mass::detail::live;

TEST(LiveRequest, ReadsARequestForAFrame) {
  const auto request = std::get<FrameRequest>(parseRequest(
      R"({"do":"frame","box":[1,2,3,4],"size":[640,480],"reduce":"maximum","after":7,"id":3})"));
  EXPECT_EQ(request.box, (Box{1, 2, 3, 4}));
  EXPECT_EQ(request.width, 640);
  EXPECT_EQ(request.height, 480);
  EXPECT_EQ(request.reduction, Reduction::maximum);
  EXPECT_EQ(request.after, 7);
  EXPECT_EQ(request.id, 3);
}

TEST(LiveRequest, ShowsAllPlacesWithoutABox) {
  const auto request = std::get<FrameRequest>(
      parseRequest(R"({"do":"frame","size":[1,1],"reduce":"mean","after":-1,"id":0})"));
  EXPECT_EQ(request.box, Box{});
  EXPECT_EQ(request.reduction, Reduction::mean);
}

TEST(LiveRequest, ReadsASlice) {
  const auto frame = std::get<FrameRequest>(parseRequest(
      R"({"do":"frame","size":[1,1],"reduce":"mean","after":-1,"id":0,"slice":[2,7]})"));
  EXPECT_EQ(frame.slice, (Slice{2, 7}));
  const auto value =
      std::get<ValueRequest>(parseRequest(R"({"do":"value","place":[5,6],"slice":[0,1]})"));
  EXPECT_EQ(value.slice, (Slice{0, 1}));
  EXPECT_EQ(std::get<ValueRequest>(parseRequest(R"({"do":"value","place":[5,6]})")).slice, Slice{});
}

TEST(LiveRequest, ReadsAllOtherRequests) {
  EXPECT_EQ(std::get<ValueRequest>(parseRequest(R"({"do":"value","place":[5,6]})")).column, 6);
  EXPECT_EQ(
      std::get<CurvesRequest>(parseRequest(R"({"do":"curves","generation":2,"from":9})")).from, 9);
  EXPECT_TRUE(std::holds_alternative<HashCommand>(parseRequest(R"({"do":"hash"})")));
  EXPECT_TRUE(std::holds_alternative<SteerRequest>(parseRequest(R"({"do":"steer"})")));
  EXPECT_TRUE(std::holds_alternative<ReleaseRequest>(parseRequest(R"({"do":"release"})")));
  EXPECT_TRUE(std::holds_alternative<RunCommand>(parseRequest(R"({"do":"run"})")));
  EXPECT_TRUE(std::holds_alternative<PauseCommand>(parseRequest(R"({"do":"pause"})")));
  EXPECT_EQ(std::get<StepCommand>(parseRequest(R"({"do":"step","count":12})")).count, 12);
  EXPECT_EQ(std::get<GoToCommand>(parseRequest(R"({"do":"go","step":0})")).step, 0);
  EXPECT_EQ(std::get<LimitCommand>(parseRequest(R"({"do":"limit","rate":2.5})")).rate, 2.5);
  EXPECT_EQ(std::get<AgainCommand>(parseRequest(R"({"do":"again","seed":3})")).seed, 3);
  EXPECT_TRUE(std::holds_alternative<CheckpointCommand>(parseRequest(R"({"do":"checkpoint"})")));
  EXPECT_TRUE(std::holds_alternative<EndCommand>(parseRequest(R"({"do":"end"})")));
}

TEST(LiveRequest, ReadsASetting) {
  const auto setting =
      std::get<SetCommand>(parseRequest(R"({"do":"set","key":"growth","value":"0.25"})"));
  EXPECT_EQ(setting.key, "growth");
  EXPECT_EQ(setting.value, "0.25");
}

TEST(LiveRequest, RefusesOtherTypesAndRanges) {
  const std::vector<std::string> texts{
      R"({"do":"step","count":0})",
      R"({"do":"go","step":-1})",
      R"({"do":"go","step":1000000000001})",
      R"({"do":"step","count":1.5})",
      R"({"do":"value","place":[5,6],"slice":[3,1]})",
      R"({"do":"step","count":"1"})",
      R"({"do":"step","count":true})",
      R"({"do":"step","count":null})",
      R"({"do":"step","count":18446744073709551615})",
      R"({"do":"step","count":1e3})",
      R"({"do":"limit","rate":-1})",
      R"({"do":"limit","rate":1e300})",
      R"({"do":"limit","rate":"1"})",
      R"({"do":"value","place":[1]})",
      R"({"do":"value","place":[1,-2]})",
      R"({"do":"value","place":{"0":1,"1":2}})",
      R"({"do":"frame","size":[0,1],"reduce":"mean","after":-1,"id":0})",
      R"({"do":"frame","size":[99999,1],"reduce":"mean","after":-1,"id":0})",
      R"({"do":"frame","size":[1,1],"reduce":"median","after":-1,"id":0})",
      R"({"do":"frame","size":[1,1],"reduce":"mean","after":-2,"id":0})",
      R"({"do":"again","seed":-1})",
      R"({"do":"set","key":"","value":"1"})",
      R"({"do":"set","key":"a=b","value":"1"})",
      R"({"do":"set","key":"a","value":1})",
      R"({"do":"set","key":"a","value":"1\nsteps: 2"})",
  };
  for (const std::string& text : texts) EXPECT_THROW(parseRequest(text), mass::InputError) << text;
}

TEST(LiveRequest, RefusesUnknownAndMissingMembers) {
  EXPECT_THROW(parseRequest(R"({"do":"run","now":true})"), mass::InputError);
  EXPECT_THROW(parseRequest(R"({"do":"step"})"), mass::InputError);
  EXPECT_THROW(parseRequest(R"({"do":"save","file":"/etc/passwd"})"), mass::InputError);
  EXPECT_THROW(parseRequest(R"({"count":1})"), mass::InputError);
}

TEST(LiveRequest, RefusesTextsThatAreNoObject) {
  for (const char* const text : {"", "1", "[]", "null", "{", "\"do\"", R"({"do":"run"}x)", "\0\0"})
    EXPECT_THROW(parseRequest(text), mass::InputError) << text;
  EXPECT_THROW(parseRequest(std::string(1000, '\0')), mass::InputError);
  EXPECT_THROW(parseRequest("{\"do\":\"\xff\xfe\"}"), mass::InputError);
}

TEST(LiveRequest, ReadsDeepNestingWithoutExhaustingTheStack) {
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  EXPECT_THROW(parseRequest(R"({"do":)" + deep + "}"), mass::InputError);
}

TEST(LiveRequest, RefusesMoreThanFourKibibytes) {
  const std::string text = R"({"do":"run"})";
  EXPECT_NO_THROW(parseRequest(text + std::string(mostRequestBytes - text.size(), ' ')));
  EXPECT_THROW(parseRequest(text + std::string(mostRequestBytes, ' ')), mass::InputError);
}

}  // namespace
