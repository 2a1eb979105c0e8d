#pragma once

#include <mass/io/settings.hpp>
#include <mass/program/live/curves.hpp>
#include <mass/program/live/frame.hpp>
#include <mass/program/live/request.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mass::detail {
struct ModelRun;
}

namespace mass::detail::live {

/// Owner of a run with a view.
enum class ViewHost {
  program,   ///< program, which waits at the last step until all pages are closed
  caller,    ///< caller of Run::step(), who decides on the number of steps
  recording  ///< player of a recorded run, which goes to any of its steps
};

/// State of a run, as a page shows it.
struct Status {
  std::int64_t step = 0, lastStep = 0;
  double time = 0;  ///< physical time of the step, in seconds
  std::string
      state;  ///< "waiting", "running", "paused", "ended"; "idle" between two steps of a caller
  double rate = 0;   ///< steps per second
  double limit = 0;  ///< limit of the rate; 0: none
  std::int64_t viewers = 0;
  bool isLed = false;                         ///< a viewer steers
  bool isOwn = false;                         ///< the viewer who gets this steers
  std::map<std::string, std::string> values;  ///< live settings, as YAML
  /// True if all is equal.
  bool operator==(const Status&) const = default;
};

/// Returns the description of a run that a page gets first, in JSON: name, model, devices, columns,
/// settings.
std::string describe(const ModelRun& model, ViewHost host);
/// Returns the present values of the settings that may change during a run, as YAML.
std::map<std::string, std::string> liveValues(const Settings& settings);
std::string toJson(const Status& status);
/// Returns names, bounds and colours of a picture. @param frame drawn from `picture`
std::string legendOf(const Picture& picture, const Frame& frame);
/// Returns the length of a header as 4 bytes, lowest first, the header of a frame in JSON, and its
/// pixels in as few bits each as all need: 1, 2, 4 or 8, the first pixel in the lowest bits of the
/// first byte; then the row and the column of each point in two bytes each, lowest first.
/// @param number counts the pictures of the run @param step step of the picture
/// @param id number of the request
std::string toBytes(const Picture& picture, const Frame& frame, std::int64_t number,
                    std::int64_t step, std::int64_t id);
/// Returns the value of a place; null without one.
std::string valueText(std::optional<float> value, const ValueRequest& request, std::int64_t step);
/// Returns the value of a place; null if it is absent or beyond the picture.
std::string valueText(const Picture& picture, const ValueRequest& request, std::int64_t step);
/// Returns the rows that a viewer lacks.
std::string rowsText(const Curves& curves, const CurvesRequest& request);
std::string hashText(std::int64_t step, std::uint64_t hash);
/// Returns a message for the user.
std::string noteText(const std::string& text, bool isError);

}  // namespace mass::detail::live
