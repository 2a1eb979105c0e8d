#include <mass/memory/agent_fetch.hpp>

namespace mass::detail {

void append(std::vector<Fetch>& fetches, const Fetch& fetch) {
  if (fetch.count > 0) fetches.push_back(fetch);
}

void appendComponents(std::vector<Fetch>& fetches, Fetch fetch, int components) {
  for (fetch.component = 0; fetch.component < components; ++fetch.component) append(fetches, fetch);
}

ArrayMemory memoryOf(const AgentBand& band, const AgentTraits& traits, AgentArray array,
                     int component) {
  const auto k = static_cast<std::size_t>(component);
  const auto offspring = static_cast<std::size_t>(traits.offspring);
  // `values` are the elements of the vector that an element of the array consists of.
  const auto memory = [](const auto& vector, std::size_t values = 1) {
    return ArrayMemory{reinterpret_cast<char*>(vector.data()), values * sizeof(*vector.data())};
  };
  switch (array) {
    case AgentArray::ids:
      return memory(band.ids);
    case AgentArray::nextIds:
      return memory(band.nextIds);
    case AgentArray::first:
      return memory(band.first);
    case AgentArray::nextFirst:
      return memory(band.nextFirst);
    case AgentArray::targets:
      return memory(band.targets);
    case AgentArray::births:
      return memory(band.births);
    case AgentArray::birthplaces:
      return memory(band.birthplaces, offspring);
    case AgentArray::front:
      return memory(band.front[k], traits.components[k].elementSize);
    case AgentArray::back:
      return memory(band.back[k], traits.components[k].elementSize);
    case AgentArray::children:
      return memory(band.children[k], offspring * traits.components[k].elementSize);
    case AgentArray::moveStates:
      return memory(band.scratch.moveStates);
    case AgentArray::sentPlaces:
      return memory(band.scratch.sentPlaces);
    case AgentArray::decisions:
      return memory(band.scratch.decisions);
    case AgentArray::freePlaceList:
      return memory(band.scratch.freePlaceList);
    case AgentArray::allFreePlaceList:
      return memory(band.scratch.allFreePlaceList);
  }
  return {};
}

FetchAddresses addressesOf(const Fetch& fetch, const AgentTraits& traits, const AgentBand& from,
                           const AgentBand& to) {
  const ArrayMemory source = memoryOf(from, traits, fetch.from.array, fetch.component);
  const ArrayMemory target = memoryOf(to, traits, fetch.to.array, fetch.component);
  return {source.at(fetch.from.element), target.at(fetch.to.element),
          static_cast<std::size_t>(fetch.count) * target.elementSize};
}

FetchAddresses addressesOf(const Fetch& fetch, const AgentFields& agents) {
  return addressesOf(fetch, agents.traits(), agents.band(fetch.fromDevice),
                     agents.band(fetch.toDevice));
}

void RankFetches::add(const Fetch& fetch, const AgentBand& from, const AgentBand& to) {
  const bool isFromHere = devices_->isLocal(fetch.fromDevice);
  const bool isToHere = devices_->isLocal(fetch.toDevice);
  if (isFromHere == isToHere) return;
  const auto count = static_cast<std::size_t>(fetch.count);
  if (isFromHere) {
    const ArrayMemory source = memoryOf(from, *traits_, fetch.from.array, fetch.component);
    packets_.send(devices_->rankOf(fetch.toDevice), source.at(fetch.from.element),
                  count * source.elementSize);
  } else {
    const ArrayMemory target = memoryOf(to, *traits_, fetch.to.array, fetch.component);
    packets_.receive(devices_->rankOf(fetch.fromDevice), target.at(fetch.to.element),
                     count * target.elementSize);
  }
}

void RankFetches::run() {
  if (packets_.isEmpty()) return;
  packets_.start();
  packets_.finish();
}

}  // namespace mass::detail
