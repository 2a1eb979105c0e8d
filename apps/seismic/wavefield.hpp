#pragma once

#include <apps/seismic/parameters.hpp>
#include <apps/seismic/seismic.hpp>

#include <mass/mass.hpp>

#include <cstdint>

namespace seismic {

/// Ground and the arguments of its rules.
template <class Real>
class Wavefield {
 public:
  /// Creates the places, at rest.
  Wavefield(mass::Mass& mass, const Parameters& parameters);

  const mass::Places<Ground<Real>>& places() const { return places_; }
  /// Advances the waves.
  void advance(mass::Steps steps) const;
  /// Returns the number of steps done.
  std::int64_t step() const;
  /// Returns the energy of motion and strain in J: see Ground::energy.
  double energy() const;

 private:
  /// Advances the waves by steps with this rule for the stress, which takes the arguments `source`.
  template <auto Strain, class... Source>
  void advanceBy(mass::Steps steps, const Source&... source) const;

  mass::Places<Ground<Real>> places_;
  Grid<Real> grid_;
  MomentTensor<Real> tensor_;
  mass::SharedSource<Real> profiles_;  ///< of Ground::move
  mass::SharedSource<Real> source_;    ///< place of the source, of Ground::strainAtSource
  mass::SharedSource<Real> release_;   ///< stress that a unit of the tensor releases, by step, Pa
  bool keepsMotion_;
};

}  // namespace seismic
