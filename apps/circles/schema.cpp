#include <apps/circles/setup.hpp>

namespace circles {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("particles", 8000, "", "number of particles").between(0, 1 << 30);
  // Limits of lengths whose squares single precision represents.
  schema.add("width", 20.0, "", "edge of the cube of initial positions").between(1e-9, 1e9);
  schema.add("radius", 2.0, "", "distance within which particles interact").between(1e-9, 1e9);
  schema
      .add("repulsion", 0.05, "",
           "largest distance by which a pair moves a particle in a step; at most 0.99 radius")
      .between(0, 1)
      .live();
  return schema;
}

mass::Program program() {
  return {"circles", "Particles that repel and attract each other.", schema(), setUp};
}

}  // namespace circles
