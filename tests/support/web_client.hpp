#pragma once

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace mass::testing {

/// Longest time that a test waits for a server.
constexpr std::chrono::milliseconds patience(20000);

/// Connection to a server.
class WebClient {
 public:
  explicit WebClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    isConnected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  WebClient(const WebClient&) = delete;
  WebClient& operator=(const WebClient&) = delete;
  ~WebClient() { ::close(socket_); }

  bool isConnected() const { return isConnected_; }
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server has closed the connection
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// Receives until the text `end` has come, if it is not empty, or the server closes the
  /// connection.
  std::string receive(std::string_view end = {}) const {
    std::string text;
    pollfd ready{socket_, POLLIN, 0};
    while ((end.empty() || text.find(end) == std::string::npos) &&
           ::poll(&ready, 1, static_cast<int>(patience.count())) == 1) {
      char buffer[4096];
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(count));
    }
    return text;
  }
  /// Receives bytes that have come; none if the server closes the connection or is silent.
  std::string receiveSome() const {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(patience.count())) != 1) return {};
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    return {buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }
  /// True if the server closes the connection within the test's patience.
  bool isClosed() const {
    pollfd ready{socket_, POLLIN, 0};
    while (::poll(&ready, 1, static_cast<int>(patience.count())) == 1) {
      char buffer[4096];
      if (::recv(socket_, buffer, sizeof buffer, 0) <= 0) return true;
    }
    return false;
  }

 private:
  int socket_;
  bool isConnected_ = false;
};

/// Returns a request for a WebSocket.
inline std::string upgradeRequest(const std::string& host, const std::string& origin,
                                  const std::string& cookie, const std::string& target = "/live") {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nCookie: {}\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Version: 13\r\n\r\n",
      target, host, origin, cookie);
}

/// Returns a text message of a client, with the mask 0.
inline std::string message(std::string_view text) {
  std::string bytes{'\x81'};
  if (text.size() < 126) {
    bytes += static_cast<char>(0x80 | text.size());
  } else {
    bytes += '\xfe';
    bytes += static_cast<char>(text.size() >> 8);
    bytes += static_cast<char>(text.size() & 0xff);
  }
  return bytes + std::string(4, '\0') + std::string(text);
}

}  // namespace mass::testing
