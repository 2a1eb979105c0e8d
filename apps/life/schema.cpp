#include <apps/life/setup.hpp>

namespace life {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("rows", 512, "cells", "height of the world").atLeast(1);
  schema.add("columns", 512, "cells", "width of the world").atLeast(1);
  schema
      .add("rule", "", "",
           "rule such as B3/S23, B2-a/S12, B2/S345/C4 or HighLife; empty = that of the pattern, "
           "else B3/S23")
      .live();
  schema
      .add("border", "periodic", "",
           "cells beyond an edge: those at the opposite edge (periodic), or dead cells (dead)")
      .oneOf({"periodic", "dead"});
  schema.add(
      "pattern", "", "",
      ".rle, .cells or .lif file to place in the centre, relative to this file; empty = random "
      "cells");
  schema
      .add("storage", "bytes", "",
           "memory of a cell: a byte, or a bit, which takes an eighth of the memory; for rules of "
           "two "
           "states")
      .oneOf({"bytes", "bits"});
  schema.add("density", 0.3, "", "probability that a random cell is alive").between(0, 1);
  return schema;
}

mass::Program program() {
  return {"life", "The Game of Life, by any Life-like rule, from a pattern file or random cells.",
          schema(), setUp};
}

}  // namespace life
