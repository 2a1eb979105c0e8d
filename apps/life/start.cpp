#include <apps/life/start.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace life {
namespace {

/// Rule of a run.
struct ChosenRule {
  NamedRule rule;
  /// Throws the error about the text of the rule.
  std::function<void(std::string_view)> refuse;
};

ChosenRule ruleOf(const mass::Settings& settings, const std::optional<Pattern>& pattern) {
  const auto text = settings.get<std::string>("rule");
  if (!text.empty()) {
    try {
      return {parseRule(text),
              [&settings](std::string_view message) { settings.reject("rule", message); }};
    } catch (const mass::InputError& error) {
      settings.reject("rule", error.what());
    }
  }
  if (!pattern || !pattern->rule) return {};
  const auto refuse = [where = pattern->rule->where](std::string_view message) {
    throw mass::InputError("{}: {}", where, message);
  };
  return {pattern->rule->parse(), refuse};
}

std::string describe(const BoundedGrid& grid) {
  return fmt::format("rows={}, columns={} and border={}", grid.rows, grid.columns,
                     grid.isTorus ? "periodic" : "dead");
}

/// Sets the shape and border of the world.
void chooseWorld(const mass::Settings& settings, const ChosenRule& chosen, Start& start) {
  BoundedGrid world{settings.get<std::int64_t>("rows"), settings.get<std::int64_t>("columns"),
                    settings.get<std::string>("border") == "periodic"};
  if (const auto& grid = chosen.rule.grid) {
    if (!settings.given("rows")) world.rows = grid->rows;
    if (!settings.given("columns")) world.columns = grid->columns;
    if (!settings.given("border")) world.isTorus = grid->isTorus;
    if (world != *grid) {
      chosen.refuse(fmt::format(
          "the rule is of a bounded grid, {}, but the settings have {}; set {}, or set rule={} to "
          "run it in the world of the settings",
          grid->isTorus ? "a torus" : "a plane", describe(world), describe(*grid),
          chosen.rule.table.text()));
    }
  }
  start.shape = {world.rows, world.columns};
  start.border = world.isTorus ? mass::Border::periodic : mass::Border::fixed;
}

/// @throws mass::InputError if a cell is of a state that the rule does not have
void requireStates(const Pattern& pattern, const RuleTable& rule) {
  if (pattern.states <= rule.states) return;
  const std::string marks =
      rule.states == 2
          ? fmt::format(", or to {}History if the states are marks of Golly", rule.text())
          : "";
  throw mass::InputError(
      "{}: a cell of state {}, but the rule {} has only the states 0 to {}; set rule to one of at "
      "least {} states{}",
      pattern.statesWhere, pattern.states - 1, rule.text(), rule.states - 1, pattern.states, marks);
}

/// Removes the marks of cells if a rule of the settings or of the file has the suffix History.
void removeMarks(const NamedRule& rule, Start& start) {
  if (!start.pattern) return;
  const auto& fileRule = start.pattern->rule;
  if (!rule.isHistory && !(fileRule && isHistoryRule(fileRule->text))) return;
  if (start.pattern->removeMarks()) {
    start.note = fmt::format(
        "{}: of a History rule, cells of the states 1, 3 and 5 are alive, others dead; their marks "
        "are left out",
        start.pattern->name);
  }
}

}  // namespace

Start startOf(const mass::Settings& settings) {
  Start start;
  const auto file = settings.path("pattern");
  if (!file.empty()) start.pattern = Pattern::load(file);
  const ChosenRule chosen = ruleOf(settings, start.pattern);
  start.rule = chosen.rule.table;
  chooseWorld(settings, chosen, start);
  removeMarks(chosen.rule, start);
  if (start.pattern) requireStates(*start.pattern, start.rule);
  return start;
}

RuleTable changedRule(const mass::Settings& settings, const std::string& given,
                      const RuleTable& first) {
  const auto text = settings.get<std::string>("rule");
  if (text == given) return first;
  if (text.empty()) settings.reject("rule", "name the rule to change to");
  const ChosenRule chosen = ruleOf(settings, {});
  if (chosen.rule.grid)
    settings.reject("rule", "a bounded grid cannot change during a run: leave it out");
  if (chosen.rule.table.states != first.states) {
    settings.reject("rule",
                    fmt::format("has {} states, and the run began with {}, of {}: the number "
                                "cannot change",
                                chosen.rule.table.states, first.text(), first.states));
  }
  return chosen.rule.table;
}

}  // namespace life
