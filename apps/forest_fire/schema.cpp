#include <apps/forest_fire/setup.hpp>

namespace forest_fire {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("rows", 256, "sites", "height of the forest").atLeast(1);
  schema.add("columns", 256, "sites", "width of the forest").atLeast(1);
  schema.add("growth", 0.005, "1/step", "probability p that an empty site grows a tree")
      .between(0, 1)
      .live();
  schema.add("lightning", 5.0e-6, "1/step", "probability f that lightning strikes a tree")
      .between(0, 1)
      .live();
  schema.add("density", 0.3, "", "probability of a tree on a site at the start").between(0, 1);
  return schema;
}

mass::Program program() {
  return {"forest_fire", "Trees grow, lightning strikes, fires spread.", schema(), setUp};
}

}  // namespace forest_fire
