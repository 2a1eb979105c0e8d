#pragma once

#include <cstdint>

namespace mass::detail {

/// List of requests that a rule makes on one device. Its sequence depends on threads; `order` gives
/// the one in which they are carried out.
struct RequestView {
  std::uint64_t* count = nullptr;    ///< number of requests
  std::uint64_t* refused = nullptr;  ///< number of those beyond the maximum of their place or agent
  std::int64_t* targets = nullptr;   ///< by request: place or agent that it is about
  std::int64_t* order = nullptr;     ///< by request: distinct numbers
  void* const* components = nullptr;  ///< by component: values
};

}  // namespace mass::detail
