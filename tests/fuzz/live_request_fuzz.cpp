// Passes arbitrary bytes to the parser of messages from the page of the live view: it must return a
// request within its bounds, or throw InputError.
#include "fuzz.hpp"

#include <mass/program/live/request.hpp>
#include <mass/support/error.hpp>

#include <string>
#include <variant>

namespace live_request {

using namespace mass::detail::live;

inline void check(const Slice& slice) {
  fuzz::require(slice.axis >= -1 && slice.axis <= 2 && slice.at >= 0);
}

inline void check(const FrameRequest& request) {
  check(request.slice);
  const auto& [top, left, rows, columns] = request.box;
  fuzz::require(top >= 0 && left >= 0 && rows >= 0 && columns >= 0);
  fuzz::require(request.width >= 1 && request.width <= mostPixels);
  fuzz::require(request.height >= 1 && request.height <= mostPixels);
  fuzz::require(request.after >= -1 && request.id >= 0);
}

inline void check(const ValueRequest& request) {
  check(request.slice);
  fuzz::require(request.row >= 0 && request.column >= 0);
}

inline void check(const StepCommand& command) {
  fuzz::require(command.count >= 1 && command.count <= mostSteps);
}

inline void check(const GoToCommand& command) {
  fuzz::require(command.step >= 0 && command.step <= mostSteps);
}

inline void check(const LimitCommand& command) {
  fuzz::require(command.rate >= 0 && command.rate <= mostRate);
}

inline void check(const SetCommand& command) {
  fuzz::require(!command.key.empty() && command.key.find('=') == std::string::npos);
  for (const char c : command.key + command.value)
    fuzz::require(static_cast<unsigned char>(c) >= ' ');
}

template <class T>
inline void check(const T&) {}

}  // namespace live_request

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto request = mass::detail::live::parseRequest(fuzz::textOf(data, size));
    std::visit([](const auto& kind) { live_request::check(kind); }, request);
  } catch (const mass::InputError&) {
  }
  return 0;
}
