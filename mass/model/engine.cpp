#include <mass/model/engine.hpp>

#include <mass/support/error.hpp>

namespace mass::detail {

void failHome(std::string_view agent, const std::string& places) {
  throw UsageError(
      "a rule on the places '{}' got agents of class {} that live on other places; pass agents "
      "created on these places",
      places, agent);
}

}  // namespace mass::detail
