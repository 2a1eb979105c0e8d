#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace mass::detail {

/// Changes by rules that act together: they become the state after all rules have run.
class DeferredChanges {
 public:
  /// Records the change of some places or agents. @param fields its PlaceFields or AgentFields
  /// @param accept makes the change their state
  void add(const void* fields, std::function<void()> accept) {
    changes_.push_back({fields, std::move(accept)});
  }
  /// True if a change of these places or agents is recorded.
  bool has(const void* fields) const {
    return std::ranges::count(changes_, fields, &Change::fields) > 0;
  }
  /// Makes all changes the state.
  void accept() const {
    for (const Change& change : changes_) change.accept();
  }

 private:
  struct Change {
    const void* fields;
    std::function<void()> accept;
  };
  std::vector<Change> changes_;
};

}  // namespace mass::detail
