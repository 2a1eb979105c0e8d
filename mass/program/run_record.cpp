#include <mass/program/run_record.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/checksum.hpp>
#include <mass/io/regular_file.hpp>
#include <mass/program/record_json.hpp>
#include <mass/support/error.hpp>
#include <mass_commit.hpp>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <string_view>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

/// Member with the changes of settings.
constexpr const char* changesName = "changes";

constexpr std::array<std::pair<RunState, const char*>, 4> stateNames{
    {{RunState::running, "running"},
     {RunState::finished, "finished"},
     {RunState::interrupted, "interrupted"},
     {RunState::failed, "failed"}}};

std::string nameOf(RunState state) {
  return stateNames.at(static_cast<std::size_t>(state)).second;
}

// Writing

using mass::detail::toJson;

Json toJson(const ConfigNode& node) {
  if (node.isText()) return node.text();
  Json json = node.isMap() ? Json::object() : Json::array();
  if (node.isMap()) {
    for (const ConfigNode& entry : node.entries()) json[entry.key()] = toJson(entry);
  } else {
    for (const ConfigNode& item : node.items()) json.push_back(toJson(item));
  }
  return json;
}

Json toJson(const RecordedSetting& setting, const std::string& origin) {
  const Json value = std::visit([](const auto& held) { return toJson(held); }, setting.value);
  return {{"value", value}, {"from", origin}};
}

Json namesOf(const std::vector<fs::path>& paths) {
  Json names = Json::array();
  for (const fs::path& path : paths) names.push_back(path.string());
  return names;
}

Json textOrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// Returns the text of a JSON value. Bytes that are not UTF-8, as in file names, are replaced.
std::string textOf(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Returns "life.yaml:7" for "some/folder/life.yaml:7".
std::string withoutFolder(const std::string& origin) {
  return fs::path(origin).filename().string();
}

// Reading

/// @throws InputError if there is no such state
RunState stateFrom(const Member& member) {
  const auto name = member.get<std::string>();
  for (const auto& [state, text] : stateNames)
    if (name == text) return state;
  member.reject();
}

/// Returns a node of a section. @param where beginning of messages
ConfigNode nodeFrom(const Json& json, const std::string& origin, const std::string& path,
                    const std::string& key) {
  const std::string where = fmt::format("{}: '{}'", origin, path);
  if (json.is_string()) return {ConfigNode::Kind::text, where, key, json.get<std::string>()};
  if (!json.is_structured()) throw InputError("'settings.{}' is no value of a record", path);
  const bool isMap = json.is_object();
  ConfigNode node{isMap ? ConfigNode::Kind::map : ConfigNode::Kind::list, where, key};
  for (const auto& [name, child] : json.items()) {
    node.add(nodeFrom(child, origin, fmt::format("{}.{}", path, name), isMap ? name : ""));
  }
  return node;
}

RecordedSetting settingFrom(const std::string& name, const Member& member) {
  const auto origin = member.at("from").get<std::string>();
  const Member value = member.at("value");
  if (value.json().is_object()) return {name, nodeFrom(value.json(), origin, name, name), origin};
  return {name, valueFrom(value), origin};
}

/// @throws InputError if it is no record
RunRecord recordFrom(const Member& members) {
  RunRecord record;
  record.state = stateFrom(members.at("state"));
  for (auto [text, name] : {std::pair{&record.program, "program"},
                            {&record.version, "version"},
                            {&record.commit, "commit"},
                            {&record.compiler, "compiler"},
                            {&record.flags, "flags"},
                            {&record.backend, "backend"},
                            {&record.begin, "begin"},
                            {&record.end, "end"},
                            {&record.hash, "hash"}}) {
    *text = members.at(name).text();
  }
  for (auto [path, name] : {std::pair{&record.workingFolder, "working_folder"},
                            {&record.settingsFile, "settings_file"},
                            {&record.restart, "restart"},
                            {&record.checkpoint, "checkpoint"}}) {
    *path = members.at(name).text();
  }
  for (const auto& [name, setting] : members.at("settings").members())
    record.settings.push_back(settingFrom(name, setting));
  for (const Member& input : members.at("inputs").items())
    record.inputs.push_back({input.at("file").get<std::string>(), input.at("checksum").text()});
  record.seed = members.at("seed").get<std::uint64_t>();
  record.continued = members.getOr("continued", 0);
  record.endedBy = members.getOr("ended_by", std::string());
  record.ranks = members.getOr("ranks", 1);
  record.devices = members.at("devices").get<int>();
  record.threads = members.at("threads").get<int>();
  record.models = members.at("models").list<std::string>();
  record.computeSeconds = members.at("compute_seconds").get<double>();
  record.outputSeconds = members.at("output_seconds").get<double>();
  record.firstStep = members.at("first_step").get<std::int64_t>();
  record.step = members.at("step").get<std::int64_t>();
  record.steps = members.at("steps").get<std::int64_t>();
  for (const std::string& file : members.at("files").list<std::string>())
    record.files.emplace_back(file);
  if (members.has(changesName)) record.changes = changesFrom(members.at(changesName), record.step);
  return record;
}

// Beginning

/// Returns the inputs of a run, each once.
std::vector<RunInput> inputsOf(const Settings& settings, const fs::path& restart) {
  std::vector<fs::path> files;
  if (!settings.file().empty()) files.push_back(settings.file());
  if (!restart.empty()) files.push_back(restart);
  for (const fs::path& file : settings.resolved()) files.push_back(file);
  std::vector<RunInput> inputs;
  for (const fs::path& file : files) {
    const auto isSame = [&](const RunInput& input) { return input.file == file; };
    if (std::none_of(inputs.begin(), inputs.end(), isSame))
      inputs.push_back({file, fileChecksum(file)});
  }
  return inputs;
}

}  // namespace

