#include <mass/program/live/server.hpp>

#include <mass/program/live/access.hpp>
#include <mass/program/live/request.hpp>
#include <mass/support/error.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace mass::detail::live {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = asio::ip::tcp;
using Error = boost::system::error_code;
using HttpRequest = http::request<http::empty_body>;
using HttpResponse = http::response<http::string_body>;
using SteadyClock = std::chrono::steady_clock;

/// Time in which viewers may confirm that the server ends.
constexpr std::chrono::milliseconds farewell{300};
constexpr const char* socketTarget = "/live";

std::string_view viewOf(beast::string_view text) {
  return {text.data(), text.size()};
}

/// Number of messages that a viewer may send at present.
class Allowance {
 public:
  explicit Allowance(std::size_t perSecond)
      : perSecond_(static_cast<double>(perSecond)), left_(2 * perSecond_) {}

  /// Takes one. @return false if none is left
  bool take() {
    const auto now = SteadyClock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    left_ = std::min(2 * perSecond_, left_ + seconds * perSecond_) - 1;
    last_ = now;
    return left_ >= 0;
  }

 private:
  double perSecond_, left_;
  SteadyClock::time_point last_ = SteadyClock::now();
};

/// Rules by which requests are answered.
class Access {
 public:
  explicit Access(int port)
      : token_(makeToken()), frameToken_(makeToken()), cookie_(fmt::format("mass_live_{}", port)) {}

  const std::string& token() const { return token_; }
  const std::string& frameToken() const { return frameToken_; }

  /// True if the header Host is that of this machine, as of all requests of a browser here.
  static bool isLocal(const HttpRequest& request) {
    return request.count(http::field::host) == 1 && isLoopback(viewOf(request[http::field::host]));
  }
  /// True if the request has the cookie.
  bool hasCookie(const HttpRequest& request) const {
    return isSecret(cookieOf(viewOf(request[http::field::cookie]), cookie_), token_);
  }
  /// True if the request is for the page, with the token.
  bool hasToken(const HttpRequest& request) const {
    return isSecret(tokenOf(viewOf(request.target())), token_);
  }
  /// True if the request has the token for frames.
  bool isFramed(const HttpRequest& request) const {
    return isSecret(framedTargetOf(viewOf(request.target())).token, frameToken_);
  }
  /// Returns the target of the file that a request with a token or the cookie asks for.
  std::string_view fileOf(const HttpRequest& request) const {
    const std::string_view target = viewOf(request.target());
    if (isFramed(request)) return framedTargetOf(target).target;
    return hasToken(request) ? "/" : target;
  }
  /// True if a page of this server asks for a WebSocket.
  bool maySteer(const HttpRequest& request) const {
    return fileOf(request) == socketTarget && (isFramed(request) || hasCookie(request)) &&
           isOwnOrigin(viewOf(request[http::field::origin]), viewOf(request[http::field::host]));
  }
  /// Returns the header Set-Cookie.
  std::string cookie() const {
    return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_, token_);
  }

 private:
  std::string token_, frameToken_, cookie_;
};

constexpr const char* noAncestors = "'none'";
/// Pages of servers of this machine, such as Jupyter's.
constexpr const char* localAncestors = "http://localhost:* http://127.0.0.1:*";

/// Returns a response that no other site can show or keep.
/// @param ancestors pages that may have it in a frame, as in a Content-Security-Policy
HttpResponse responseOf(http::status status, std::string_view type, std::string_view text,
                        const char* ancestors = noAncestors) {
  HttpResponse response{status, 11};
  response.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  response.set(http::field::cache_control, "no-store");
  response.set(http::field::connection, "close");
  response.set("Content-Security-Policy",
               fmt::format("default-src 'none'; script-src 'self'; style-src 'self'; img-src "
                           "'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action "
                           "'none'; frame-ancestors {}",
                           ancestors));
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Referrer-Policy", "no-referrer");
  response.set("X-Content-Type-Options", "nosniff");
  response.body() = text;
  response.prepare_payload();
  return response;
}

HttpResponse plainText(http::status status, std::string_view text) {
  return responseOf(status, "text/plain; charset=utf-8", text);
}

/// Answers a request for a file of the page.
HttpResponse answerTo(const HttpRequest& request, const Access& access) {
  if (!Access::isLocal(request))
    return plainText(http::status::forbidden, "This server is for 127.0.0.1 only.\n");
  if (request.method() != http::verb::get)
    return plainText(http::status::method_not_allowed, "Only GET is answered.\n");
  const bool hasToken = access.hasToken(request), isFramed = access.isFramed(request);
  if (!hasToken && !isFramed && !access.hasCookie(request)) {
    return plainText(http::status::forbidden,
                     "Open the address that the program has printed, with its token.\n");
  }
  for (const PageFile& file : pageFiles()) {
    if (file.target != access.fileOf(request)) continue;
    HttpResponse response =
        responseOf(http::status::ok, file.type, file.text, isFramed ? localAncestors : noAncestors);
    if (hasToken) response.set(http::field::set_cookie, access.cookie());
    return response;
  }
  return plainText(http::status::not_found, "There is no such file.\n");
}

