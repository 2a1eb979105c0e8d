#include <mass/program/live/server.hpp>

#include <mass/program/live/request.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tests/support/web_client.hpp>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace mass::detail::live;
using mass::testing::message;
using mass::testing::patience;
using std::chrono::milliseconds;
using Client = mass::testing::WebClient;

/// Events of a server, which tests wait for.
class Events : public ServerListener {
 public:
  void opened(ViewerId viewer) override { add(fmt::format("opened {}", viewer)); }
  bool received(ViewerId viewer, std::string_view text) override {
    add(fmt::format("received {} {}", viewer, text));
    return text != "wrong";
  }
  void closed(ViewerId viewer) override { add(fmt::format("closed {}", viewer)); }

  /// Waits for an event. @return false if it does not occur
  bool wait(const std::string& event) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] {
      return std::find(events_.begin(), events_.end(), event) != events_.end();
    });
  }
  std::size_t count() {
    const std::scoped_lock lock(mutex_);
    return events_.size();
  }

 private:
  void add(std::string event) {
    const std::scoped_lock lock(mutex_);
    events_.push_back(std::move(event));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
};

/// Returns limits with which the server soon gives up a client that does not close its socket.
ServerLimits impatient() {
  ServerLimits limits;
  limits.handshake = limits.silence = milliseconds(300);
  return limits;
}

/// Server with clients, as a test needs them.
class LiveServer : public ::testing::Test {
 protected:
  LiveServer() { start({}); }

  void start(const ServerLimits& limits) {
    server.reset();
    server = Server::start(0, events, limits);
  }

  std::string host() const { return fmt::format("127.0.0.1:{}", server->port()); }
  std::string cookie() const {
    return fmt::format("mass_live_{}={}", server->port(), server->token());
  }
  /// Sends a request for a file. @return the response
  std::string get(const std::string& target, const std::string& headers) const {
    const Client client(server->port());
    client.send(fmt::format("GET {} HTTP/1.1\r\n{}\r\n", target, headers));
    return client.receive();
  }
  std::string getAs(const std::string& host) const {
    return get("/", fmt::format("Host: {}\r\nCookie: {}\r\n", host, cookie()));
  }
  std::string upgrade(const std::string& origin, const std::string& cookie) const {
    return mass::testing::upgradeRequest(host(), origin, cookie);
  }
  std::string upgrade() const { return upgrade("http://" + host(), cookie()); }
  /// Makes a client a viewer.
  void open(const Client& client) const {
    client.send(upgrade());
    ASSERT_NE(client.receive("\r\n\r\n").find("101 Switching Protocols"), std::string::npos);
  }

  Events events;
  std::unique_ptr<Server> server;
};

TEST_F(LiveServer, ServesThePageWithItsToken) {
  const std::string response = get("/?token=" + server->token(), "Host: " + host() + "\r\n");
  EXPECT_NE(response.find("200 OK"), std::string::npos);
  EXPECT_NE(response.find("Set-Cookie: " + cookie() + "; Path=/; HttpOnly; SameSite=Strict"),
            std::string::npos);
  EXPECT_NE(response.find("<title>MASS live"), std::string::npos);
  EXPECT_NE(response.find("frame-ancestors 'none'"), std::string::npos);
}

TEST_F(LiveServer, ServesAllFilesOfThePageWithTheCookie) {
  for (const PageFile& file : pageFiles()) {
    const std::string response =
        get(std::string(file.target), fmt::format("Host: {}\r\nCookie: {}\r\n", host(), cookie()));
    EXPECT_NE(response.find("200 OK"), std::string::npos) << file.target;
    EXPECT_TRUE(response.ends_with(file.text)) << file.target;
    EXPECT_FALSE(file.type.empty()) << file.target;
  }
}

TEST_F(LiveServer, RefusesRequestsWithoutTheToken) {
  const std::string header = "Host: " + host() + "\r\n";
  for (const std::string target : {"/", "/live.js", "/?token=", "/?token=0123456789abcdef"})
    EXPECT_NE(get(target, header).find("403 Forbidden"), std::string::npos) << target;
  const std::string other = fmt::format("mass_live_{}={}", server->port(), std::string(32, '0'));
  EXPECT_NE(get("/", header + "Cookie: " + other + "\r\n").find("403 Forbidden"),
            std::string::npos);
}

