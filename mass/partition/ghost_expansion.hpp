#pragma once

namespace mass::detail {

// Model of the time of R steps with ghost layers of R times the reach: equations 2 to 7 of Liu and
// Perumalla 2018 (B2R), for cubic subdomains of B^3 cells at a reach of delta. Beside the library's
// own model (prediction.hpp), for comparisons with that paper.

/// Subdomain of a node and the ghost layers around it.
struct CubicSubdomain {
  double side = 1;   ///< B in cells
  double reach = 1;  ///< delta in cells
  double steps = 1;  ///< R
};

/// Straight line y = slope x + offset (equation 1), in seconds.
struct LinearTime {
  double slope = 0;   ///< seconds for a cell or byte
  double offset = 0;  ///< seconds for a call or message
};

/// Seconds in which a CPU makes R steps, each with `reach` layers less (equation 2).
double cpuSeconds(const LinearTime& cell, const CubicSubdomain& cube);
/// Seconds in which a GPU makes R steps of the whole expanded cube (equation 3).
double gpuSeconds(const LinearTime& cell, const CubicSubdomain& cube);
/// Seconds of the messages to all neighbours (equations 4 and 5).
double messageSeconds(const LinearTime& cell, const CubicSubdomain& cube);
/// Seconds of the copies between GPU and host (equation 6).
double copySeconds(const LinearTime& cell, const CubicSubdomain& cube);

/// Constants of a cluster of GPUs.
struct GpuCluster {
  LinearTime compute;   ///< a_c^G, b_c^G
  LinearTime messages;  ///< a_m^M, b_m^M
  LinearTime copies;    ///< a_m^G, b_m^G
};
/// Seconds of one step (equation 7).
double gpuStepSeconds(const GpuCluster& cluster, const CubicSubdomain& cube);

}  // namespace mass::detail
