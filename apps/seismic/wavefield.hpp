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
  /// Creates the places, at rest. @param mass must outlive this
  Wavefield(mass::Mass& mass, const Parameters& parameters);

  const mass::Places<Ground<Real>>& places() const { return places_; }
  /// Advances the waves.
  void advance(mass::Steps steps) const;
  /// Returns the number of steps done.
  std::int64_t step() const;
  /// Returns the energy of motion and strain in J: see Ground::energy.
  double energy() const;

 private:
  /// Stress that a unit of the source's tensor releases in consecutive steps, Pa.
  struct Release {
    std::int64_t firstStep = 0;
    mass::SharedSource<Real> stress{};

    std::int64_t endStep() const { return firstStep + stress.size; }
    bool has(std::int64_t step) const { return firstStep <= step && step < endStep(); }
  };

  /// Returns the time of the middle of a step in s.
  double timeOf(std::int64_t step) const { return (static_cast<double>(step) + 0.5) * timeStep_; }
  /// True if the source acts in a step.
  bool hasSource(std::int64_t step) const { return timeOf(step) < sourceParameters_.end(); }
  /// Returns the release from a step on, of a limited number of steps.
  Release releaseFrom(std::int64_t step) const;
  /// Advances the waves by steps with this rule for the stress, which takes the arguments `source`.
  template <auto Strain, class... Source>
  void advanceBy(mass::Steps steps, const Source&... source) const;

  const mass::Mass* mass_;
  mass::Places<Ground<Real>> places_;
  Grid<Real> grid_;
  MomentTensor<Real> tensor_;
  mass::SharedSource<Real> profiles_;  ///< of Ground::move
  mass::SharedSource<Real> source_;    ///< place of the source, of Ground::strainAtSource
  SourceParameters sourceParameters_;
  double timeStep_, volume_;  ///< s, m^3 of a cell
  mutable Release release_;   ///< cache of the steps around the present one
  bool keepsMotion_;
};

}  // namespace seismic
