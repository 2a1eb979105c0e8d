#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace mass::detail::live {

/// Rectangle of places of a picture.
struct Box {
  std::int64_t top = 0, left = 0;
  std::int64_t rows = 0, columns = 0;  ///< 0: up to the last place
  /// True if all numbers are equal.
  bool operator==(const Box&) const = default;
};

/// Rule by which several places become one pixel.
enum class Reduction { mean, maximum };

/// Plane of the 3-D places of a model, in place of the picture of the run.
struct Slice {
  int axis = -1;        ///< axis across which it lies; -1: the picture of the run
  std::int64_t at = 0;  ///< position along this axis
  /// True if both are equal.
  bool operator==(const Slice&) const = default;
};

/// Asks for the next picture.
struct FrameRequest {
  Box box;
  std::int64_t width = 0, height = 0;  ///< pixels of the canvas, 1 to mostPixels
  Reduction reduction = Reduction::mean;
  std::int64_t after = -1;  ///< number of the last picture shown; a later one is sent
  std::int64_t id = 0;      ///< number of the request, which the frame has too
  Slice slice{};
};

/// Asks for the value of a place of the last picture, or of a slice.
struct ValueRequest {
  std::int64_t row = 0, column = 0;
  Slice slice{};
};

/// Asks for rows of the curves.
struct CurvesRequest {
  std::int64_t generation = 0;  ///< generation of the rows that the viewer has; see Curves
  std::int64_t from = 0;        ///< number of these rows
};

/// Asks to become the viewer who steers.
struct SteerRequest {};

/// Gives the steering up.
struct ReleaseRequest {};

/// Lets the run go on.
struct RunCommand {};

/// Stops the run after the steps in progress.
struct PauseCommand {};

/// Makes a number of steps, then pauses.
struct StepCommand {
  std::int64_t count = 1;  ///< 1 to mostSteps
};

/// Goes to a step of a recording, and pauses there.
struct GoToCommand {
  std::int64_t step = 0;  ///< 0 to mostSteps
};

/// Limits the rate.
struct LimitCommand {
  double rate = 0;  ///< steps per second, at most mostRate; 0: no limit
};

/// Changes a live setting.
struct SetCommand {
  std::string key, value;
};

/// Starts the run anew with another seed.
struct AgainCommand {
  std::int64_t seed = 0;  ///< at least 0
};

/// Computes the hash of the state, for all viewers.
struct HashCommand {};

/// Writes a checkpoint.
struct CheckpointCommand {};

/// Ends the program.
struct EndCommand {};

/// Message of a page.
using Request =
    std::variant<FrameRequest, ValueRequest, CurvesRequest, SteerRequest, ReleaseRequest,
                 RunCommand, PauseCommand, StepCommand, GoToCommand, LimitCommand, SetCommand,
                 AgainCommand, HashCommand, CheckpointCommand, EndCommand>;

inline constexpr std::size_t mostRequestBytes = 4096;  ///< size of a message of a page
inline constexpr std::int64_t mostPixels = 1 << 14;    ///< width and height of a canvas
inline constexpr std::int64_t mostSteps = 1'000'000'000'000;
inline constexpr double mostRate = 1e9;

/// Parses a message of a page: a JSON object whose member `do` names the request, and with the
/// members of that request and no others.
/// @throws InputError if it is not one, or a member has another type or is out of its range
Request parseRequest(std::string_view text);

}  // namespace mass::detail::live
