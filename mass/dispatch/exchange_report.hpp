#pragma once

#include <cstdint>

namespace mass {

/// Exchange of ghost rows between the ranks or the GPUs of a run, for one rule of places. Of GPUs,
/// bytes, the times of moving and waiting, and the model of times are not known.
struct ExchangeReport {
  int stepsPerExchange = 1;  ///< steps from one exchange to the next
  bool mayBeSeldom = true;   ///< several steps are possible for rules of this kind
  std::int64_t steps = 0;    ///< all steps of the rule
  double seconds = 0;        ///< their time on this rank
  double moveSeconds = 0;    ///< part of `seconds`: packing, sending and unpacking of ghost rows
  double waitSeconds = 0;    ///< the rest of `seconds` without computing: waiting for other ranks
  double bytesPerStep =
      0;               ///< mean bytes that devices of this rank send to other devices in a step
  double latency = 0;  ///< seconds of an exchange of no bytes; 0 if not measured
  double bytesPerSecond = 0;  ///< rate of an exchange; 0 if not measured
  double predicted = 0;       ///< seconds of a step by the model of times; 0 if there is none
  double measured = 0;        ///< seconds of a step since stepsPerExchange was selected
};

}  // namespace mass
