#include <mass/model/agent_file.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/io/agent_rows.hpp>
#include <mass/io/csv_reader.hpp>
#include <mass/io/schema.hpp>
#include <mass/model/agent_output.hpp>
#include <mass/random/philox.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Column that a file of agents may have, with the values that were read.
struct Column {
  std::string name;
  ElementType type;
  std::vector<char> values{};
  bool isGiven = false;
};

/// Returns the columns of a file of agents: identity, coordinates, and the components of all
/// attributes, in this order.
std::vector<Column> columnsOf(const AgentsState& population) {
  std::vector<std::size_t> attributes(population.attributes.size());
  std::iota(attributes.begin(), attributes.end(), std::size_t{0});
  std::vector<Column> columns;
  for (const FieldArray& array : agentColumns(population, attributes)) {
    for (std::size_t k = 0; k < array.components; ++k) {
      columns.push_back({array.componentName(k), array.type});
    }
  }
  // Signed, so that negative identities are reported as such; the largest is below 2^40.
  columns.front().type = ElementType::int64;
  return columns;
}

/// Reader of a file of agents.
class AgentFile {
 public:
  /// Reads the names of the columns.
  /// @throws InputError if a column is unknown or a coordinate is missing, or if there is no column
  ///   of steps and `step` is given
  AgentFile(AgentsState& population, const std::filesystem::path& file,
            std::optional<std::int64_t> step, bool allowsNan)
      : population_(&population),
        rows_(AgentRows::open(file, step)),
        columns_(columnsOf(population)),
        wanted_(step),
        allowsNan_(allowsNan) {
    findColumns();
    for (int axis = 0; axis < domain().dimensions; ++axis) {
      const Column& along = columns_[static_cast<std::size_t>(axis) + 1];
      if (!along.isGiven) {
        rows_->fail(
            fmt::format("the column '{}', a coordinate of the agents, is missing", along.name));
      }
    }
  }

  /// Reads all lines and creates the agents.
  void populate();

 private:
  const Domain& domain() const { return population_->fields->places().domain(); }
  void findColumns();
  std::size_t find(const std::string& name);
  bool isSelected();
  void readRow();
  void requireFinite(const Column& column) const;
  std::int64_t lastValue(std::size_t column) const;
  void addAgent();
  void discardAgents();
  std::int64_t lastPlace() const;

  AgentsState* population_;
  std::unique_ptr<AgentRows> rows_;
  std::vector<Column> columns_;
  std::vector<std::pair<std::size_t, std::size_t>> order_;  ///< column of the file, in columns_
  std::optional<std::size_t> steps_;                        ///< column of the file with the steps
  std::optional<std::int64_t> wanted_;                      ///< step to load; empty: the last one
  std::optional<std::int64_t> step_;  ///< step of newAgents_, or nearest to wanted_
  bool allowsNan_;
  std::vector<NewAgent> newAgents_;
  std::unordered_map<std::uint64_t, std::int64_t> rowOf_;    ///< row of each identity
  std::unordered_map<std::int64_t, std::int64_t> agentsOn_;  ///< number of agents by place
};

/// Assigns the columns of the file to those of the agents. A column 'step' that is no attribute has
/// the steps of a table.
void AgentFile::findColumns() {
  const auto isStep = [](const Column& column) { return column.name == "step"; };
  const bool isAttribute = std::any_of(columns_.begin(), columns_.end(), isStep);
  for (std::size_t i = 0; i < rows_->columns().size(); ++i) {
    const std::string& name = rows_->columns()[i];
    if (name == "step" && !isAttribute) {
      steps_ = i;
    } else {
      order_.emplace_back(i, find(name));
    }
  }
  if (wanted_ && !steps_) {
    rows_->fail(fmt::format("there is no column 'step': leave out the step, {}, to load all agents",
                            *wanted_));
  }
}

/// Returns the index in columns_ of the column `name` and marks it as given.
std::size_t AgentFile::find(const std::string& name) {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    if (column.type != ElementType::opaque) names.push_back(column.name);
  }
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
    return column.name == name && column.type != ElementType::opaque;
  });
  if (found == columns_.end()) {
    const std::string nearest = nearestName(name, names);
    std::string remedy = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
    if (name.find_first_of(";\t|") != std::string::npos)
      remedy = "; separate columns by commas, semicolons or tabs";
    rows_->fail(fmt::format("agents '{}' have no column '{}'{}; the columns are {}",
                            population_->name, CsvReader::shown(name), remedy,
                            fmt::join(names, ", ")));
  }
  found->isGiven = true;
  return static_cast<std::size_t>(found - columns_.begin());
}

