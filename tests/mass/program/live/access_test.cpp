#include <mass/program/live/access.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using namespace mass::detail::live;

TEST(LiveAccess, MakesDifferentTokens) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(makeToken());
  EXPECT_EQ(tokens.size(), 100);
  EXPECT_EQ(tokens.begin()->size(), 32);
  EXPECT_EQ(tokens.begin()->find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(LiveAccess, AcceptsTheWholeSecretOnly) {
  EXPECT_TRUE(isSecret("abc", "abc"));
  for (const char* const other : {"", "ab", "abd", "bbc", "abcd"})
    EXPECT_FALSE(isSecret(other, "abc"));
}

TEST(LiveAccess, AcceptsNamesOfTheLoopbackInterface) {
  for (const char* const host : {"127.0.0.1", "127.0.0.1:80", "localhost:65535", "[::1]:8080"})
    EXPECT_TRUE(isLoopback(host)) << host;
}

TEST(LiveAccess, RefusesOtherHosts) {
  for (const char* const host :
       {"", "example.org", "127.0.0.1.example.org", "localhost.example.org:80",
        "127.0.0.1:", "127.0.0.1:80x", "127.0.0.1:123456", "127.0.0.2", "127.0.0.123",
        "localhost80", "0.0.0.0:80", "LOCALHOST@a:1"})
    EXPECT_FALSE(isLoopback(host)) << host;
}

TEST(LiveAccess, AcceptsTheOriginOfItsOwnHostOnly) {
  EXPECT_TRUE(isOwnOrigin("http://127.0.0.1:81", "127.0.0.1:81"));
  EXPECT_FALSE(isOwnOrigin("http://127.0.0.1:82", "127.0.0.1:81"));
  EXPECT_FALSE(isOwnOrigin("https://127.0.0.1:81", "127.0.0.1:81"));
  EXPECT_FALSE(isOwnOrigin("http://example.org", "example.org"));
  EXPECT_FALSE(isOwnOrigin("null", "127.0.0.1:81"));
  EXPECT_FALSE(isOwnOrigin("", "127.0.0.1:81"));
}

TEST(LiveAccess, FindsACookieByItsWholeName) {
  EXPECT_EQ(cookieOf("a=1; live=secret; b=2", "live"), "secret");
  EXPECT_EQ(cookieOf("live=secret", "live"), "secret");
  EXPECT_EQ(cookieOf("alive=1;live=2", "live"), "2");
  EXPECT_EQ(cookieOf("livelier=1; xlive=2; live", "live"), "");
  EXPECT_EQ(cookieOf("", "live"), "");
}

TEST(LiveAccess, FindsTheTokenOfAnAddress) {
  EXPECT_EQ(tokenOf("/?token=abc"), "abc");
  EXPECT_EQ(tokenOf("/"), "");
  EXPECT_EQ(tokenOf("/live?token=abc"), "");
}

TEST(LiveAccess, FindsTheTokenAndTheFileOfAFrame) {
  EXPECT_EQ(framedTargetOf("/frame/abc/live.js").token, "abc");
  EXPECT_EQ(framedTargetOf("/frame/abc/live.js").target, "/live.js");
  EXPECT_EQ(framedTargetOf("/frame/abc/").target, "/");
  for (const char* const other :
       {"/", "/frame/", "/frame/abc", "/live.js", "frame/abc/", "/frames/a/"})
    EXPECT_EQ(framedTargetOf(other).token, "") << other;
}

}  // namespace
