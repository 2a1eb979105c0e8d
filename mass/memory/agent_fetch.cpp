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
    case AgentArray::allIds:
      return memory(band.table.allIds);
    case AgentArray::allComponents:
      return memory(band.table.allComponents[k], traits.components[k].elementSize);
  }
  return {};
}

namespace {

FetchRange rangeOf(const ArrayMemory& memory, std::int64_t first, std::int64_t count) {
  return {memory.at(first), static_cast<std::size_t>(count) * memory.elementSize};
}

}  // namespace

FetchRange sourceOf(const Fetch& fetch, const AgentTraits& traits, const AgentBand& from) {
  return rangeOf(memoryOf(from, traits, fetch.from.array, fetch.component), fetch.from.element,
                 fetch.count);
}

FetchRange targetOf(const Fetch& fetch, const AgentTraits& traits, const AgentBand& to) {
  return rangeOf(memoryOf(to, traits, fetch.to.array, fetch.component), fetch.to.element,
                 fetch.count);
}

FetchAddresses addressesOf(const Fetch& fetch, const AgentTraits& traits, const AgentBand& from,
                           const AgentBand& to) {
  const FetchRange target = targetOf(fetch, traits, to);
  return {sourceOf(fetch, traits, from).data, target.data, target.bytes};
}

FetchAddresses addressesOf(const Fetch& fetch, const AgentFields& agents) {
  return addressesOf(fetch, agents.traits(), agents.band(fetch.fromDevice),
                     agents.band(fetch.toDevice));
}

void RankFetches::add(const Fetch& fetch, const AgentBand& from, const AgentBand& to) {
  const bool isFromHere = devices_->isLocal(fetch.fromDevice);
  const bool isToHere = devices_->isLocal(fetch.toDevice);
  if (isFromHere == isToHere) return;
  if (isFromHere) {
    const FetchRange source = sourceOf(fetch, *traits_, from);
    packets_.send(devices_->rankOf(fetch.toDevice), devices_->device(fetch.fromDevice), source.data,
                  source.bytes);
  } else {
    const FetchRange target = targetOf(fetch, *traits_, to);
    packets_.receive(devices_->rankOf(fetch.fromDevice), devices_->device(fetch.toDevice),
                     target.data, target.bytes);
  }
}

void RankFetches::run() {
  if (packets_.isEmpty()) return;
  packets_.start();
  packets_.finish();
}

}  // namespace mass::detail
