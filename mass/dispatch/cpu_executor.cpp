#include <mass/dispatch/cpu_executor.hpp>

#include <mass/dispatch/first_failure.hpp>

#include <algorithm>

namespace mass::detail {

BatchResult CpuExecutor::run(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch) {
  std::vector<LaunchPair> launchPairs;
  std::uint64_t overflowedWords = 0, lost = 0;
  for (int device = 0; device < fields.devices().size(); ++device) {
    launchPairs.emplace_back(fields, kernel, batch, device);
    for (Launch& launch : launchPairs.back().launch) {
      launch.scatter.overflowedWords = &overflowedWords;
      launch.scatter.lost = &lost;
    }
  }
  // Ghosts are refreshed only for a rule that reads them: what is stale before the first step, what
  // the rule itself wrote before the others.
  // What moves in place is read and written where it belongs.
  const auto first = transport_->prepare(fields, ghostFields(fields, batch.stale, 0));
  std::unique_ptr<HaloExchange> later[2];
  const bool exchangesLater = batch.exchanges && !kernel.sends && !batch.doubled.empty();
  for (int parity = 0; parity < 2 && exchangesLater; ++parity) {
    later[parity] = transport_->prepare(fields, ghostFields(fields, batch.doubled, parity));
  }
  const KernelFunction functions[2] = {batch.streamsInPlace ? kernel.moving->even : kernel.function,
                                       batch.streamsInPlace ? kernel.moving->odd : kernel.function};

  FirstFailure failure;
  fields.devices().run([&](const Worker& worker) {
    const LaunchPair& device = launchPairs[static_cast<std::size_t>(worker.device())];
    const auto [begin, end] = worker.share(units(device.launch[0].layout));
    WorkTimer timer(batch.times, worker);
    for (std::int64_t step = 0; step < batch.steps; ++step) {
      if (step == 0 ? batch.exchanges : exchangesLater) {
        (step == 0 ? first : later[step % 2])->refresh(worker);
        worker.barrier();
      }
      timer.start();
      try {
        functions[(step + (fields.aaSwapped ? 1 : 0)) % 2](device.at(step), begin, end);
      } catch (...) {
        failure.record(step, worker);
      }
      timer.stop();
      worker.barrier();
      if (failure.hasFailedBy(step)) break;
    }
  });
  return {std::min(batch.steps, failure.step()), false, overflowedWords, lost, failure.exception()};
}

void CpuExecutor::refresh(const PlaceFields& fields, const std::vector<int>& components) {
  const auto exchange = transport_->prepare(fields, ghostFields(fields, components, 0));
  fields.devices().run([&](const Worker& worker) { exchange->refresh(worker); });
}

void CpuExecutor::restoreLayout(const PlaceFields& fields) {
  const StepBatch batch{.streamsInPlace = true};
  std::vector<LaunchPair> launchPairs;
  for (int device = 0; device < fields.devices().size(); ++device)
    launchPairs.emplace_back(fields, Kernel{}, batch, device);
  fields.devices().run([&](const Worker& worker) {
    const Launch launch = launchPairs[static_cast<std::size_t>(worker.device())].at(0);
    const auto [begin, end] = worker.share(units(launch.layout));
    fields.aaKernel->restoreLayout(launch, begin, end);
  });
}

}  // namespace mass::detail
