#include <apps/schelling/setup.hpp>

namespace schelling {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("size", 100, "places", "height and width of the town").between(1, 1 << 20);
  schema.add("occupied", 0.8, "", "share of the lots that have a household").between(0, 1);
  schema
      .add("wanted", 0.375, "", "share of neighbours of the own kind above which a household stays")
      .between(0, 1)
      .live();
  return schema;
}

mass::Program program() {
  return {"schelling", "Segregation of two kinds of households (Schelling 1971).", schema(), setUp};
}

}  // namespace schelling
