#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace benchmarks {

/// Two attributes in one class.
class Both : public mass::Place<2> {
 public:
  float u = 0.5F, k = 0.1F;
  using Attributes = mass::Attributes<&Both::u, &Both::k>;

  MASS_FN void diffuse(const mass::Neighborhood<Both>& near) {
    u += k * (near.sum<&Both::u>(mass::vonNeumann<2>) - 4 * u);
  }
  MASS_FN void relax() { u = 0.5F * u + k; }
};

/// The second of them in a class of its own.
class Rate : public mass::Place<2> {
 public:
  float k = 0.1F;
  using Attributes = mass::Attributes<&Rate::k>;
};

/// The first, with rules that read the second in places of the same, coarser or finer shape.
class Heat : public mass::Place<2> {
 public:
  float u = 0.5F;
  using Attributes = mass::Attributes<&Heat::u>;

  MASS_FN void diffuse(const mass::Neighborhood<Heat>& near, const mass::Field<Rate>& rate) {
    u += rate().k * (near.sum<&Heat::u>(mass::vonNeumann<2>) - 4 * u);
  }
  MASS_FN void relax(const mass::Field<Rate>& rate) { u = 0.5F * u + rate().k; }
  MASS_FN void relaxUnder(const mass::CoarserField<Rate>& rate) { u = 0.5F * u + rate().k; }
  MASS_FN void relaxOver(const mass::FinerField<Rate>& rate) {
    u = 0.5F * u + rate(0, 0).k + rate(0, 1).k + rate(1, 0).k + rate(1, 1).k;
  }
  MASS_FN void relaxOverAll(const mass::FinerField<Rate>& rate) {
    u *= 0.5F;
    for (const Rate place : rate) u += place.k;
  }
};

/// Worlds of both kinds with an edge of `side` places, coarser ones with half of it.
struct Fields {
  mass::Places<Both> both;
  mass::Places<Heat> heat, coarseHeat;
  mass::Places<Rate> rate, coarseRate;

  Fields(mass::Mass& mass, std::int64_t side)
      : both(mass.createPlaces<Both>({side, side})),
        heat(mass.createPlaces<Heat>({side, side})),
        coarseHeat(mass.createPlaces<Heat>({side / 2, side / 2}, {.name = "coarse heat"})),
        rate(mass.createPlaces<Rate>({side, side})),
        coarseRate(mass.createPlaces<Rate>({side / 2, side / 2}, {.name = "coarse rate"})) {}
};

/// Calls of the rules, `steps` times.
inline void diffuseOneClass(const Fields& fields, mass::Steps steps) {
  fields.both.callAll<&Both::diffuse>(steps, mass::writes<&Both::u>);
}
inline void diffuseField(const Fields& fields, mass::Steps steps) {
  fields.heat.callAll<&Heat::diffuse>(steps, fields.rate);
}
inline void relaxOneClass(const Fields& fields, mass::Steps steps) {
  fields.both.callAll<&Both::relax>(steps, mass::writes<&Both::u>);
}
inline void relaxField(const Fields& fields, mass::Steps steps) {
  fields.heat.callAll<&Heat::relax>(steps, fields.rate);
}
inline void relaxCoarserField(const Fields& fields, mass::Steps steps) {
  fields.heat.callAll<&Heat::relaxUnder>(steps, fields.coarseRate);
}
inline void relaxFinerField(const Fields& fields, mass::Steps steps) {
  fields.coarseHeat.callAll<&Heat::relaxOver>(steps, fields.rate);
}
inline void relaxFinerFieldByLoop(const Fields& fields, mass::Steps steps) {
  fields.coarseHeat.callAll<&Heat::relaxOverAll>(steps, fields.rate);
}

}  // namespace benchmarks
