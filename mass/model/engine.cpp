#include <mass/model/engine.hpp>

#include <mass/support/error.hpp>

namespace mass::detail {

void failHome(std::string_view agent, const std::string& places) {
  throw UsageError(
      "a rule on the places '{}' is given agents of class {} that live on other places: it can "
      "read only those that live there",
      places, agent);
}

}  // namespace mass::detail