class BeastServer;

/// WebSocket of a viewer. All functions run on the thread of the server.
class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(BeastServer& server, ViewerId id, beast::tcp_stream stream);

  /// Completes the handshake and begins to read.
  void accept(HttpRequest request);
  /// Adds a message to those that wait.
  void send(Message message);
  /// Closes the connection; the viewer gets the reason.
  void close(websocket::close_code code);

 private:
  void read();
  void write();
  void end();

  BeastServer& server_;
  ViewerId id_;
  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer input_;
  HttpRequest request_;
  std::deque<Message> waiting_;  ///< the first is being sent
  Allowance allowance_;
  bool isOpen_ = false, isClosing_ = false;
};

/// Connection until its request is known: answers it, or hands the socket on to a Viewer.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(BeastServer& server, Tcp::socket socket);
  ~Visit();

  /// Reads the request and answers it.
  void start();

 private:
  void answer();

  BeastServer& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer input_;
  http::request_parser<http::empty_body> parser_;
  HttpResponse response_;
};

/// Server with Boost.Beast.
class BeastServer : public Server {
 public:
  BeastServer(int port, ServerListener& listener, const ServerLimits& limits)
      : listener_(listener), limits_(limits), acceptor_(context_) {
    listen(port);
    access_.emplace(this->port());
    accept();
    startThread();
  }

  ~BeastServer() override {
    asio::post(context_, [this] { shutDown(); });
    thread_.join();
  }

  int port() const override { return port_; }
  const std::string& token() const override { return access_->token(); }
  const std::string& frameToken() const override { return access_->frameToken(); }

  void send(ViewerId id, Message message) override {
    asio::post(context_, [this, id, message = std::move(message)]() mutable {
      if (const auto found = viewers_.find(id); found != viewers_.end())
        found->second->send(std::move(message));
    });
  }

  // For the connections
  const ServerLimits& limits() const { return limits_; }
  const Access& access() const { return *access_; }
  ServerListener& listener() { return listener_; }
  void countConnection(int change) { connections_ += static_cast<std::size_t>(change); }

  /// Makes a connection a viewer.
  void upgrade(beast::tcp_stream stream, HttpRequest request) {
    const ViewerId id = ++lastViewer_;
    const auto viewer = std::make_shared<Viewer>(*this, id, std::move(stream));
    ++connections_;
    viewers_[id] = viewer;
    viewer->accept(std::move(request));
  }

  void forget(ViewerId id) {
    if (viewers_.erase(id) > 0) --connections_;
  }

 private:
  /// @throws SettingsError if the port cannot be used
  void listen(int port) {
    try {
      const Tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port));
      acceptor_.open(here.protocol());
      acceptor_.set_option(Tcp::acceptor::reuse_address(true));
      acceptor_.bind(here);
      acceptor_.listen();
      port_ = acceptor_.local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw SettingsError(
          "the live view cannot use port {} of 127.0.0.1 ({}): give another one, or none to get a "
          "free one",
          port, error.code().message());
    }
  }

  void accept() {
    acceptor_.async_accept([this](Error error, Tcp::socket socket) {
      if (isEnding_) return;
      if (error) {  // for example too many open files
        retry_.expires_after(std::chrono::milliseconds(100));
        retry_.async_wait([this](Error) { isEnding_ ? void() : accept(); });
        return;
      }
      // Closes those beyond the limit at once.
      if (connections_ < limits_.connections)
        std::make_shared<Visit>(*this, std::move(socket))->start();
      accept();
    });
  }

  /// Signals are for the thread of the steps, which they wake up.
  void startThread() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { runContext(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  /// Runs the handlers. An error in one, such as exhausted memory, ends its connection only.
  void runContext() {
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (const std::exception&) {
      }
    }
  }

  /// Says goodbye to the viewers, and ends the thread soon after.
  void shutDown() {
    isEnding_ = true;
    Error ignored;
    acceptor_.close(ignored);
    retry_.cancel();
    const auto viewers = viewers_;
    for (const auto& [id, viewer] : viewers) viewer->close(websocket::close_code::going_away);
    end_.expires_after(viewers.empty() ? std::chrono::milliseconds(0) : farewell);
    end_.async_wait([this](Error) { context_.stop(); });
  }

  ServerListener& listener_;
  ServerLimits limits_;
  std::size_t connections_ = 0;  // outlives the handlers in context_
  asio::io_context context_{1};
  Tcp::acceptor acceptor_;
  asio::steady_timer retry_{context_}, end_{context_};
  int port_ = 0;
  std::optional<Access> access_;
  bool isEnding_ = false;
  ViewerId lastViewer_ = 0;
  std::map<ViewerId, std::shared_ptr<Viewer>> viewers_;
  std::thread thread_;
};