RunRecord RunRecord::ofProgram(const std::string& program, const Compilation& compilation) {
  RunRecord record;
  record.program = program;
  record.version = MASS_VERSION;
  record.commit = MASS_COMMIT;
  record.compiler = compilation.compiler;
  record.flags = compilation.flags;
  return record;
}

RunRecord RunRecord::of(const Mass& mass, const std::string& program,
                        const Compilation& compilation, const fs::path& restart) {
  const Settings& settings = mass.settings();
  const DeviceConfig& devices = mass.devices();
  std::error_code unknown;
  RunRecord record = ofProgram(program, compilation);
  record.workingFolder = fs::current_path(unknown);
  record.settingsFile = settings.file();
  record.restart = restart;
  record.settings = settings.recorded();
  record.inputs = inputsOf(settings, restart);
  record.seed = settings.get<std::uint64_t>("seed");
  record.backend = devices.areMixed() ? "cuda and cpu" : devices.areGpus() ? "cuda" : "cpu";
  record.ranks = devices.ranks().count();
  record.devices = devices.size();
  record.threads = devices.threads();
  if (devices.areGpus()) {
    for (const int device : devices.local())
      record.models.push_back(devices.device(device).model());
  }
  record.begin = utcTime();
  return record;
}

RunRecord RunRecord::read(const fs::path& file) {
  try {
    const Json json = Json::parse(readRegularFile(file, largestBytes));
    return recordFrom({json, ""});
  } catch (const InputError& error) {
    throw InputError("'{}' is no record of a run: {}", file.string(), error.what());
  } catch (const Json::exception& error) {
    // The message begins with "[json.exception.parse_error.101] ".
    const std::string_view message = error.what();
    throw InputError("'{}' is no record of a run: {}", file.string(),
                     message.substr(std::min(message.find(' ') + 1, message.size())));
  }
}

void RunRecord::write(const fs::path& folder) const {
  writeAtomically(folder / fileName, json());
}

void RunRecord::markFailed(const fs::path& folder) {
  constexpr std::string_view running = R"("state": "running")", failed = R"("state": "failed" )";
  static_assert(running.size() == failed.size());
  const fs::path path = folder / fileName;
  const std::size_t at = readRegularFile(path, largestBytes).find(running);
  if (at == std::string::npos) throw InputError("'{}' is of no run in progress", path.string());
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  const ssize_t written =
      ::pwrite(file.number(), failed.data(), failed.size(), static_cast<off_t>(at));
  if (written != static_cast<ssize_t>(failed.size())) throw cannotWrite(path, errno);
}

std::string RunRecord::json() const {
  Json values = Json::object();
  for (const RecordedSetting& setting : settings)
    values[setting.name] = toJson(setting, setting.origin);
  Json read = Json::array();
  for (const RunInput& input : inputs)
    read.push_back({{"file", input.file.string()}, {"checksum", textOrNull(input.checksum)}});
  Json record{{"program", program},
              {"state", nameOf(state)},
              {"version", version},
              {"commit", commit},
              {"compiler", compiler},
              {"flags", flags},
              {"working_folder", workingFolder.string()},
              {"settings_file", textOrNull(settingsFile.string())},
              {"restart", textOrNull(restart.string())},
              {"settings", values},
              {"inputs", read},
              {"seed", seed},
              {"backend", backend}};
  if (continued > 0) record["continued"] = continued;
  if (ranks > 1) record["ranks"] = ranks;
  if (!changes.empty()) record[changesName] = toJson(changes);
  if (!endedBy.empty()) record["ended_by"] = endedBy;
  record.update({{"devices", devices},
                 {"models", models},
                 {"threads", threads},
                 {"begin", begin},
                 {"end", textOrNull(end)},
                 {"compute_seconds", computeSeconds},
                 {"output_seconds", outputSeconds},
                 {"first_step", firstStep},
                 {"step", step},
                 {"steps", steps},
                 {"hash", textOrNull(hash)},
                 {"checkpoint", textOrNull(checkpoint.string())},
                 {"files", namesOf(files)}});
  return textOf(record, 2) + '\n';
}

std::string RunRecord::reproducibleJson(const Schema& schema) const {
  Json values = Json::object();
  for (const RecordedSetting& setting : settings) {
    const KeyInfo* const key = schema.find(setting.name);
    if (key != nullptr && !key->affectsResults) continue;
    values[setting.name] = toJson(setting, withoutFolder(setting.origin));
  }
  Json read = Json::array();
  for (const RunInput& input : inputs) {
    // The settings file and the checkpoint of a restart differ between runs of equal results.
    if (input.file == settingsFile || input.file == restart) continue;
    read.push_back(
        {{"file", input.file.filename().string()}, {"checksum", textOrNull(input.checksum)}});
  }
  Json part{{"program", program}, {"version", version}, {"commit", commit}, {"compiler", compiler},
            {"flags", flags},     {"settings", values}, {"inputs", read}};
  if (!changes.empty()) part[changesName] = toJson(changes);
  return textOf(part, 2);
}

std::string fileChecksum(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  constexpr std::size_t pieceBytes = std::size_t{1} << 20;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  std::vector<char> piece(pieceBytes);
  std::uint64_t sum = 0;
  do {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum = checksum(piece.data(), static_cast<std::size_t>(stream.gcount()), sum);
  } while (stream);
  return stream.bad() ? std::string{} : fmt::format("{:016x}", sum);
}

std::string utcTime() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace mass::detail
