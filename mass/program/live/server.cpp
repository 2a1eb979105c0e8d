#include <mass/program/live/server.hpp>

#include <fmt/format.h>

namespace mass::detail::live {

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port(), token());
}

std::string Server::frameAddress() const {
  return fmt::format("http://127.0.0.1:{}/frame/{}/", port(), frameToken());
}

}  // namespace mass::detail::live
