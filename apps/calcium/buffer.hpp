#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace calcium {

/// Rates of a buffer.
struct BufferRates {
  double binding;    ///< rate of a pair of molecules in one site, 1/s
  double unbinding;  ///< rate of a bound molecule, 1/s
};

/// Site of a cell with a buffer of calcium, Ca + Buf <-> CaBuf (Lin et al. 2017, section 4.2).
/// Numbers are molecules.
class BufferSite : public mass::Place<3> {
 public:
  std::int32_t calcium = 0, buffer = 0, bound = 0;
  std::int8_t arm = -1;  ///< arm of the cell to which the site belongs
  using Attributes = mass::Attributes<&BufferSite::calcium, &BufferSite::buffer, &BufferSite::bound,
                                      mass::constant<&BufferSite::arm>>;

  MASS_FN double binding(const BufferRates& k) const { return k.binding * calcium * buffer; }
  MASS_FN void bind() { --calcium, --buffer, ++bound; }
  MASS_FN double unbinding(const BufferRates& k) const { return k.unbinding * bound; }
  MASS_FN void unbind() { ++calcium, ++buffer, --bound; }

  using B = BufferSite;
  using Events =
      mass::Events<mass::event<&B::binding, &B::bind, mass::reads<&B::calcium, &B::buffer>>,
                   mass::event<&B::unbinding, &B::unbind, mass::reads<&B::bound>>,
                   mass::hop<&B::calcium>, mass::hop<&B::buffer>, mass::hop<&B::bound>>;

  /// Returns the free calcium if the site belongs to an arm, else 0.
  MASS_FN double calciumOf(int number) const { return arm == number ? calcium : 0; }
};

/// Site as BufferSite in the limit of many molecules: mean numbers that follow the rates.
class BufferField : public mass::Place<3> {
 public:
  static constexpr auto reads = mass::alongAxes;
  double calcium = 0, buffer = 0, bound = 0;
  std::int8_t arm = -1;
  using Attributes = mass::Attributes<&BufferField::calcium, &BufferField::buffer,
                                      &BufferField::bound, mass::constant<&BufferField::arm>>;

  /// Makes one explicit step.
  /// @param step s
  /// @param ofCalcium, ofBuffer D dt / h^2 of calcium, and of the buffer free and bound
  MASS_FN void advance(const mass::Neighborhood<BufferField>& near, const BufferRates& k,
                       double step, double ofCalcium, double ofBuffer) {
    if (arm < 0) return;
    double calciumFlux = 0, bufferFlux = 0, boundFlux = 0;
    for (const auto& offset : mass::vonNeumann<3>) {
      const BufferField next = near(offset);
      if (next.arm < 0) continue;
      calciumFlux += next.calcium - calcium;
      bufferFlux += next.buffer - buffer;
      boundFlux += next.bound - bound;
    }
    const double change = step * (k.binding * calcium * buffer - k.unbinding * bound);
    calcium += ofCalcium * calciumFlux - change;
    buffer += ofBuffer * bufferFlux - change;
    bound += ofBuffer * boundFlux + change;
  }

  MASS_FN double calciumOf(int number) const { return arm == number ? calcium : 0; }
};

}  // namespace calcium
