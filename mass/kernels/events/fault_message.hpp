#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/support/export.hpp>

#include <string>
#include <string_view>

namespace mass::detail {

/// Returns the text of an attribute in a list, as ", buffer 0". @param isFirst omits the comma
MASS_EXPORT std::string attributeText(std::string_view name, double value, bool isFirst);

/// Returns the message of a fault.
/// @param name rate of the event, or count of the particles @param rate the rate in 1/s
/// @param seconds time since the start of the call of runEvents @param state attributes of the
/// place
MASS_EXPORT std::string faultMessage(EventFault fault, std::string_view name, double rate,
                                     double seconds, std::string_view state);

}  // namespace mass::detail
