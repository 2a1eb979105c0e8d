#include <mass/program/live/server.hpp>

#include <mass/support/error.hpp>

namespace mass::detail::live {

std::unique_ptr<Server> Server::start(int, ServerListener&, const ServerLimits&) {
  throw SettingsError(
      "--live: this program was built without the live view; install Boost's headers "
      "(libboost-dev) and configure it with -DMASS_LIVE=ON");
}

}  // namespace mass::detail::live
