#include <apps/life3d/setup.hpp>

namespace life3d {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("planes", 64, "cells", "extent of the world along z").atLeast(1);
  schema.add("rows", 64, "cells", "extent of the world along y").atLeast(1);
  schema.add("columns", 64, "cells", "extent of the world along x").atLeast(1);
  schema
      .add("rule", "B6/S5-7", "",
           "counts of living neighbours for birth and survival, such as B6/S5-7,10, or the four "
           "digits of Bays, such as 5766")
      .live();
  schema
      .add("border", "periodic", "",
           "cells beyond a face: those at the opposite face (periodic), or dead cells (dead)")
      .oneOf({"periodic", "dead"});
  schema.add("density", 0.2, "", "probability that a random cell is alive").between(0, 1);
  schema
      .add("radius", 0.0, "cells",
           "distance from the centre of the world up to which cells are random, and beyond which "
           "they are dead; 0 = all cells are random")
      .atLeast(0);
  schema.addTree(
      "cells",
      "living cells at the start in place of random ones: lists of positions [x, y, z], each list "
      "with a name");
  schema
      .add("output.view", "relief", "",
           "relief: height of the first living cell on each line of sight above the far face; "
           "slice: "
           "cells of the middle slice")
      .oneOf({"relief", "slice"});
  schema.add("output.axis", "z", "", "axis of the line of sight, from coordinate 0 upwards")
      .oneOf({"x", "y", "z"});
  return schema;
}

mass::Program program() {
  return {"life3d", "The Game of Life in three dimensions, by any rule that counts 26 neighbours.",
          schema(), setUp};
}

}  // namespace life3d
