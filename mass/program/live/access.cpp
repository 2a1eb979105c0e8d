#include <mass/program/live/access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

namespace mass::detail::live {

std::string makeToken() {
  std::random_device random;  // getrandom() or the processor's generator, on Linux
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

bool isSecret(std::string_view text, std::string_view secret) {
  if (text.size() != secret.size()) return false;
  unsigned differences = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    differences |= static_cast<unsigned>(text[i] ^ secret[i]);
  return differences == 0;
}

bool isLoopback(std::string_view host) {
  constexpr std::array<std::string_view, 3> names{"127.0.0.1", "localhost", "[::1]"};
  return std::ranges::any_of(names, [&](std::string_view name) {
    if (!host.starts_with(name)) return false;
    const std::string_view rest = host.substr(name.size());
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    return rest.empty() || (rest.size() >= 2 && rest.size() <= 6 && rest[0] == ':' &&
                            std::ranges::all_of(rest.substr(1), isDigit));
  });
}

bool isOwnOrigin(std::string_view origin, std::string_view host) {
  constexpr std::string_view scheme = "http://";
  return isLoopback(host) && origin.starts_with(scheme) && origin.substr(scheme.size()) == host;
}

std::string_view cookieOf(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.starts_with(name) && pair.size() > name.size() && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
  }
  return {};
}

std::string_view tokenOf(std::string_view target) {
  constexpr std::string_view begin = "/?token=";
  return target.starts_with(begin) ? target.substr(begin.size()) : std::string_view{};
}

FramedTarget framedTargetOf(std::string_view target) {
  constexpr std::string_view begin = "/frame/";
  if (!target.starts_with(begin)) return {};
  target.remove_prefix(begin.size());
  const std::size_t end = target.find('/');
  if (end == std::string_view::npos) return {};
  return {target.substr(0, end), target.substr(end)};
}

}  // namespace mass::detail::live
