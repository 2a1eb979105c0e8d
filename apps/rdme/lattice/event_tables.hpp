#pragma once

#include <apps/rdme/lattice/event_site.hpp>

#include <cstdint>
#include <vector>

namespace rdme {

struct Model;

/// Arrays of the reactions of a model under the clock of events.
struct EventTables {
  std::vector<EventReaction> reactions;
  std::vector<std::int32_t> firstOfType;
  std::vector<double> sources;

  /// Builds the arrays. @pre the clock of `model` is Clock::events
  explicit EventTables(const Model& model);

  /// Returns a view of the arrays, which must outlive it.
  EventNetwork network() const { return {reactions.data(), firstOfType.data(), sources.data()}; }
};

}  // namespace rdme
