#include <apps/life/world.hpp>

using life::Life;

int main(int argc, char** argv) {
  return mass::runProgram(
      argc, argv,
      {"life", "The Game of Life, by any B/S rule, from a pattern file or random cells.",
       life::schema(), [](mass::Mass& mass, mass::Simulation& run) {
         auto world = life::createWorld(mass);
         const auto rule = life::ruleOf(mass.settings());
         run.advance([=](mass::Steps steps) { world.callAll<&Life::nextGeneration>(steps, rule); });
         run.observe("population", [=] { return world.reduce<&Life::alive>(mass::sum); });
         run.picture<&Life::alive>(world, 0, 1, "life");
         run.data<&Life::alive>(world);
       }});
}
