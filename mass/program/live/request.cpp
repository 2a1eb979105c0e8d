#include <mass/program/live/request.hpp>

#include <mass/support/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace mass::detail::live {
namespace {

using Value = nlohmann::json;

constexpr std::int64_t mostPlaces = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t longestText = 256;

/// Members of a message, which are read one by one.
class Members {
 public:
  /// @throws InputError if `text` is no JSON object
  explicit Members(std::string_view text) : json_(Value::parse(text, nullptr, false)) {
    if (!json_.is_object()) throw InputError("a message must be a JSON object");
  }

  /// Returns an integer. @throws InputError if it is absent, or not within [low, high]
  std::int64_t integer(const char* name, std::int64_t low, std::int64_t high) {
    return integerOf(member(name), name, low, high);
  }

  /// Returns integers of at least 0. @throws InputError if there are not N of them
  template <std::size_t N>
  std::array<std::int64_t, N> integers(const char* name, std::int64_t low, std::int64_t high) {
    const Value& list = member(name);
    if (!list.is_array() || list.size() != N)
      throw InputError("'{}' must be a list of {} integers", name, N);
    std::array<std::int64_t, N> values{};
    for (std::size_t i = 0; i < N; ++i) values[i] = integerOf(list[i], name, low, high);
    return values;
  }

  /// Returns a number. @throws InputError if it is absent, or not within [low, high]
  double number(const char* name, double low, double high) {
    const Value& value = member(name);
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!(number >= low && number <= high))
      throw InputError("'{}' must be a number from {} to {}", name, low, high);
    return number;
  }

  /// Returns a text without control characters.
  /// @throws InputError if it is absent or too long
  std::string text(const char* name) {
    const Value& value = member(name);
    if (!value.is_string()) throw InputError("'{}' must be a text", name);
    auto text = value.get<std::string>();
    const auto isControl = [](char c) {
      return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    };
    if (text.size() > longestText || std::ranges::any_of(text, isControl))
      throw InputError("'{}' must be one line of at most {} bytes", name, longestText);
    return text;
  }

  /// True if the message has the member.
  bool has(const char* name) const { return json_.contains(name); }

  /// @throws InputError if a member has not been read
  void requireAllRead() const {
    for (const auto& entry : json_.items())
      if (!read_.contains(entry.key())) throw InputError("a message has an unknown member");
  }

 private:
  const Value& member(const char* name) {
    read_.insert(name);
    const auto found = json_.find(name);
    if (found == json_.end()) throw InputError("a message lacks the member '{}'", name);
    return *found;
  }

  static std::int64_t integerOf(const Value& value, const char* name, std::int64_t low,
                                std::int64_t high) {
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(mostPlaces)
                          : value.is_number_integer();
    const std::int64_t number = fits ? value.get<std::int64_t>() : 0;
    if (!fits || number < low || number > high)
      throw InputError("'{}' must be an integer from {} to {}", name, low, high);
    return number;
  }

  Value json_;
  std::set<std::string> read_;
};

/// Returns the slice of a message; that of the picture of the run without the member.
Slice sliceOf(Members& members) {
  if (!members.has("slice")) return {};
  const auto slice = members.integers<2>("slice", 0, mostPlaces);
  if (slice[0] > 2) throw InputError("'slice' must begin with an axis, 0 to 2");
  return {static_cast<int>(slice[0]), slice[1]};
}

FrameRequest frameOf(Members& members) {
  FrameRequest request;
  if (members.has("box")) {
    const auto box = members.integers<4>("box", 0, mostPlaces);
    request.box = {box[0], box[1], box[2], box[3]};
  }
  const auto size = members.integers<2>("size", 1, mostPixels);
  request.width = size[0];
  request.height = size[1];
  const std::string reduction = members.text("reduce");
  if (reduction != "mean" && reduction != "maximum")
    throw InputError("'reduce' must be 'mean' or 'maximum'");
  request.reduction = reduction == "mean" ? Reduction::mean : Reduction::maximum;
  request.after = members.integer("after", -1, mostPlaces);
  request.id = members.integer("id", 0, mostPlaces);
  request.slice = sliceOf(members);
  return request;
}

ValueRequest valueOf(Members& members) {
  const auto place = members.integers<2>("place", 0, mostPlaces);
  return {place[0], place[1], sliceOf(members)};
}

SetCommand settingOf(Members& members) {
  SetCommand command{members.text("key"), members.text("value")};
  if (command.key.empty() || command.key.find('=') != std::string::npos)
    throw InputError("'key' must be the name of a setting");
  return command;
}

Request requestOf(const std::string& name, Members& members) {
  if (name == "frame") return frameOf(members);
  if (name == "value") return valueOf(members);
  if (name == "curves") {
    return CurvesRequest{members.integer("generation", 0, mostPlaces),
                         members.integer("from", 0, mostPlaces)};
  }
  if (name == "hash") return HashCommand{};
  if (name == "steer") return SteerRequest{};
  if (name == "release") return ReleaseRequest{};
  if (name == "run") return RunCommand{};
  if (name == "pause") return PauseCommand{};
  if (name == "step") return StepCommand{members.integer("count", 1, mostSteps)};
  if (name == "go") return GoToCommand{members.integer("step", 0, mostSteps)};
  if (name == "limit") return LimitCommand{members.number("rate", 0, mostRate)};
  if (name == "set") return settingOf(members);
  if (name == "again") return AgainCommand{members.integer("seed", 0, mostPlaces)};
  if (name == "checkpoint") return CheckpointCommand{};
  if (name == "end") return EndCommand{};
  throw InputError("'do' names no request");
}

}  // namespace

Request parseRequest(std::string_view text) {
  if (text.size() > mostRequestBytes)
    throw InputError("a message has {} bytes; at most {} are read", text.size(), mostRequestBytes);
  Members members(text);
  Request request = requestOf(members.text("do"), members);
  members.requireAllRead();
  return request;
}

}  // namespace mass::detail::live
