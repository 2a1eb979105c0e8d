#include <mass/dispatch/migration/agent_launches.hpp>

#include <cstddef>
#include <utility>

namespace mass::detail {

void AgentViews::update(const AgentFields& agents) {
  pointers.resize(static_cast<std::size_t>(agents.devices()));
  byDevice.resize(pointers.size());
  for (const int device : agents.localDevices()) {
    const AgentBand& band = agents.band(device);
    auto& components = pointers[static_cast<std::size_t>(device)];
    components.clear();
    for (const auto& array : band.front) components.push_back(array.data());
    byDevice[static_cast<std::size_t>(device)] = {band.bins,       components.data(),
                                                  band.ids.data(), band.first.data(),
                                                  agents.farthest, band.targets.data()};
  }
}

AgentLaunches::AgentLaunches(const AgentRun& run, const AgentKernel& kernel)
    : agents_(run.agents), kernel_(&kernel) {
  views_.update(*agents_);
  placeRule_.arguments = kernel.arguments;
  placeRule_.neighborSteps = kernel.neighborSteps;
  const StepBatch batch{
      .doubleBuffered = kernel.takesBesideReads() ? kernel.taken : std::vector<int>{},
      .seed = run.seed,
      .population = run.population};
  auto* results = static_cast<char*>(kernel.results);
  for (const int device : agents_->localDevices()) {
    const AgentBand& band = agents_->band(device);
    places_.emplace_back(*run.places, placeRule_, batch, device);
    auto& out = out_.emplace_back();
    for (const auto& array : kernel.inPlace ? band.front : band.back) out.push_back(array.data());
    auto& children = children_.emplace_back();
    for (const auto& array : band.children) children.push_back(array.data());
    results_.push_back(results);
    results += static_cast<std::size_t>(band.own) * kernel.resultBytes;
  }
}

AgentLaunch AgentLaunches::on(int device) const {
  const auto local = static_cast<std::size_t>(device - agents_->localDevices().front());
  const AgentBand& band = agents_->band(device);
  AgentLaunch launch{.places = places_[local].at(0),
                     .agents = views_.byDevice[static_cast<std::size_t>(device)],
                     .bin = band.bin.data(),
                     .out = out_[local].data(),
                     .targets = band.targets.data(),
                     .births = band.births.data(),
                     .children = children_[local].data(),
                     .birthplaces = band.birthplaces.data(),
                     .results = results_[local]};
  launch.places.step = agents_->step;
  launch.places.call = kernel_->reads ? 1 : 0;
  return launch;
}

void prepareTaken(PlaceFields& places, const AgentKernel& kernel) {
  if (!kernel.takesBesideReads()) return;
  for (const int component : kernel.taken) places.copyToBackBuffer(component);
}

namespace {

/// Makes what a rule has written the state.
void accept(const AgentRun& run, const AgentKernel& kernel) {
  for (const int component : kernel.taken) {
    if (kernel.takesBesideReads())
      run.places->setFront(component, 1 - run.places->front(component));
    run.places->refreshPadding(component);
  }
  AgentFields& agents = *run.agents;
  for (const int device : agents.localDevices()) {
    if (kernel.inPlace) break;
    AgentBand& band = agents.band(device);
    for (const int component : kernel.written) {
      const auto k = static_cast<std::size_t>(component);
      std::swap(band.front[k], band.back[k]);
    }
  }
  ++agents.step;
  if (!kernel.written.empty()) agents.markChanged();
}

}  // namespace

void commitRule(const AgentRun& run, const AgentKernel& kernel) {
  if (kernel.reads) return;
  run.agents->hasIntents = run.agents->hasIntents || kernel.hasIntents;
  if (DeferredChanges* const deferred = run.dispatcher->deferred()) {
    deferred->add(run.agents, [run, kernel] { accept(run, kernel); });
  } else {
    accept(run, kernel);
  }
}

}  // namespace mass::detail
