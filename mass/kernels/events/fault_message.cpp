#include <mass/kernels/events/fault_message.hpp>

#include <fmt/format.h>

namespace mass::detail {

std::string attributeText(std::string_view name, double value, bool isFirst) {
  return fmt::format("{}{} {:.9g}", isFirst ? "" : ", ", name, value);
}

std::string faultMessage(EventFault fault, std::string_view name, double rate, double seconds,
                         std::string_view state) {
  const std::string at =
      fmt::format("at {:.9g} s of this call of runEvents, with {}", seconds, state);
  switch (fault) {
    case EventFault::invalidRate:
      return fmt::format("the rate '{}' is {} 1/s {}; a rate is at least 0 and finite", name, rate,
                         at);
    case EventFault::negativeCount:
      return fmt::format("an event made the number of particles '{}' negative {}", name, at);
    case EventFault::tooMany:
      return fmt::format("there are 2^31 - 1 particles '{}' {}; no place can have more", name, at);
    case EventFault::endless:
      return fmt::format(
          "immediate events happened 10^6 times {}; their changes must make the "
          "conditions false",
          at);
    case EventFault::tooFast:
    case EventFault::tooFastAtStart:
      return fmt::format(
          "the rate of '{}' is about {:.3g} 1/s {}, too many events for a window of a place; set a "
          "shorter events.window",
          name, rate, at);
    case EventFault::none:
      break;
  }
  return {};
}

}  // namespace mass::detail
