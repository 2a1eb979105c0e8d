#include <apps/sugarscape/setup.hpp>

namespace sugarscape {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema
      .add("rules", "classic", "",
           "rules of Epstein & Axtell (classic) or of MASS's Sugarscape (mass)")
      .oneOf({"classic", "mass"});
  schema.add("size", 50, "places", "height and width of the world").between(1, 1 << 20);
  schema.add("agents", 0, "", "number of agents at the start; auto (0) = one per five places")
      .atLeast(0)
      .orAuto();
  schema.add("growth", 1, "1/step", "classic: growth of sugar on a place")
      .between(0, hillHeight)
      .live();
  schema
      .add("replacement", true, "",
           "classic: agents also die of age, and each dead agent is replaced by a new one")
      .live();
  schema
      .add("tries", 8, "1/step",
           "classic: largest number of moves that an agent tries while others take its places")
      .between(1, 1000)
      .live();
  schema.add("wealth_bin", 20, "", "width of a bin of the table's histogram of wealth")
      .between(1, 1 << 20);
  return schema;
}

mass::Program program() {
  return {"sugarscape",
          "Agents gather sugar, and their wealth becomes unequal (Epstein & Axtell 1996).",
          schema(), setUp};
}

}  // namespace sugarscape
