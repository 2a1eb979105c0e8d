#pragma once

#include <string>
#include <string_view>

namespace mass::detail::live {

/// Returns a new secret of 128 random bits, as 32 hexadecimal digits.
std::string makeToken();

/// True if both texts are equal; takes the same time wherever they differ.
bool isSecret(std::string_view text, std::string_view secret);

/// True if a header Host names this machine's loopback interface, so that no foreign name leads
/// here (DNS rebinding): "127.0.0.1", "localhost" or "[::1]", each with or without a port.
bool isLoopback(std::string_view host);

/// True if a header Origin is that of a page of this server. @param host header Host
bool isOwnOrigin(std::string_view origin, std::string_view host);

/// Returns the value of a cookie in a header Cookie; empty if it has none of that name.
std::string_view cookieOf(std::string_view header, std::string_view name);

/// Returns the token in the target of a request, "/?token=..."; empty if it has none.
std::string_view tokenOf(std::string_view target);

/// Token and target of a request of a page in a frame; both are empty for other requests.
struct FramedTarget {
  std::string_view token;
  std::string_view target;  ///< target outside frames: "/live.js"
};

/// Returns the parts of a target "/frame/TOKEN/live.js".
FramedTarget framedTargetOf(std::string_view target);

}  // namespace mass::detail::live
