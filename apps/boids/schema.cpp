#include <apps/boids/setup.hpp>

namespace boids {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("boids", 2000, "", "number of boids").between(0, 1 << 30);
  schema.add("width", 0.0, "", "edge of the square world; 0 = by boids and density")
      .between(0, maxWidth);
  schema.add("density", 0.5, "", "boids per unit of area").above(0);
  schema.add<&Parameters::radius>("", "distance within which a boid sees others")
      .between(2, maxWidth / 2);
  schema
      .add<&Parameters::separation>("",
                                    "distance below which boids repel each other; at most radius")
      .above(0)
      .live();
  schema.add<&Parameters::steer>("1/step", "cohesion: weight of the mean offset to boids in sight")
      .between(0, 1000)
      .live();
  schema
      .add<&Parameters::collision>(
          "1/step", "separation: weight of the repulsion by boids nearer than separation")
      .between(0, 1000)
      .live();
  schema.add<&Parameters::match>("", "alignment: weight of the mean velocity of boids in sight")
      .between(0, 1000)
      .live();
  schema.add<&Parameters::change>("", "share of the wanted change of velocity made in a step")
      .between(0, 1)
      .live();
  return schema;
}

mass::Program program() {
  return {"boids", "Flocking birds (Reynolds 1987).", schema(), setUp};
}

}  // namespace boids
