#include <mass/model/agent_file.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/io/csv_reader.hpp>
#include <mass/io/schema.hpp>
#include <mass/model/agent_output.hpp>
#include <mass/random/philox.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// What a file may say of agents, with what it says of all of them.
struct Column {
  std::string name;
  ElementType type;
  std::vector<char> values{};
  bool isGiven = false;
};

/// Identity, place, and all components of the attributes, in this order: the columns that a table
/// of agents has.
std::vector<Column> columnsOf(const AgentsState& population) {
  std::vector<std::size_t> attributes(population.attributes.size());
  std::iota(attributes.begin(), attributes.end(), std::size_t{0});
  std::vector<Column> columns;
  for (const FieldArray& array : agentColumns(population, attributes)) {
    for (std::size_t k = 0; k < array.components; ++k) {
      columns.push_back({array.componentName(k), array.type});
    }
  }
  // Not all that an unsigned integer may be: the next identity must be one, too.
  columns.front().type = ElementType::int64;
  return columns;
}

class AgentFile {
 public:
  AgentFile(AgentsState& population, const std::filesystem::path& file)
      : population_(&population), reader_(file), columns_(columnsOf(population)) {
    for (const std::string& name : reader_.columns()) order_.push_back(find(name));
    for (int axis = 0; axis < domain().dimensions; ++axis) {
      const Column& along = columns_[static_cast<std::size_t>(axis) + 1];
      if (!along.isGiven) {
        reader_.fail(
            fmt::format("there is no column '{}', which says where agents are to be", along.name));
      }
    }
  }

  void populate();

 private:
  const Domain& domain() const { return population_->fields->places().domain(); }
  std::size_t find(const std::string& name);
  std::int64_t lastOf(std::size_t column) const;
  void addNewcomer();
  std::int64_t placeOfLast() const;

  AgentsState* population_;
  CsvReader reader_;
  std::vector<Column> columns_;
  std::vector<std::size_t> order_;  ///< the column that each column of the file is
  std::vector<NewAgent> newcomers_;
  std::unordered_map<std::uint64_t, std::int64_t> lineOf_;   ///< by identity
  std::unordered_map<std::int64_t, std::int64_t> agentsOn_;  ///< by place
};

/// The number of the column of that name.
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
    reader_.fail(fmt::format(
        "agents '{}' have no '{}'{}; columns may be {}", population_->name, CsvReader::shown(name),
        nearest.empty() ? "" : "; did you mean '" + nearest + "'?", fmt::join(names, ", ")));
  }
  found->isGiven = true;
  return static_cast<std::size_t>(found - columns_.begin());
}

/// The last value of a column of 64-bit integers.
std::int64_t AgentFile::lastOf(std::size_t column) const {
  const std::vector<char>& values = columns_[column].values;
  std::int64_t value = 0;
  std::memcpy(&value, values.data() + values.size() - sizeof value, sizeof value);
  return value;
}

std::int64_t AgentFile::placeOfLast() const {
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain().dimensions); ++axis) {
    const std::int64_t along = lastOf(axis + 1);
    const std::int64_t extent = domain().shape[axis];
    if (along < 0 || along >= extent) {
      reader_.fail(fmt::format("there is no {} {}: they are numbered from 0 to {}",
                               columns_[axis + 1].name, along, extent - 1));
    }
    place = place * extent + along;
  }
  return place;
}

/// Takes down the agent of the line that was read.
void AgentFile::addNewcomer() {
  const std::int64_t place = placeOfLast();
  const std::int64_t id =
      columns_[0].isGiven ? lastOf(0) : static_cast<std::int64_t>(newcomers_.size());
  if (id < 0) reader_.fail(fmt::format("'id' = {}: identities are 0 or more", id));
  if (static_cast<std::uint64_t>(id) >= RandomKey::indices) {
    reader_.fail(
        fmt::format("'id' = {}: identities are less than 2^40 = {}", id, RandomKey::indices));
  }
  newcomers_.push_back({place, static_cast<std::uint64_t>(id)});
  const auto [earlier, isNew] = lineOf_.emplace(newcomers_.back().id, reader_.line());
  if (!isNew) {
    reader_.fail(fmt::format("there is an agent with the identity {} on line {} already", id,
                             earlier->second));
  }
  const std::int64_t capacity = population_->fields->traits().capacity;
  if (capacity > 0 && ++agentsOn_[place] > capacity) {
    reader_.fail(fmt::format("the place has room for {} of the agents '{}', and this is one more",
                             capacity, population_->name));
  }
}

void AgentFile::populate() {
  while (reader_.next()) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      Column& column = columns_[order_[i]];
      reader_.read(i, column.type, column.values);
    }
    addNewcomer();
  }
  AgentFields& agents = *population_->fields;
  std::vector<const void*> initial;
  std::size_t number = static_cast<std::size_t>(domain().dimensions) + 1;
  for (const Component& component : agents.traits().components) {
    Column& column = columns_[number++];
    const auto* const value = component.initial.data();
    for (std::size_t i = 0; i < newcomers_.size() && !column.isGiven; ++i) {
      column.values.insert(column.values.end(), value, value + component.elementSize);
    }
    initial.push_back(column.values.data());
  }
  createAgents(agents, newcomers_, initial);
  agents.nextId = 0;
  for (const NewAgent& newcomer : newcomers_) {
    agents.nextId = std::max(agents.nextId, newcomer.id + 1);
  }
}

}  // namespace

void populateFrom(AgentsState& population, const std::filesystem::path& file) {
  AgentFile(population, file).populate();
}

}  // namespace mass::detail
