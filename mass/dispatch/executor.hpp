#pragma once

#include <mass/dispatch/device_times.hpp>
#include <mass/dispatch/kernel.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <exception>
#include <vector>

namespace mass::detail {

/// Some steps of a rule, as the Dispatcher asks for them.
struct StepBatch {
  std::int64_t steps = 1;
  std::int64_t firstStep = 0;   ///< of a part of a longer round: even, so that buffers lie alike
  bool exchanges = false;       ///< the rule reads neighbours, and there are ghosts
  bool streamsInPlace = false;  ///< what is streamed stays in its buffer
  std::vector<int> stale{};  ///< components whose ghosts are to be refreshed before the first step
  std::vector<int> doubled{};  ///< those that have their next state beside the present one
  std::uint64_t seed = 0;
  std::uint32_t population = 0;
  DeviceTimes* times = nullptr;  ///< where to add what the devices have worked; may be null
};

/// What became of them.
struct BatchResult {
  std::int64_t steps = 0;             ///< that were completed
  bool ghostsFresh = false;           ///< the ghosts of what was written are up to date
  std::uint64_t overflowedWords = 0;  ///< codes that found the first word of a bag full
  std::uint64_t lost = 0;             ///< codes for which there was no room
  std::exception_ptr failure{};
};

/// Carries out the steps of a rule on all devices: one class for each kind of device.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual BatchResult run(const PlaceFields& fields, const Kernel& kernel,
                          const StepBatch& batch) = 0;
  /// Brings the ghosts of some components up to date.
  virtual void refresh(const PlaceFields& fields, const std::vector<int>& components) = 0;
  /// Brings what has moved in place to where it belongs, after an odd number of steps.
  virtual void restoreLayout(const PlaceFields& fields) = 0;
};

/// The pointers of one device's launches for even and odd steps, which differ only in which buffer
/// is read.
struct LaunchPair {
  std::vector<const void*> in[2];
  std::vector<void*> out[2];
  Launch launch[2];
  /// Where codes arrive that are sent to other rows than the band's: of each of these, the buffers
  /// that `beyond` points at.
  std::vector<std::vector<void*>> outBeyond[2];
  std::vector<RemoteRow> beyond[2];

  LaunchPair(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch, int device);
  /// The launch of a step of the round.
  Launch at(std::int64_t step) const;

 private:
  void addBeyond(const PlaceFields& fields, int device, int parity);
};

/// The components `components` in the buffers that are in front at even (0) or odd (1) steps.
std::vector<GhostField> ghostFields(const PlaceFields& fields, const std::vector<int>& components,
                                    int parity);

}  // namespace mass::detail
