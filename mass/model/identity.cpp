#include <mass/model/identity.hpp>

#include <mass/model/rank_requests.hpp>
#include <mass/model/rule_arguments.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Makes the views of a class up to date. @param withAttributes see AgentExecutor
void update(AgentsState& state, bool withAttributes) {
  AgentFields& agents = *state.fields;
  state.engine->agentExecutor->refreshIdentities(agents, withAttributes);
  IdentityViews& views = state.identities;
  DeviceConfig& devices = state.engine->devices;
  views.byDevice.resize(static_cast<std::size_t>(devices.size()));
  views.addresses.resize(views.byDevice.size());
  for (const int device : devices.local()) {
    const auto [missing, isNew] = views.missing.try_emplace(device, devices.device(device));
    if (isNew) missing->second.reserve(1, 0, 0);
    const AgentBand& band = agents.band(device);
    auto& addresses = views.addresses[static_cast<std::size_t>(device)];
    addresses.clear();
    for (const auto& array : devices.size() > 1 ? band.table.allComponents : band.front)
      addresses.push_back(array.data());
    views.byDevice[static_cast<std::size_t>(device)] = {band.identitySlots(devices.size()),
                                                        addresses.data(), missing->second.data()};
  }
}

/// Gifts to the agents of a device, by receiver.
class Gifts {
 public:
  /// @param all requests of all ranks
  /// @param first position of the first agent of the device @param agents number of agents there
  Gifts(const Requests& all, std::int64_t first, std::int64_t agents)
      : order_(all.order), begins_(static_cast<std::size_t>(agents) + 1) {
    const auto forEach = [&](const auto& body) {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (first <= all.targets[i] && all.targets[i] < first + agents)
          body(i, static_cast<std::size_t>(all.targets[i] - first));
    };
    forEach([&](std::size_t, std::size_t receiver) { ++begins_[receiver + 1]; });
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    gifts_.resize(begins_.back());
    std::vector<std::size_t> next = begins_;
    forEach([&](std::size_t gift, std::size_t receiver) { gifts_[next[receiver]++] = gift; });
  }

  /// True if there are none.
  bool isEmpty() const { return gifts_.empty(); }
  /// Calls body(receiver, gift) for all gifts, those to an agent in the order of the givers.
  template <class Body>
  void forEach(const Body& body) {
    for (std::size_t receiver = 0; receiver + 1 < begins_.size(); ++receiver) {
      const std::span here(gifts_.data() + begins_[receiver],
                           begins_[receiver + 1] - begins_[receiver]);
      std::ranges::sort(here, {}, [&](std::size_t gift) { return order_[gift]; });
      for (const std::size_t gift : here) body(receiver, gift);
    }
  }

 private:
  std::span<const std::int64_t> order_;  // by gift
  std::vector<std::size_t> begins_;      // by receiver: index of its first gift in gifts_
  std::vector<std::size_t> gifts_;
};

/// Adds gifts to the attribute of agents on a device. @param first position of the first of them
void addGifts(const AnyGiveSource& source, const Requests& all, AgentBand& band,
              std::int64_t first) {
  Gifts gifts(all, first, band.own);
  if (gifts.isEmpty()) return;
  const std::size_t bytes = all.components[0].size() / all.size();
  auto& array = band.front[static_cast<std::size_t>(source.component)];
  std::vector<char> values(static_cast<std::size_t>(band.own) * bytes);
  array.read(values.data(), static_cast<std::int64_t>(values.size()));
  gifts.forEach([&](std::size_t receiver, std::size_t gift) {
    source.add(values.data() + receiver * bytes, all.components[0].data() + gift * bytes);
  });
  array.write(values.data(), static_cast<std::int64_t>(values.size()));
}

/// Returns the bytes of an amount.
std::size_t bytesOf(const AnyGiveSource& gifts) {
  const auto& components = gifts.agents->fields->traits().components;
  return components[static_cast<std::size_t>(gifts.component)].elementSize;
}

}  // namespace

void align(const AnyIdentitySource& agents, PlacesState& reader) {
  requireSameMass(*agents.agents->home, reader);
}

void align(const AnyGiveSource& gifts, PlacesState& reader) {
  requireAlone(*reader.engine, "Give");
  requireSameMass(*gifts.agents->home, reader);
}

void setViews(AnyIdentitySource& agents, const PlacesState& /*reader*/) {
  update(*agents.agents, true);
  agents.byDevice = agents.agents->identities.byDevice.data();
}

void setViews(AnyGiveSource& gifts, const PlacesState& reader) {
  AgentsState& state = *gifts.agents;
  const AgentFields& givers = gifts.givers->synchronizedFields();
  update(state, false);
  IdentityViews& found = state.identities;
  auto& views = found.gifts[gifts.component];
  DeviceConfig& devices = state.engine->devices;
  views.resize(static_cast<std::size_t>(devices.size()));
  for (const int device : devices.local()) {
    RequestList& list =
        found.giftLists.try_emplace(std::pair(gifts.component, device), devices.device(device))
            .first->second;
    const AgentBand& band = givers.band(device);
    list.prepare(requestCapacity(band.own, gifts.most, reader), {bytesOf(gifts)});
    const IdentityView& agents = found.byDevice[static_cast<std::size_t>(device)];
    views[static_cast<std::size_t>(device)] = {agents.slots, list.view(), band.ids.data(),
                                               agents.missing};
  }
  gifts.byDevice = views.data();
}

void finish(AnyGiveSource& gifts) {
  AgentsState& state = *gifts.agents;
  AgentFields& agents = *state.fields;
  DeviceConfig& devices = state.engine->devices;
  Requests own;
  for (const int device : devices.local())
    append(state.identities.giftLists.at({gifts.component, device}).take(), own);
  const Requests all = ofAllRanks(devices.ranks(), std::move(own), {bytesOf(gifts)});
  if (all.refused > 0) {
    throw UsageError(
        "calls of a rule made {} gifts to agents '{}' more than Give declares: raise the maximum, "
        "the second template argument of mass::Give",
        all.refused, state.name);
  }
  if (all.size() == 0) return;
  std::int64_t first = firstLocalAgent(agents);
  for (const int device : devices.local()) {
    addGifts(gifts, all, agents.band(device), first);
    first += agents.band(device).own;
  }
  agents.markChanged();
}

std::uint64_t missingIdentities(const AgentsState& agents) {
  std::uint64_t total = 0;
  for (const auto& [device, missing] : agents.identities.missing) {
    std::uint64_t here = 0;
    missing.read(&here, 1);
    total += here;
  }
  return agents.identities.formerMissing + agents.engine->devices.ranks().sum(total);
}

void restoreMissing(AgentsState& agents, std::uint64_t former) {
  constexpr std::uint64_t none = 0;
  for (auto& [device, missing] : agents.identities.missing) missing.write(&none, 1);
  agents.identities.formerMissing = former;
}

}  // namespace mass::detail
