#include <mass/model/rank_requests.hpp>

#include <mass/model/engine.hpp>
#include <mass/model/rank_lists.hpp>

#include <cstdint>
#include <utility>

namespace mass::detail {

void numberByAgents(const AgentsState& agents, int device, int most, Requests& requests) {
  const AgentFields& fields = *agents.fields;
  std::vector<std::uint64_t> ids;
  std::int64_t before = 0;
  if (fields.places().links() != nullptr) {
    ids.resize(static_cast<std::size_t>(fields.band(device).own));
    fields.band(device).ids.read(ids.data(), fields.band(device).own);
  } else {
    for (int other = 0; other < device; ++other) before += fields.summary(other).own;
  }
  for (std::int64_t& order : requests.order) {
    const std::int64_t agent = order / most;
    order = order % most +
            most * (ids.empty() ? before + agent
                                : static_cast<std::int64_t>(ids[static_cast<std::size_t>(agent)]));
  }
}

void append(const Requests& requests, Requests& all) {
  all.refused += requests.refused;
  const auto add = [](const auto& values, auto& to) {
    to.insert(to.end(), values.begin(), values.end());
  };
  add(requests.targets, all.targets);
  add(requests.order, all.order);
  all.components.resize(requests.components.size());
  for (std::size_t k = 0; k < all.components.size(); ++k)
    add(requests.components[k], all.components[k]);
}

Requests ofAllRanks(Ranks& ranks, Requests own, const std::vector<std::size_t>& bytes) {
  own.components.resize(bytes.size());
  own.refused = ranks.sum(own.refused);
  if (ranks.count() == 1) return own;
  Requests all;
  all.refused = own.refused;
  all.components.resize(bytes.size());
  const std::vector<std::size_t> before = countsBeforeRanks(ranks, own.size());
  appendOfRanks(ranks, own.targets, before, 1, all.targets);
  appendOfRanks(ranks, own.order, before, 1, all.order);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    appendOfRanks(ranks, own.components[k], before, bytes[k], all.components[k]);
  return all;
}

}  // namespace mass::detail