/// True if the current row has the step to load. Discards the agents of earlier steps.
bool AgentFile::isSelected() {
  if (!steps_) return true;
  std::vector<char> bytes;
  rows_->read(*steps_, ElementType::int64, bytes);
  std::int64_t step = 0;
  std::memcpy(&step, bytes.data(), sizeof step);
  if (wanted_) {
    const auto distance = [&](std::int64_t other) {
      return std::abs(static_cast<double>(other) - static_cast<double>(*wanted_));
    };
    if (!step_ || distance(step) < distance(*step_)) step_ = step;
    return step == *wanted_;
  }
  if (step_ && step > *step_) discardAgents();
  step_ = std::max(step, step_.value_or(step));
  return step == *step_;
}

/// Appends the values of the current row to those of the columns.
/// @throws InputError if a cell holds no value of its column, or one that is not finite
void AgentFile::readRow() {
  for (const auto& [column, number] : order_) {
    rows_->read(column, columns_[number].type, columns_[number].values);
    if (!allowsNan_) requireFinite(columns_[number]);
  }
}

/// @throws InputError if the last value of a column is NaN or infinite
void AgentFile::requireFinite(const Column& column) const {
  withElement(column.type, [&]<class T>(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      std::memcpy(&value, column.values.data() + column.values.size() - sizeof value, sizeof value);
      if (std::isfinite(value)) return;
      rows_->fail(fmt::format(
          "'{}' is {}: attributes must be finite numbers; write a number, leave out the row, or "
          "set output.allow_nan to true if such values are meant",
          column.name, value));
    }
  });
}

/// Returns the last value of a column of 64-bit integers.
std::int64_t AgentFile::lastValue(std::size_t column) const {
  const std::vector<char>& values = columns_[column].values;
  std::int64_t value = 0;
  std::memcpy(&value, values.data() + values.size() - sizeof value, sizeof value);
  return value;
}

/// Returns the row-major index of the place of the current line.
std::int64_t AgentFile::lastPlace() const {
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain().dimensions); ++axis) {
    const std::int64_t along = lastValue(axis + 1);
    const std::int64_t extent = domain().shape[axis];
    if (along < 0 || along >= extent) {
      rows_->fail(fmt::format("'{}' = {}: it must be from 0 to {}", columns_[axis + 1].name, along,
                              extent - 1));
    }
    place = place * extent + along;
  }
  return place;
}

/// Adds the agent of the current line to newAgents_.
void AgentFile::addAgent() {
  const std::int64_t place = lastPlace();
  const std::int64_t id =
      columns_[0].isGiven ? lastValue(0) : static_cast<std::int64_t>(newAgents_.size());
  if (id < 0) rows_->fail(fmt::format("'id' = {}: it must be 0 or more", id));
  if (static_cast<std::uint64_t>(id) >= RandomKey::indices) {
    rows_->fail(fmt::format("'id' = {}: it must be less than 2^40 = {}", id, RandomKey::indices));
  }
  newAgents_.push_back({place, static_cast<std::uint64_t>(id)});
  const auto [earlier, isNew] = rowOf_.emplace(newAgents_.back().id, rows_->row());
  if (!isNew) {
    rows_->fail(
        fmt::format("'id' = {}: {} has the same identity", id, rows_->nameOf(earlier->second)));
  }
  const std::int64_t capacity = population_->fields->traits().capacity;
  if (capacity > 0 && ++agentsOn_[place] > capacity) {
    rows_->fail(fmt::format("the place is full: its capacity is {} of the agents '{}'", capacity,
                            population_->name));
  }
}

void AgentFile::discardAgents() {
  for (Column& column : columns_) column.values.clear();
  newAgents_.clear();
  rowOf_.clear();
  agentsOn_.clear();
}

void AgentFile::populate() {
  while (rows_->next()) {
    if (!isSelected()) continue;
    readRow();
    addAgent();
  }
  if (wanted_ && step_ != wanted_) {
    rows_->fail(fmt::format("no row has the step {}{}", *wanted_,
                            step_ ? fmt::format("; the nearest step is {}", *step_) : ""));
  }
  AgentFields& agents = *population_->fields;
  std::vector<const void*> initial;
  std::size_t number = static_cast<std::size_t>(domain().dimensions) + 1;
  for (const Component& component : agents.traits().components) {
    Column& column = columns_[number++];
    const auto* const value = component.initial.data();
    for (std::size_t i = 0; i < newAgents_.size() && !column.isGiven; ++i) {
      column.values.insert(column.values.end(), value, value + component.elementSize);
    }
    initial.push_back(column.values.data());
  }
  createAgents(agents, newAgents_, initial);
  agents.nextId = 0;
  for (const NewAgent& newAgent : newAgents_) {
    agents.nextId = std::max(agents.nextId, newAgent.id + 1);
  }
}

}  // namespace

void populateFrom(AgentsState& population, const std::filesystem::path& file,
                  std::optional<std::int64_t> step, bool allowsNan) {
  AgentFile(population, file, step, allowsNan).populate();
}

}  // namespace mass::detail