Visit::Visit(BeastServer& server, Tcp::socket socket)
    : server_(server), stream_(std::move(socket)), input_(server.limits().headerBytes) {
  server_.countConnection(1);
  parser_.header_limit(static_cast<std::uint32_t>(server.limits().headerBytes));
  parser_.body_limit(0);
}

Visit::~Visit() {
  server_.countConnection(-1);
}

void Visit::start() {
  Error ignored;
  stream_.socket().set_option(Tcp::no_delay(true), ignored);
  stream_.expires_after(server_.limits().handshake);
  http::async_read_header(stream_, input_, parser_,
                          [self = shared_from_this()](Error error, std::size_t) {
                            if (!error) self->answer();
                          });
}

void Visit::answer() {
  HttpRequest request = parser_.release();
  const Access& access = server_.access();
  if (websocket::is_upgrade(request) && Access::isLocal(request) && access.maySteer(request)) {
    server_.upgrade(std::move(stream_), std::move(request));
    return;
  }
  response_ = websocket::is_upgrade(request)
                  ? plainText(http::status::forbidden, "This page may not look at the run.\n")
                  : answerTo(request, access);
  http::async_write(stream_, response_, [self = shared_from_this()](Error, std::size_t) {
    Error ignored;
    self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  });
}

Viewer::Viewer(BeastServer& server, ViewerId id, beast::tcp_stream stream)
    : server_(server),
      id_(id),
      stream_(std::move(stream)),
      input_(2 * mostRequestBytes),
      allowance_(server.limits().messagesPerSecond) {
  beast::get_lowest_layer(stream_).expires_never();  // the WebSocket has time limits of its own
  stream_.set_option(
      websocket::stream_base::timeout{server.limits().handshake, server.limits().silence, true});
  stream_.read_message_max(mostRequestBytes);
}

void Viewer::accept(HttpRequest request) {
  request_ = std::move(request);
  stream_.async_accept(request_, [self = shared_from_this()](Error error) {
    if (error) return self->end();
    self->isOpen_ = true;
    self->server_.listener().opened(self->id_);
    if (!self->waiting_.empty()) self->write();
    self->read();
  });
}

void Viewer::read() {
  stream_.async_read(input_, [self = shared_from_this()](Error error, std::size_t) {
    if (error) return self->end();
    const auto data = self->input_.data();
    const std::string_view text(static_cast<const char*>(data.data()), data.size());
    const bool isGood = self->stream_.got_text() && self->allowance_.take() &&
                        self->server_.listener().received(self->id_, text);
    self->input_.consume(data.size());
    if (!isGood) self->close(websocket::close_code::policy_error);
    self->read();
  });
}

void Viewer::send(Message message) {
  if (isClosing_) return;
  if (message.replacesLast) {
    // The first is being sent.
    const auto first = waiting_.begin() + (waiting_.empty() ? 0 : 1);
    const auto old = std::find_if(first, waiting_.end(), [&](const Message& other) {
      return other.replacesLast && other.isBinary == message.isBinary;
    });
    if (old != waiting_.end()) waiting_.erase(old);
  }
  waiting_.push_back(std::move(message));
  if (waiting_.size() > server_.limits().waitingMessages) return end();
  if (isOpen_ && waiting_.size() == 1) write();
}

void Viewer::write() {
  stream_.binary(waiting_.front().isBinary);
  stream_.async_write(asio::buffer(*waiting_.front().bytes),
                      [self = shared_from_this()](Error error, std::size_t) {
                        if (error) return self->end();
                        self->waiting_.pop_front();
                        if (!self->waiting_.empty() && !self->isClosing_) self->write();
                      });
}

void Viewer::close(websocket::close_code code) {
  if (isClosing_) return;
  isClosing_ = true;
  if (!isOpen_) return end();
  stream_.async_close(code, [self = shared_from_this()](Error) { self->end(); });
}

/// Frees the connection, if it is not yet free.
void Viewer::end() {
  const auto self = shared_from_this();
  isClosing_ = true;
  server_.forget(id_);
  if (isOpen_) server_.listener().closed(id_);
  isOpen_ = false;
  beast::get_lowest_layer(stream_).close();
}

}  // namespace

std::unique_ptr<Server> Server::start(int port, ServerListener& listener,
                                      const ServerLimits& limits) {
  return std::make_unique<BeastServer>(port, listener, limits);
}

}  // namespace mass::detail::live
