#pragma once

#include <apps/calcium/kinetics.hpp>

namespace calcium {

/// Time step of explicit finite differences.
struct TimeStep {
  double seconds;
  double calcium, ip3;  ///< D dt / h^2 of the diffusion
};

/// Site of a dendrite as Dendrite in the limit of many molecules: concentrations in uM that follow
/// the rates of the events.
class DendriteField : public mass::Place<1> {
 public:
  double calcium = 0;         ///< in the cytosol
  double stored = 0;          ///< calcium in the endoplasmic reticulum (ER)
  double ip3 = 0;             ///< in the cytosol
  double freeShare = 1;       ///< share of free inhibiting sites of the receptors
  bool isStimulated = false;  ///< the injection of IP3 reaches the site
  using Attributes =
      mass::Attributes<&DendriteField::calcium, &DendriteField::stored, &DendriteField::ip3,
                       &DendriteField::freeShare, mass::constant<&DendriteField::isStimulated>>;

  MASS_FN double calciumIn(const Kinetics& /*k*/) const { return calcium; }
  MASS_FN double storedIn(const Kinetics& /*k*/) const { return stored; }
  MASS_FN double ip3In(const Kinetics& /*k*/) const { return ip3; }
  /// Returns the share of open receptors: (m n)^3 s000 with s000 = h^3.
  MASS_FN double open(const Kinetics& k) const {
    return k.activated(calcium, ip3) * freeShare * freeShare * freeShare;
  }

  /// Makes one explicit step.
  MASS_FN void advance(const mass::Neighborhood<DendriteField>& near, const Kinetics& k,
                       const TimeStep& step) {
    const DendriteField left = near(-1), right = near(1);
    const double outflow =
        (k.release * open(k) + k.leak) * (stored - calcium) - k.pumped(calcium);  // molecules/s
    const double sites = (k.freeShare(calcium) - freeShare) / k.tau;
    calcium += step.calcium * (left.calcium + right.calcium - 2 * calcium) +
               step.seconds * k.cytosolic * outflow;
    stored += step.calcium * (left.stored + right.stored - 2 * stored) -
              step.seconds * k.reticular * outflow;
    ip3 += step.ip3 * (left.ip3 + right.ip3 - 2 * ip3);
    freeShare += step.seconds * sites;
  }

  MASS_FN void start(const mass::Here<1>& /*here*/, const Kinetics& /*k*/, const Initial& initial) {
    calcium = initial.calcium;
    stored = initial.stored;
    ip3 = initial.ip3;
    freeShare = initial.freeShare;
  }
  MASS_FN void stimulate(const mass::Here<1>& /*here*/, const Kinetics& /*k*/,
                         const Stimulus& stimulus) {
    if (isStimulated) ip3 = stimulus.applied(ip3);
  }
};

}  // namespace calcium
