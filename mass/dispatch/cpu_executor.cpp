#include <mass/dispatch/cpu_executor.hpp>

#include <mass/dispatch/failure.hpp>

#include <algorithm>

namespace mass {

Outcome CpuExecutor::run(const PlaceFields& fields, const Kernel& kernel, const Round& round) {
  std::vector<DeviceLaunches> launches;
  std::uint64_t overflowedWords = 0, lost = 0;
  for (int device = 0; device < fields.devices().size(); ++device) {
    launches.emplace_back(fields, kernel, round, device);
    for (Launch& launch : launches.back().launch) {
      launch.scatter.overflowedWords = &overflowedWords;
      launch.scatter.lost = &lost;
    }
  }
  // Ghosts are refreshed only for a rule that reads them: what is stale before the first step, what
  // the rule itself wrote before the others.
  // What moves in place is read and written where it belongs.
  const auto first = transport_->prepare(fields, ghostFields(fields, round.stale, 0));
  std::unique_ptr<GhostExchange> later[2];
  const bool exchangesLater = round.exchanges && !kernel.sends && !round.doubled.empty();
  for (int parity = 0; parity < 2 && exchangesLater; ++parity) {
    later[parity] = transport_->prepare(fields, ghostFields(fields, round.doubled, parity));
  }
  const KernelFunction functions[2] = {round.movesInPlace ? kernel.moving->even : kernel.function,
                                       round.movesInPlace ? kernel.moving->odd : kernel.function};

  Failure failure;
  fields.devices().run([&](const Worker& worker) {
    const DeviceLaunches& device = launches[static_cast<std::size_t>(worker.device())];
    const auto [begin, end] = worker.share(units(device.launch[0].layout));
    WorkTimer timer(round.times, worker);
    for (std::int64_t step = 0; step < round.steps; ++step) {
      if (step == 0 ? round.exchanges : exchangesLater) {
        (step == 0 ? first : later[step % 2])->refresh(worker);
        worker.barrier();
      }
      timer.start();
      try {
        functions[(step + (fields.isOdd ? 1 : 0)) % 2](device.at(step), begin, end);
      } catch (...) {
        failure.record(step, worker);
      }
      timer.stop();
      worker.barrier();
      if (failure.by(step)) break;
    }
  });
  return {std::min(round.steps, failure.step()), false, overflowedWords, lost, failure.exception()};
}

void CpuExecutor::refresh(const PlaceFields& fields, const std::vector<int>& components) {
  const auto exchange = transport_->prepare(fields, ghostFields(fields, components, 0));
  fields.devices().run([&](const Worker& worker) { exchange->refresh(worker); });
}

void CpuExecutor::settle(const PlaceFields& fields) {
  const Round round{.movesInPlace = true};
  std::vector<DeviceLaunches> launches;
  for (int device = 0; device < fields.devices().size(); ++device)
    launches.emplace_back(fields, Kernel{}, round, device);
  fields.devices().run([&](const Worker& worker) {
    const Launch launch = launches[static_cast<std::size_t>(worker.device())].at(0);
    const auto [begin, end] = worker.share(units(launch.layout));
    fields.unsettled->settle(launch, begin, end);
  });
}

}  // namespace mass
