#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail::live {

/// File of the page, compiled into the library.
struct PageFile {
  std::string_view target;  ///< target of the request, as "/live.js"
  std::string_view type;    ///< media type
  std::string_view text;
};

/// Returns all files of the page. The target of the page itself is "/".
const std::vector<PageFile>& pageFiles();

/// Number of a connected page; each connection has another one.
using ViewerId = std::uint64_t;

/// Bounds on the effort of a server for its clients.
struct ServerLimits {
  std::size_t connections = 16;               ///< at most so many at a time, viewers included
  std::size_t headerBytes = 8192;             ///< size of the header of a request
  std::size_t messagesPerSecond = 400;        ///< limit for a viewer; twice as many at once
  std::size_t waitingMessages = 256;          ///< that a viewer has not received
  std::chrono::milliseconds handshake{5000};  ///< from a connection to the end of its request
  std::chrono::milliseconds silence{30000};   ///< without an answer of a viewer's machine
};

/// Receives the events of a server, on the thread of the server. Must not call Server's destructor.
class ServerListener {
 public:
  virtual ~ServerListener() = default;
  /// A viewer has connected.
  virtual void opened(ViewerId viewer) = 0;
  /// A viewer has sent a text of at most mostRequestBytes. @return false to disconnect it
  virtual bool received(ViewerId viewer, std::string_view text) = 0;
  /// A viewer is gone.
  virtual void closed(ViewerId viewer) = 0;
};

/// Message to a viewer.
struct Message {
  std::shared_ptr<const std::string> bytes;
  bool isBinary = false;
  bool replacesLast = false;  ///< replaces such a message of the same kind that still waits
};

/// Server of the page on 127.0.0.1, and of a WebSocket at "/live" for each viewer. Answers requests
/// with the server's token only: the target "/?token=..." of the page, then the cookie that it
/// sets. Pages of this machine may frame the target "/frame/TOKEN/", which has another token and
/// needs no cookie: browsers do not send one from a frame. Has a thread of its own.
class Server {
 public:
  /// Starts a server.
  /// @param port 0 for a free one
  /// @param listener must outlive the server
  /// @throws SettingsError if the port is used, or the library was built without MASS_LIVE
  static std::unique_ptr<Server> start(int port, ServerListener& listener,
                                       const ServerLimits& limits = {});
  /// Disconnects all viewers and ends the thread.
  virtual ~Server() = default;

  virtual int port() const = 0;
  /// Secret of the address: 32 hexadecimal digits.
  virtual const std::string& token() const = 0;
  /// Secret of the address for frames: 32 hexadecimal digits.
  virtual const std::string& frameToken() const = 0;
  /// Sends a message; does nothing if the viewer is gone. May be called by any thread.
  virtual void send(ViewerId viewer, Message message) = 0;

  /// Address of the page with the token.
  std::string address() const;
  /// Address of the page for a frame of a local page, with the token for frames.
  std::string frameAddress() const;
};

}  // namespace mass::detail::live
