#pragma once

#include <mass/mass.hpp>

namespace calcium {

/// Returns the share of sites that are bound at a concentration.
/// @param half concentration at which half of them are
MASS_FN inline double bound(double concentration, double half) {
  return concentration / (concentration + half);
}

/// Calcium-induced calcium release in one site of a dendrite (Lin et al. 2017, section 4.4;
/// Neymotin et al., Neural Computation 27, 898, 2015). Concentrations are in uM.
struct Kinetics {
  double cytosolic;  ///< concentration of one molecule in the cytosol of a site
  double reticular;  ///< concentration of one molecule in its endoplasmic reticulum (ER)
  double release;    ///< flux through open receptors in molecules/(s uM)
  double leak;       ///< flux through the membrane of the ER in molecules/(s uM)
  double pump;       ///< largest flux of the SERCA pumps in molecules/s
  double kIp3, kActivation, kInhibition, kPump;  ///< concentrations of half binding
  double tau;  ///< time constant of the inhibiting binding sites of a receptor in s
  /// Receptor with thresholds: concentrations above which it opens, mean time for which it is open
  /// in s.
  double openingCalcium, openingIp3, openTime;

  /// Returns (m n)^3: the share of receptors whose activating sites are bound.
  MASS_FN double activated(double calcium, double ip3) const {
    const double m = bound(ip3, kIp3), n = bound(calcium, kActivation);
    return m * m * m * n * n * n;
  }
  /// Returns h, the share of free inhibiting sites in equilibrium: K / (K + c).
  MASS_FN double freeShare(double calcium) const { return kInhibition / (kInhibition + calcium); }
  /// Returns the flux of the SERCA pumps, c^2 / (K^2 + c^2) of the largest, in molecules/s.
  MASS_FN double pumped(double calcium) const {
    return pump * calcium * calcium / (kPump * kPump + calcium * calcium);
  }
};

/// State of a site at the start. Concentrations are in uM.
struct Initial {
  double calcium, stored, ip3;
  double freeShare;  ///< share of free inhibiting sites
  int receptors;     ///< receptors in a site
};

/// Injection of IP3.
struct Stimulus {
  double ip3;  ///< uM
  bool adds;   ///< true: in addition to the present concentration; false: in place of it

  /// Returns the concentration after the injection.
  MASS_FN double applied(double present) const { return adds ? present + ip3 : ip3; }
};

/// Returns a number of molecules with a given mean: one of the two nearest whole numbers.
MASS_FN inline std::int32_t wholeNumber(mass::Random& random, double mean) {
  const auto whole = static_cast<std::int32_t>(mean);
  return whole + static_cast<std::int32_t>(random.bernoulli(mean - whole));
}

}  // namespace calcium
