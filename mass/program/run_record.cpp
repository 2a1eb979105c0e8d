#include <mass/program/run_record.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/checksum.hpp>
#include <mass/io/regular_file.hpp>
#include <mass/support/error.hpp>
#include <mass_commit.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <string_view>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<RunState, const char*>, 4> stateNames{
    {{RunState::running, "running"},
     {RunState::finished, "finished"},
     {RunState::interrupted, "interrupted"},
     {RunState::failed, "failed"}}};

std::string nameOf(RunState state) {
  return stateNames.at(static_cast<std::size_t>(state)).second;
}

/// @throws InputError if there is no such state
RunState stateNamed(const std::string& name) {
  for (const auto& [state, text] : stateNames)
    if (name == text) return state;
  throw InputError("unknown state '{}'", name);
}

// Writing

Json toJson(const SettingValue& value) {
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

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

Json checksumOrNull(const std::string& checksum) {
  return checksum.empty() ? Json() : Json(checksum);
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

/// Returns a node of a section. @param where beginning of messages
ConfigNode nodeFrom(const Json& json, const std::string& origin, const std::string& path,
                    const std::string& key) {
  const std::string where = fmt::format("{}: '{}'", origin, path);
  if (json.is_string()) return {ConfigNode::Kind::text, where, key, json.get<std::string>()};
  if (!json.is_structured()) throw InputError("'{}' is neither a text, a list nor a section", path);
  const bool isMap = json.is_object();
  ConfigNode node{isMap ? ConfigNode::Kind::map : ConfigNode::Kind::list, where, key};
  for (const auto& [name, child] : json.items()) {
    node.add(nodeFrom(child, origin, fmt::format("{}.{}", path, name), isMap ? name : ""));
  }
  return node;
}

SettingValue valueFrom(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array() && !json.empty() && json.front().is_string())
    return json.get<std::vector<std::string>>();
  return json.get<std::vector<double>>();
}

RecordedSetting settingFrom(const std::string& name, const Json& json) {
  const auto origin = json.at("from").get<std::string>();
  const Json& value = json.at("value");
  if (value.is_object()) return {name, nodeFrom(value, origin, name, name), origin};
  return {name, valueFrom(value), origin};
}

std::vector<fs::path> pathsFrom(const Json& names) {
  std::vector<fs::path> paths;
  for (const Json& name : names) paths.emplace_back(name.get<std::string>());
  return paths;
}

/// @throws Json::exception or InputError if it is no record
RunRecord recordFrom(const Json& json) {
  RunRecord record;
  record.state = stateNamed(json.at("state"));
  for (auto [text, name] : {std::pair{&record.program, "program"},
                            {&record.version, "version"},
                            {&record.commit, "commit"},
                            {&record.compiler, "compiler"},
                            {&record.flags, "flags"},
                            {&record.backend, "backend"},
                            {&record.begin, "begin"},
                            {&record.end, "end"},
                            {&record.hash, "hash"}}) {
    if (!json.at(name).is_null()) *text = json.at(name).get<std::string>();
  }
  for (auto [path, name] : {std::pair{&record.workingFolder, "working_folder"},
                            {&record.settingsFile, "settings_file"},
                            {&record.restart, "restart"},
                            {&record.checkpoint, "checkpoint"}}) {
    if (!json.at(name).is_null()) *path = json.at(name).get<std::string>();
  }
  for (const auto& [name, value] : json.at("settings").items())
    record.settings.push_back(settingFrom(name, value));
  for (const Json& input : json.at("inputs")) {
    const Json& sum = input.at("checksum");
    record.inputs.push_back({input.at("file").get<std::string>(),
                             sum.is_null() ? std::string{} : sum.get<std::string>()});
  }
  record.seed = json.at("seed");
  record.devices = json.at("devices");
  record.threads = json.at("threads");
  record.models = json.at("models").get<std::vector<std::string>>();
  record.computeSeconds = json.at("compute_seconds");
  record.outputSeconds = json.at("output_seconds");
  record.firstStep = json.at("first_step");
  record.step = json.at("step");
  record.steps = json.at("steps");
  record.files = pathsFrom(json.at("files"));
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
  record.backend = devices.areGpus() ? "cuda" : "cpu";
  record.devices = devices.size();
  record.threads = devices.threads();
  for (int device = 0; devices.areGpus() && device < devices.size(); ++device)
    record.models.push_back(devices.device(device).model());
  record.begin = utcTime();
  return record;
}

RunRecord RunRecord::read(const fs::path& file) {
  try {
    return recordFrom(Json::parse(readRegularFile(file, largestBytes)));
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

std::string RunRecord::json() const {
  const auto textOrNull = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  Json values = Json::object();
  for (const RecordedSetting& setting : settings)
    values[setting.name] = toJson(setting, setting.origin);
  Json read = Json::array();
  for (const RunInput& input : inputs)
    read.push_back({{"file", input.file.string()}, {"checksum", textOrNull(input.checksum)}});
  const Json record{{"program", program},
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
                    {"backend", backend},
                    {"devices", devices},
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
                    {"files", namesOf(files)}};
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
        {{"file", input.file.filename().string()}, {"checksum", checksumOrNull(input.checksum)}});
  }
  return textOf({{"program", program},
                 {"version", version},
                 {"commit", commit},
                 {"compiler", compiler},
                 {"flags", flags},
                 {"settings", values},
                 {"inputs", read}},
                2);
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
