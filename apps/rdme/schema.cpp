#include <apps/rdme/rdme.hpp>

namespace rdme {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.addTree("model", "the reaction-diffusion model, in physical units");
  schema.add("output.profile_of", "", "",
             "a species whose numbers in every layer along z go into the table, and into a picture "
             "over space and time");
  schema.add("output.period_from", 0.0, "s", "when its period begins to be measured").atLeast(0);
  return schema;
}

}  // namespace rdme
