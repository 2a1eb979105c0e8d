#pragma once

#include <apps/calcium/kinetics.hpp>

#include <cstdint>

namespace calcium {

/// Site of a dendrite with one IP3 receptor, which opens at once when calcium and IP3 exceed
/// thresholds, and closes after an exponentially distributed time, -openTime ln u (Lin et al. 2017,
/// section 4.4). While both exceed their thresholds it opens again at once.
/// @tparam Axes 1: a straight dendrite; 3: sites within a neuron
template <int Axes>
class ThresholdDendrite : public mass::Place<Axes> {
 public:
  std::int32_t calcium = 0;  ///< molecules in the cytosol
  std::int32_t stored = 0;   ///< calcium in the endoplasmic reticulum (ER), in molecules
  std::int32_t ip3 = 0;      ///< molecules
  bool isOpen = false;
  bool isStimulated = false;  ///< the injection of IP3 reaches the site
  using D = ThresholdDendrite;
  using Attributes = mass::Attributes<&D::calcium, &D::stored, &D::ip3, &D::isOpen,
                                      mass::constant<&D::isStimulated>>;

  // --- concentrations in uM ---
  MASS_FN double calciumIn(const Kinetics& k) const { return k.cytosolic * calcium; }
  MASS_FN double storedIn(const Kinetics& k) const { return k.reticular * stored; }
  MASS_FN double ip3In(const Kinetics& k) const { return k.cytosolic * ip3; }

  // --- calcium between the ER and the cytosol, in molecules/s ---
  MASS_FN double open(const Kinetics& k) const {
    return isOpen ? k.activated(calciumIn(k), ip3In(k)) : 0;
  }
  /// Returns the flux through the receptor and leaks out of the ER.
  MASS_FN double release(const Kinetics& k) const {
    return (k.release * open(k) + k.leak) * storedIn(k);
  }
  /// Returns the flux through the receptor, leaks and pumps into the ER.
  MASS_FN double uptake(const Kinetics& k) const {
    return (k.release * open(k) + k.leak) * calciumIn(k) + k.pumped(calciumIn(k));
  }
  MASS_FN void toCytosol() { --stored, ++calcium; }
  MASS_FN void toReticulum() { --calcium, ++stored; }

  // --- receptor ---
  MASS_FN bool exceedsThresholds(const Kinetics& k) const {
    return !isOpen && calciumIn(k) > k.openingCalcium && ip3In(k) > k.openingIp3;
  }
  MASS_FN void openReceptor() { isOpen = true; }
  MASS_FN double closing(const Kinetics& k) const { return isOpen ? 1 / k.openTime : 0; }
  MASS_FN void closeReceptor() { isOpen = false; }

  using Events = mass::Events<
      mass::whenever<&D::exceedsThresholds, &D::openReceptor>,
      mass::event<&D::closing, &D::closeReceptor, mass::reads<&D::isOpen>>,
      mass::event<&D::release, &D::toCytosol>,
      mass::event<&D::uptake, &D::toReticulum, mass::reads<&D::calcium, &D::ip3, &D::isOpen>>,
      mass::hop<&D::calcium>, mass::hop<&D::stored>, mass::hop<&D::ip3>>;

  /// Sets the initial concentrations.
  MASS_FN void start(const mass::Here<Axes>& here, const Kinetics& k, const Initial& initial) {
    auto random = here.random();
    calcium = wholeNumber(random, initial.calcium / k.cytosolic);
    stored = wholeNumber(random, initial.stored / k.reticular);
    ip3 = wholeNumber(random, initial.ip3 / k.cytosolic);
  }
  MASS_FN void stimulate(const mass::Here<Axes>& here, const Kinetics& k,
                         const Stimulus& stimulus) {
    if (!isStimulated) return;
    auto random = here.random();
    ip3 = wholeNumber(random, stimulus.applied(ip3In(k)) / k.cytosolic);
  }
};

}  // namespace calcium
