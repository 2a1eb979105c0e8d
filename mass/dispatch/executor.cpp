#include <mass/dispatch/executor.hpp>

#include <algorithm>

namespace mass {

DeviceLaunches::DeviceLaunches(const PlaceFields& fields, const Kernel& kernel, const Round& round,
                               int device) {
  for (int parity = 0; parity < 2; ++parity) {
    for (int component = 0; component < fields.components(); ++component) {
      const bool written = std::find(kernel.written.begin(), kernel.written.end(), component) !=
                           kernel.written.end();
      const bool swaps = written && !kernel.inPlace;
      const int front = fields.front(component) ^ (swaps ? parity : 0);
      in[parity].push_back(fields.buffer(component, device, front));
      out[parity].push_back(fields.buffer(component, device, swaps ? 1 - front : front));
    }
    Launch& prepared = launch[parity];
    prepared.layout = fields.layout(device);
    prepared.domain = fields.domain();
    prepared.device = device;
    prepared.firstRow = fields.partition().range(device).begin;
    prepared.arguments = kernel.arguments;
    prepared.results = kernel.results;
    if (!kernel.neighborSteps.empty()) {
      const auto& steps = kernel.neighborSteps[static_cast<std::size_t>(device)];
      prepared.neighborSteps = steps.data();
      prepared.neighborCount = static_cast<int>(steps.size());
    }
    prepared.seed = round.seed;
    prepared.population = round.population;
    prepared.call = kernel.written.empty() ? 1 : 0;
    prepared.step = fields.step + static_cast<std::uint64_t>(round.firstStep);
  }
}

Launch DeviceLaunches::at(std::int64_t step) const {
  const auto parity = static_cast<std::size_t>(step % 2);
  Launch prepared = launch[parity];
  prepared.in = in[parity].data();
  prepared.out = out[parity].data();
  prepared.step += static_cast<std::uint64_t>(step);
  return prepared;
}

std::vector<GhostField> ghostFields(const PlaceFields& fields, const std::vector<int>& components,
                                    int parity) {
  std::vector<GhostField> ghosts;
  for (const int component : components)
    ghosts.push_back({component, fields.front(component) ^ parity});
  return ghosts;
}

}  // namespace mass