TEST_F(LiveServer, ServesAFrameOfALocalPageWithoutACookie) {
  const std::string header = "Host: " + host() + "\r\n", folder = "/frame/" + server->frameToken();
  EXPECT_NE(server->frameToken(), server->token());
  EXPECT_EQ(server->frameAddress(), "http://" + host() + folder + "/");
  for (const PageFile& file : pageFiles()) {
    const std::string response = get(folder + std::string(file.target), header);
    EXPECT_NE(response.find("200 OK"), std::string::npos) << file.target;
    EXPECT_NE(response.find("frame-ancestors http://localhost:* http://127.0.0.1:*\r"),
              std::string::npos);
    EXPECT_EQ(response.find("Set-Cookie"), std::string::npos);
  }
  const Client client(server->port());
  client.send(mass::testing::upgradeRequest(host(), "http://" + host(), "", folder + "/live"));
  EXPECT_NE(client.receive("\r\n\r\n").find("101 Switching Protocols"), std::string::npos);
}

TEST_F(LiveServer, RefusesAFrameWithoutItsToken) {
  const std::string header = "Host: " + host() + "\r\n";
  for (const std::string& token : {std::string(), std::string(32, '0'), server->token()})
    EXPECT_NE(get("/frame/" + token + "/", header).find("403 Forbidden"), std::string::npos);
  EXPECT_NE(get("/?token=" + server->frameToken(), header).find("403 Forbidden"),
            std::string::npos);
  const Client client(server->port());
  client.send(mass::testing::upgradeRequest(host(), "http://localhost:8888", "",
                                            "/frame/" + server->frameToken() + "/live"));
  EXPECT_NE(client.receive().find("403 Forbidden"), std::string::npos);
}

TEST_F(LiveServer, RefusesAForeignHost) {
  EXPECT_NE(getAs("localhost:1234").find("200 OK"), std::string::npos);
  EXPECT_NE(getAs("example.org").find("403 Forbidden"), std::string::npos);
  EXPECT_NE(getAs("127.0.0.1.example.org").find("403 Forbidden"), std::string::npos);
  EXPECT_NE(get("/?token=" + server->token(), "").find("403 Forbidden"), std::string::npos);
}

TEST_F(LiveServer, ServesNoOtherFiles) {
  const std::string headers = fmt::format("Host: {}\r\nCookie: {}\r\n", host(), cookie());
  for (const std::string target : {"/../etc/passwd", "/etc/passwd", "//", "/live.js/", "/%2e%2e/a"})
    EXPECT_NE(get(target, headers).find("404 Not Found"), std::string::npos) << target;
}

TEST_F(LiveServer, AnswersGetOnly) {
  const Client client(server->port());
  client.send(fmt::format("POST / HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", host(), cookie()));
  EXPECT_NE(client.receive().find("405 Method Not Allowed"), std::string::npos);
}

TEST_F(LiveServer, RefusesAWebSocketOfAForeignPage) {
  for (const std::string origin : {"http://example.org", "null", "https://127.0.0.1", ""}) {
    const Client client(server->port());
    client.send(upgrade(origin, cookie()));
    EXPECT_NE(client.receive().find("403 Forbidden"), std::string::npos) << origin;
  }
}

TEST_F(LiveServer, RefusesAWebSocketWithoutTheToken) {
  const Client client(server->port());
  client.send(upgrade("http://" + host(), "mass_live=1"));
  EXPECT_NE(client.receive().find("403 Forbidden"), std::string::npos);
  EXPECT_EQ(events.count(), 0);
}

TEST_F(LiveServer, PassesMessagesOn) {
  const Client client(server->port());
  open(client);
  ASSERT_TRUE(events.wait("opened 1"));
  client.send(message("hello"));
  EXPECT_TRUE(events.wait("received 1 hello"));
  const std::string longest(mostRequestBytes, 'x');
  client.send(message(longest));
  EXPECT_TRUE(events.wait("received 1 " + longest));
  server->send(1, {std::make_shared<const std::string>("good day"), false, false});
  EXPECT_EQ(client.receive("good day"), "\x81\x08good day");
}

TEST_F(LiveServer, DisconnectsAViewerWithAWrongMessage) {
  start(impatient());
  const Client client(server->port());
  open(client);
  client.send(message("wrong"));
  EXPECT_TRUE(client.isClosed());
  EXPECT_TRUE(events.wait("closed 1"));
}

