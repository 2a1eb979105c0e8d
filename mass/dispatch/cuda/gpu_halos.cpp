#include <mass/dispatch/cuda/gpu_halos.hpp>

#include <mass/dispatch/device_group.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/exchange/halo_message.hpp>

#include <algorithm>

namespace mass::detail {

std::vector<GhostCopy> ghostCopies(const PlaceFields& fields, std::int64_t depth) {
  const int deep = static_cast<int>(depth);
  const int rows = fields.blocks().isCut(0) ? deep : fields.domain().reach;
  return planGhosts(fields.blocks(), {rows, deep, deep}, fields.domain().borders);
}

BatchHalos BatchHalos::ofPass(const PlaceFields& fields, int steps, bool areStored) {
  BatchHalos halos{{}, std::int64_t{steps} * fields.domain().reach, areStored};
  if (areOnOneDevice(fields)) return halos;
  halos.copies = ghostCopies(fields, halos.depth);
  std::erase_if(halos.copies,
                [](const GhostCopy& copy) { return copy.fromDevice == copy.toDevice; });
  return halos;
}

std::vector<HaloMode> GpuHalos::modesFor(const PlaceFields& fields) const {
  std::vector<HaloMode> modes = selector_.choices();
  if (fields.links() == nullptr && !fields.areBlocks()) return modes;
  std::ranges::replace(modes, HaloMode::store, HaloMode::copy);
  modes.erase(std::unique(modes.begin(), modes.end()), modes.end());
  return modes;
}

void GpuHalos::refresh(const PlaceFields& fields, const std::vector<GhostCopy>& copies,
                       const std::vector<int>& components) {
  HaloTransport& transport = selector_.refreshTransport();
  transport.prepare({haloMessages(fields, copies, ghostFields(fields, components, 0))});
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    cudaStream_t stream = (*resources_)[static_cast<std::size_t>(worker.device())]->stream();
    guard_->run(failure, worker, beforeSteps, [&] {
      transport.send(worker, 0, stream);
      guard_->waitFor(stream, transport, worker);
    });
    if (!guard_->exchangeOnHost(transport, 0, beforeSteps, worker, failure)) return;
    guard_->run(failure, worker, beforeSteps + 2, [&] {
      transport.receive(worker, 0, stream);
      guard_->waitFor(stream, transport, worker);
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

HaloTransport& GpuHalos::prepared(HaloMode mode, const PlaceFields& fields,
                                  const std::vector<GhostCopy>& copies,
                                  const std::vector<int>& components) {
  HaloTransport& transport = selector_.transport(mode);
  // Step s sends from the buffer that step s + 1 reads.
  transport.prepare({haloMessages(fields, copies, ghostFields(fields, components, 1)),
                     haloMessages(fields, copies, ghostFields(fields, components, 0))});
  return transport;
}

void GpuHalos::count(const GpuKernel* rule, std::int64_t turnsPerExchange, std::int64_t steps,
                     double seconds) {
  Steps& known = steps_[rule][turnsPerExchange];
  known.count += steps;
  known.seconds += seconds;
}

std::vector<ExchangeReport> GpuHalos::reports() const {
  std::vector<ExchangeReport> reports;
  for (const auto& [rule, steps] : steps_) {
    ExchangeReport& report = reports.emplace_back();
    report.mayBeSeldom = false;
    std::int64_t most = 0;
    for (const auto& [turns, known] : steps) {
      report.steps += known.count;
      report.seconds += known.seconds;
      if (known.count <= most) continue;
      most = known.count;
      report.stepsPerExchange = static_cast<int>(turns);
      report.measured = known.seconds / static_cast<double>(known.count);
    }
  }
  return reports;
}

}  // namespace mass::detail
