#pragma once

#include <apps/calcium/kinetics.hpp>

#include <cstdint>

namespace calcium {

/// Site of a dendrite whose IP3 receptors have three inhibiting binding sites each (Lin et al.
/// 2017, section 4.6.5): a receptor in state s_ijk has calcium bound to its site 1 if i is 1, and
/// so on. Only s000 lets calcium pass. All numbers are molecules.
/// @tparam Axes 1: a straight dendrite; 3: sites within a neuron
template <int Axes>
class Dendrite : public mass::Place<Axes> {
 public:
  std::int32_t calcium = 0;  ///< in the cytosol
  std::int32_t stored = 0;   ///< calcium in the endoplasmic reticulum (ER)
  std::int32_t ip3 = 0;
  std::int32_t s000 = 0, s001 = 0, s010 = 0, s011 = 0, s100 = 0, s101 = 0, s110 = 0, s111 = 0;
  bool isStimulated = false;  ///< the injection of IP3 reaches the site
  using D = Dendrite;
  using Attributes =
      mass::Attributes<&D::calcium, &D::stored, &D::ip3, &D::s000, &D::s001, &D::s010, &D::s011,
                       &D::s100, &D::s101, &D::s110, &D::s111, mass::constant<&D::isStimulated>>;

  // --- concentrations in uM ---
  MASS_FN double calciumIn(const Kinetics& k) const { return k.cytosolic * calcium; }
  MASS_FN double storedIn(const Kinetics& k) const { return k.reticular * stored; }
  MASS_FN double ip3In(const Kinetics& k) const { return k.cytosolic * ip3; }

  // --- calcium between the ER and the cytosol, in molecules/s ---
  /// Returns the share of open receptors: (m n)^3 s000 / receptors.
  MASS_FN double open(const Kinetics& k) const {
    const std::int32_t all = s000 + s001 + s010 + s011 + s100 + s101 + s110 + s111;
    return all == 0 ? 0 : k.activated(calciumIn(k), ip3In(k)) * s000 / all;
  }
  /// Returns the flux through receptors and leaks out of the ER.
  MASS_FN double release(const Kinetics& k) const {
    return (k.release * open(k) + k.leak) * storedIn(k);
  }
  /// Returns the flux through receptors, leaks and pumps into the ER.
  MASS_FN double uptake(const Kinetics& k) const {
    return (k.release * open(k) + k.leak) * calciumIn(k) + k.pumped(calciumIn(k));
  }
  MASS_FN void toCytosol() { --stored, ++calcium; }
  MASS_FN void toReticulum() { --calcium, ++stored; }

  // --- inhibiting sites of receptors: calcium binds at (1 - h) / tau and leaves at h / tau ---
  MASS_FN std::int32_t freeSites() const {
    return 3 * s000 + 2 * (s001 + s010 + s100) + s011 + s101 + s110;
  }
  MASS_FN std::int32_t boundSites() const {
    return 3 * s111 + 2 * (s011 + s101 + s110) + s001 + s010 + s100;
  }
  MASS_FN double inhibition(const Kinetics& k) const {
    const double h = k.freeShare(calciumIn(k));
    return (freeSites() * (1 - h) + boundSites() * h) / k.tau;
  }
  /// Lets calcium bind to a site of a receptor or leave one.
  /// @param drawn selects one of 8 states and 3 sites
  MASS_FN void changeReceptor(double drawn, const Kinetics& k) {
    std::int32_t* const states[] = {&s000, &s001, &s010, &s011, &s100, &s101, &s110, &s111};
    const double h = k.freeShare(calciumIn(k));
    int state = 0, site = 0;
    for (int i = 0; i < 24 && drawn >= 0; ++i) {
      const bool isBound = (i / 3 >> i % 3 & 1) != 0;
      const double rate = *states[i / 3] * (isBound ? h : 1 - h) / k.tau;
      if (!(rate > 0)) continue;
      state = i / 3, site = i % 3;  // the last possible change if rounding leaves a rest of `drawn`
      drawn -= rate;
    }
    --*states[state], ++*states[state ^ 1 << site];
  }

  using Events =
      mass::Events<mass::event<&D::release, &D::toCytosol>,
                   mass::event<&D::uptake, &D::toReticulum,
                               mass::reads<&D::calcium, &D::ip3, &D::s000, &D::s001, &D::s010,
                                           &D::s011, &D::s100, &D::s101, &D::s110, &D::s111>>,
                   mass::event<&D::inhibition, &D::changeReceptor,
                               mass::reads<&D::calcium, &D::s000, &D::s001, &D::s010, &D::s011,
                                           &D::s100, &D::s101, &D::s110, &D::s111>>,
                   mass::hop<&D::calcium>, mass::hop<&D::stored>, mass::hop<&D::ip3>>;

  /// Sets the initial concentrations, and a state for each receptor.
  MASS_FN void start(const mass::Here<Axes>& here, const Kinetics& k, const Initial& initial) {
    auto random = here.random();
    calcium = wholeNumber(random, initial.calcium / k.cytosolic);
    stored = wholeNumber(random, initial.stored / k.reticular);
    ip3 = wholeNumber(random, initial.ip3 / k.cytosolic);
    std::int32_t* const states[] = {&s000, &s001, &s010, &s011, &s100, &s101, &s110, &s111};
    for (int receptor = 0; receptor < initial.receptors; ++receptor) {
      int state = 0;
      for (int site = 0; site < 3; ++site)
        state |= static_cast<int>(!random.bernoulli(initial.freeShare)) << site;
      ++*states[state];
    }
  }
  MASS_FN void stimulate(const mass::Here<Axes>& here, const Kinetics& k,
                         const Stimulus& stimulus) {
    if (!isStimulated) return;
    auto random = here.random();
    ip3 = wholeNumber(random, stimulus.applied(ip3In(k)) / k.cytosolic);
  }
};

}  // namespace calcium
