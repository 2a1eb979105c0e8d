#pragma once

#include <python/model/model.hpp>
#include <python/src/population.hpp>

#include <mass/support/chunk.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mass::python {

/// Places or agents of a class of a compiled model.
/// @tparam Class PlacesClass or AgentsClass
template <class Any, class Class, class State>
class ModelPopulation : public Population<Any> {
 public:
  /// The references must outlive this.
  ModelPopulation(Session& session, const Class& type, std::shared_ptr<State> state)
      : Population<Any>(session, Any(state)),
        type_(&type),
        state_(std::move(state)),
        chunks_(type.rules.size()) {}

  const Class& type() const { return *type_; }
  const std::shared_ptr<State>& state() const { return state_; }
  const Rule<State>& rule(std::size_t number) const { return type_->rules[number]; }
  /// Steps of a rule between two looks for signals.
  detail::Chunk& chunkOf(std::size_t number) { return chunks_.at(number); }

 private:
  const Class* type_;
  std::shared_ptr<State> state_;
  std::vector<detail::Chunk> chunks_;
};

using ModelPlaces = ModelPopulation<AnyPlaces, PlacesClass, detail::PlacesState>;
using ModelAgents = ModelPopulation<AnyAgents, AgentsClass, detail::AgentsState>;

}  // namespace mass::python
