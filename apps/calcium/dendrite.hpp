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

  // --- fluxes from the ER to the cytosol and back, in molecules/s ---
  /// Returns the share of open receptors: (m n)^3 s000 / receptors.
  MASS_FN double open(const Kinetics& k) const {
    const std::int32_t all = s000 + s001 + s010 + s011 + s100 + s101 + s110 + s111;
    return all == 0 ? 0 : k.activated(calciumIn(k), ip3In(k)) * s000 / all;
  }
  MASS_FN double release(const Kinetics& k) const { return k.release * open(k) * storedIn(k); }
  MASS_FN double backflow(const Kinetics& k) const { return k.release * open(k) * calciumIn(k); }
  MASS_FN double leakOut(const Kinetics& k) const { return k.leak * storedIn(k); }
  MASS_FN double leakIn(const Kinetics& k) const { return k.leak * calciumIn(k); }
  MASS_FN double pump(const Kinetics& k) const { return k.pumped(calciumIn(k)); }
  MASS_FN void toCytosol() { --stored, ++calcium; }
  MASS_FN void toReticulum() { --calcium, ++stored; }

  // --- receptors ---
  /// Returns the rate at which calcium binds to a given site of the receptors in a state.
  template <auto State>
  MASS_FN double binding(const Kinetics& k) const {
    return this->*State * (1 - k.freeShare(calciumIn(k))) / k.tau;
  }
  /// Returns the rate at which calcium leaves a given site of the receptors in a state.
  template <auto State>
  MASS_FN double unbinding(const Kinetics& k) const {
    return this->*State * k.freeShare(calciumIn(k)) / k.tau;
  }
  template <auto From, auto To>
  MASS_FN void change() {
    --(this->*From), ++(this->*To);
  }

  template <auto Free, auto Bound>
  static constexpr auto binds =
      mass::event<&Dendrite::binding<Free>, &Dendrite::change<Free, Bound>,
                  mass::reads<&Dendrite::calcium, Free>>;
  template <auto Free, auto Bound>
  static constexpr auto unbinds =
      mass::event<&Dendrite::unbinding<Bound>, &Dendrite::change<Bound, Free>,
                  mass::reads<&Dendrite::calcium, Bound>>;

  static constexpr auto allButStored =
      mass::reads<&D::calcium, &D::ip3, &D::s000, &D::s001, &D::s010, &D::s011, &D::s100, &D::s101,
                  &D::s110, &D::s111>;
  using Events = mass::Events<mass::event<&D::release, &D::toCytosol>,
                              mass::event<&D::backflow, &D::toReticulum, allButStored>,
                              mass::event<&D::leakOut, &D::toCytosol, mass::reads<&D::stored>>,
                              mass::event<&D::leakIn, &D::toReticulum, mass::reads<&D::calcium>>,
                              mass::event<&D::pump, &D::toReticulum, mass::reads<&D::calcium>>,  //
                              binds<&D::s000, &D::s100>, unbinds<&D::s000, &D::s100>,  // site 1
                              binds<&D::s001, &D::s101>, unbinds<&D::s001, &D::s101>,  //
                              binds<&D::s010, &D::s110>, unbinds<&D::s010, &D::s110>,  //
                              binds<&D::s011, &D::s111>, unbinds<&D::s011, &D::s111>,  //
                              binds<&D::s000, &D::s010>, unbinds<&D::s000, &D::s010>,  // site 2
                              binds<&D::s001, &D::s011>, unbinds<&D::s001, &D::s011>,  //
                              binds<&D::s100, &D::s110>, unbinds<&D::s100, &D::s110>,  //
                              binds<&D::s101, &D::s111>, unbinds<&D::s101, &D::s111>,  //
                              binds<&D::s000, &D::s001>, unbinds<&D::s000, &D::s001>,  // site 3
                              binds<&D::s010, &D::s011>, unbinds<&D::s010, &D::s011>,  //
                              binds<&D::s100, &D::s101>, unbinds<&D::s100, &D::s101>,  //
                              binds<&D::s110, &D::s111>, unbinds<&D::s110, &D::s111>,  //
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