TEST_F(LiveServer, DisconnectsAViewerThatAnnouncesAGibibyte) {
  start(impatient());
  const Client client(server->port());
  open(client);
  client.send(std::string("\x81\xff\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00", 14));
  EXPECT_TRUE(client.isClosed());
  EXPECT_TRUE(events.wait("closed 1"));
}

TEST_F(LiveServer, DisconnectsAViewerThatSendsTooOften) {
  ServerLimits limits = impatient();
  limits.messagesPerSecond = 5;
  start(limits);
  const Client client(server->port());
  open(client);
  for (int i = 0; i < 50; ++i) client.send(message("a"));
  EXPECT_TRUE(client.isClosed());
  EXPECT_LT(events.count(), 20);
}

TEST_F(LiveServer, ReplacesAFrameThatStillWaits) {
  const Client client(server->port());
  open(client);
  ASSERT_TRUE(events.wait("opened 1"));
  const auto large = std::make_shared<const std::string>(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 300; ++i) server->send(1, {large, true, true});
  server->send(1, {std::make_shared<const std::string>("the last"), true, true});
  const std::string received = client.receive("the last");
  EXPECT_TRUE(received.ends_with("the last"));
  EXPECT_LT(received.size(), 30 * large->size());
}

TEST_F(LiveServer, DisconnectsAViewerThatReceivesNothing) {
  const Client client(server->port());
  open(client);
  ASSERT_TRUE(events.wait("opened 1"));
  const auto large = std::make_shared<const std::string>(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 300; ++i) server->send(1, {large, true, false});
  EXPECT_TRUE(events.wait("closed 1"));
}

TEST_F(LiveServer, ClosesConnectionsThatSendOtherThings) {
  for (const std::string& bytes :
       {std::string(1000, '\0'), std::string("\r\n\r\n\r\n"), std::string(9000, 'a'),
        std::string("\x16\x03\x01\x02", 4) + std::string(500, 'x')}) {
    const Client client(server->port());
    client.send(bytes);
    EXPECT_TRUE(client.isClosed());
  }
  EXPECT_NE(getAs(host()).find("200 OK"), std::string::npos);
}

TEST_F(LiveServer, ClosesAConnectionWithManyHeaders) {
  const Client client(server->port());
  std::string request = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 10000; ++i) request += fmt::format("A{}: {}\r\n", i, i);
  client.send(request + "\r\n");
  EXPECT_TRUE(client.isClosed());
  EXPECT_NE(getAs(host()).find("200 OK"), std::string::npos);
}

TEST_F(LiveServer, ClosesAConnectionThatSendsHalfARequest) {
  ServerLimits limits;
  limits.handshake = milliseconds(50);
  start(limits);
  const Client half(server->port()), silent(server->port());
  half.send("GET / HTTP/1.1\r\nHost: 127.");
  EXPECT_TRUE(half.isClosed());
  EXPECT_TRUE(silent.isClosed());
}

TEST_F(LiveServer, HasSixteenConnectionsAtMost) {
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<Client>(server->port()));
    open(*clients.back());
    ASSERT_TRUE(events.wait(fmt::format("opened {}", i + 1)));
  }
  EXPECT_TRUE(Client(server->port()).isClosed());
  clients.pop_back();
  ASSERT_TRUE(events.wait("closed 16"));
  EXPECT_NE(getAs(host()).find("200 OK"), std::string::npos);
}

TEST_F(LiveServer, SaysGoodbye) {
  const Client client(server->port());
  open(client);
  ASSERT_TRUE(events.wait("opened 1"));
  server.reset();
  EXPECT_TRUE(client.receive().starts_with("\x88\x02\x03\xe9"));  // 1001, going away
}

TEST_F(LiveServer, RefusesAPortInUse) {
  Events others;
  try {
    (void)Server::start(server->port(), others);
    FAIL();
  } catch (const mass::SettingsError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot use port"), std::string::npos) << error.what();
  }
}

TEST_F(LiveServer, ListensOnTheLoopbackInterfaceOnly) {
  EXPECT_TRUE(
      server->address().starts_with(fmt::format("http://127.0.0.1:{}/?token=", server->port())));
}

}  // namespace
