#include <apps/predation/setup.hpp>

namespace predation {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("size", 100, "places", "height and width of the world").between(1, 1 << 20);
  schema.add("sheep", 400, "", "number of sheep at the start").atLeast(0);
  schema.add("wolves", 200, "", "number of wolves at the start").atLeast(0);
  schema.add("regrowth", 30, "steps", "time until eaten grass has grown again")
      .between(1, 1 << 30)
      .live();
  schema.add("sheep_gain", 4.0, "", "energy that a sheep gains by eating grass; a step costs 1")
      .atLeast(0)
      .live();
  schema.add("wolf_gain", 20.0, "", "energy that a wolf gains by eating a sheep; a step costs 1")
      .atLeast(0)
      .live();
  schema.add("sheep_birth", 0.04, "1/step", "probability that a sheep has a lamb")
      .between(0, 1)
      .live();
  schema.add("wolf_birth", 0.05, "1/step", "probability that a wolf has a cub")
      .between(0, 1)
      .live();
  return schema;
}

mass::Program program() {
  return {"predation", "Wolves eat sheep, sheep eat grass (Wilensky 1997).", schema(), setUp};
}

}  // namespace predation
