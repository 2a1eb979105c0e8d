#include <mass/program/setting_change.hpp>

#include <mass/program/record_json.hpp>

#include <algorithm>
#include <variant>

namespace mass::detail {

Json toJson(const SettingValue& value) {
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

SettingValue valueFrom(const Member& member) {
  const Json& json = member.json();
  if (json.is_boolean()) return member.get<bool>();
  if (json.is_number_integer()) return member.get<std::int64_t>();
  if (json.is_number()) return member.get<double>();
  if (json.is_string()) return member.get<std::string>();
  if (json.is_array() && !json.empty() && json.front().is_string())
    return member.list<std::string>();
  return member.list<double>();
}

Json toJson(const std::vector<SettingChange>& changes) {
  Json list = Json::array();
  for (const SettingChange& change : changes)
    list.push_back({{"step", change.step}, {"key", change.key}, {"value", toJson(change.value)}});
  return list;
}

std::vector<SettingChange> changesFrom(const Member& member, std::int64_t lastStep) {
  std::vector<SettingChange> changes;
  std::int64_t least = 0;
  for (const Member& item : member.items()) {
    const auto step = item.at("step").get<std::int64_t>();
    if (step < least || step > lastStep) {
      throw InputError("'{}.step' is {}; the steps of changes ascend from 0 to {}", item.path(),
                       step, lastStep);
    }
    changes.push_back({step, item.at("key").get<std::string>(), valueFrom(item.at("value"))});
    least = step;
  }
  return changes;
}

bool areBefore(const std::vector<SettingChange>& made, std::int64_t step,
               const std::vector<SettingChange>& all) {
  if (made.size() > all.size() || !std::equal(made.begin(), made.end(), all.begin())) return false;
  return made.size() == all.size() || all[made.size()].step >= step;
}

std::string toJsonText(const std::vector<SettingChange>& changes) {
  return toJson(changes).dump();
}

std::vector<SettingChange> changesFromJson(std::string_view text, std::int64_t lastStep) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return changesFrom(Member(json, "changes"), lastStep);
}

}  // namespace mass::detail
