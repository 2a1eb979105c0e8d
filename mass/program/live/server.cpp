#include <mass/program/live/server.hpp>

#include <fmt/format.h>

namespace mass::detail::live {

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port(), token());
}

}  // namespace mass::detail::live
