#include <apps/rdme/setup.hpp>

namespace rdme {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.addTree("model", "reaction-diffusion model, in physical units");
  schema.add("events.step", 1.0, "ms", "length of a step of the run of a model with clock: events")
      .between(1e-9, 1e9);
  schema.add("output.profile_of", "", "",
             "species whose particles in each layer along z are written to the table and drawn as "
             "a kymograph");
  schema
      .add("output.period_from", 0.0, "s",
           "time from which the oscillation period of that species is measured")
      .atLeast(0);
  return schema;
}

mass::Program program() {
  return {"rdme",
          "Reactions and diffusion of single particles on a lattice, by the MPD-RDME method.",
          schema(), setUp};
}

}  // namespace rdme
