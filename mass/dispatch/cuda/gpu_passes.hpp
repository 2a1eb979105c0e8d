#pragma once

#include <mass/dispatch/cuda/bit_march.hpp>
#include <mass/dispatch/cuda/gpu_halos.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/gpu_executor.hpp>
#include <mass/dispatch/launch_cache.hpp>
#include <mass/dispatch/pass_tuner.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace mass::detail {

/// Passes of several steps on GPUs (marches). The fastest number of steps is measured once and
/// cached. On several GPUs, each pass reads ghost rows for all
/// its steps, so that the GPUs exchange them once a pass.
class GpuPasses {
 public:
  /// Runs some steps one by one.
  using SingleSteps = std::function<BatchResult(const StepBatch& batch)>;

  /// Parameters but `options` must outlive this.
  GpuPasses(const DeviceConfig& devices, const GpuOptions& options, GpuHalos& halos,
            const GpuGuard& guard, const GpuResourcesByDevice& resources)
      : devices_(&devices),
        halos_(&halos),
        guard_(&guard),
        resources_(&resources),
        stepsPerPass_(options.stepsPerPass),
        stepsPerExchange_(options.stepsPerExchange) {}

  /// True if the rule may make several steps in one pass: its places march, there are ghost rows
  /// for a pass, and threads load whole packs of columns by 32-bit indices. The same on all ranks.
  bool suit(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) const;
  /// Runs the first steps of a batch, or all, by the number of steps per pass that is fastest.
  /// @pre suit()
  BatchResult run(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                  const SingleSteps& singleSteps);
  /// True if the rule may run on places that are stored as bits. The same on all ranks.
  bool suitBits(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) const;
  /// Runs the first steps of a batch on places that are stored as bits, or all. @pre suitBits()
  BatchResult runOnBits(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch);

 private:
  /// Launch of marches, rule, shape of the world, and the largest number of turns of a pass.
  using TunerKey = std::tuple<decltype(GpuKernel::launchMarch), const GpuKernel*,
                              std::array<std::int64_t, 3>, std::int64_t>;

  /// The cache serves runs of one rank: ranks must decide alike.
  bool usesCache() const { return stepsPerPass_ == 0 && devices_->ranks().count() == 1; }
  std::int64_t mostTurns(const PlaceFields& fields, int stages) const;
  std::optional<HaloMode> modeOf(const PlaceFields& fields) const;
  std::optional<BitMarchArguments> bitMarchOf(const PlaceFields& fields, const Kernel& kernel,
                                              const StepBatch& batch) const;
  std::optional<BitMarchArguments> argumentsOf(const PlaceFields& fields, const Kernel& kernel,
                                               const StepBatch& batch, double leastUpdates) const;
  std::string cacheKey(const PlaceFields& fields, const Kernel& kernel,
                       const Kernel& marching) const;
  PassTuner& tunerOf(const PlaceFields& fields, const Kernel& kernel, const Kernel& marching);
  BatchResult runBy(const PlaceFields& fields, const Kernel& kernel, const Kernel& marching,
                    const StepBatch& batch, const SingleSteps& singleSteps);
  BatchResult march(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                    int turnsPerPass) const;

  const DeviceConfig* devices_;
  GpuHalos* halos_;
  const GpuGuard* guard_;
  const GpuResourcesByDevice* resources_;
  int stepsPerPass_, stepsPerExchange_;
  LaunchCache cache_;
  std::map<TunerKey, PassTuner> tuners_;
};

}  // namespace mass::detail
