#include <apps/calcium/setup.hpp>

#include <numbers>
#include <vector>

namespace calcium {
namespace {

void addWave(mass::Schema& schema) {
  schema.add("length", 200.0, "um", "length of the dendrite").above(0);
  schema
      .add("receptor", "states", "",
           "states: IP3 receptors with three inhibiting sites; threshold: one receptor in a site, "
           "which opens above thresholds")
      .oneOf({"states", "threshold"});
  schema.add("receptors", 8, "", "receptors in a site").between(1, 1000000);
  schema.add("cytosol", 0.83, "", "share of the cytosol in the volume; the rest is the ER")
      .between(0.001, 0.999);
  schema.add("membrane", 4 / std::numbers::pi, "um^2/um^3", "membrane of the dendrite per volume")
      .above(0);
  schema.add("ip3_diffusion", 1.415, "um^2/ms", "diffusion coefficient of IP3").atLeast(0);
  schema.add("leak", 18.06, "1/(um^2 ms mM)", "leak from the ER").atLeast(0);
  schema.add("release.strength", 120400.0, "1/(um^2 ms mM)", "flux through open receptors")
      .atLeast(0);
  schema.add("release.ip3", 0.13, "uM", "IP3 at which half of its sites are bound").above(0);
  schema
      .add("release.activation", 0.4, "uM",
           "calcium at which half of the activating sites are bound")
      .above(0);
  schema
      .add("release.inhibition", 0.4, "uM",
           "calcium at which half of the inhibiting sites are bound")
      .above(0);
  schema.add("release.tau", 400.0, "ms", "time constant of the inhibiting sites").above(0);
  schema.add("pump.rate", 1.9565, "1/(um^2 ms)", "largest flux of the SERCA pumps").atLeast(0);
  schema.add("pump.half", 0.1, "uM", "calcium at which the pumps have half of it").above(0);
  schema.add("threshold.calcium", 0.2, "uM", "calcium above which a receptor opens").atLeast(0);
  schema.add("threshold.ip3", 2.0, "uM", "IP3 above which a receptor opens").atLeast(0);
  schema.add("threshold.open_time", 10.0, "ms", "mean time for which a receptor is open").above(0);
  schema.add("initial.calcium", 0.1, "uM", "calcium in the cytosol").atLeast(0);
  schema.add("initial.stored", 9.511765, "uM", "calcium in the ER").atLeast(0);
  schema.add("initial.ip3", 0.1, "uM", "IP3 in the cytosol").atLeast(0);
  schema.add("initial.free_share", 0.8, "", "share h of free inhibiting sites").between(0, 1);
  schema.add("stimulus.at", 1000.0, "ms", "time of the injection of IP3, before the end of the run")
      .atLeast(0);
  schema.add("stimulus.ip3", 1.25, "uM", "concentration of the injected IP3").atLeast(0);
  schema
      .add("stimulus.width", 4.0, "um",
           "length of the stretch in the middle that receives it; of a neuron, diameter of the "
           "sphere")
      .atLeast(0);
  schema.add("stimulus.center", std::vector<double>{}, "um",
             "middle of that sphere of a neuron: x, y, z; none = the soma");
  schema.add("stimulus.adds", false, "",
             "true: in addition to the IP3 that is there; false: in place of it");
  schema.add("front.level", 0.5, "uM", "calcium at the front of a wave").above(0);
  schema.add("front.mean_over", 5.5, "um", "length over which calcium is averaged for the front")
      .above(0);
}

void addNeuron(mass::Schema& schema) {
  schema.add("swc.path", "", "", "SWC file of the neuron, relative to the settings file");
  schema
      .add("swc.types", std::vector<double>{2, 3, 4}, "",
           "types of nodes that are kept, besides the soma: 2 axon, 3 basal, 4 apical dendrite")
      .between(0, 255);
  schema.add("swc.scale", 1.0, "um", "length of a unit of the file").between(1e-6, 1e6);
  schema.add("swc.radius", 0.0, "um", "sites within this distance of a point; 0 = all")
      .between(0, 1e6);
  schema.add("swc.center", std::vector<double>{}, "um", "that point: x, y, z; none = the soma")
      .between(-1e9, 1e9);
  schema
      .add("swc.rule", "touched", "",
           "touched: a site that the neuron touches is kept; middle: one whose middle is in it")
      .oneOf({"touched", "middle"});
}

void addBuffer(mass::Schema& schema) {
  schema.add("buffer.arm_length", 10.0, "um", "length of each of the three arms")
      .between(0.1, 1000);
  schema.add("buffer.arm_diameter", 1.0, "um", "diameter of an arm").between(0.01, 100);
  schema.add("buffer.diffusion", 0.08, "um^2/ms", "diffusion coefficient of Buf and CaBuf")
      .atLeast(0);
  schema.add("buffer.binding", 0.006, "1/ms", "rate of a pair of Ca and Buf in one site")
      .atLeast(0);
  schema.add("buffer.unbinding", 0.01, "1/ms", "rate of CaBuf").atLeast(0);
  schema.add("buffer.calcium_high", 10, "", "calcium in a site of the first arm at the start")
      .between(0, 1000000);
  schema.add("buffer.calcium_low", 1, "", "calcium in other sites at the start")
      .between(0, 1000000);
  schema.add("buffer.molecules", 5, "", "Buf in a site at the start").between(0, 1000000);
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema
      .add("model", "wave", "",
           "wave: calcium and IP3 in a dendrite; neuron: the same in the sites of an SWC file; "
           "buffer: calcium and a buffer in a Y-shaped cell")
      .oneOf({"wave", "neuron", "buffer"});
  schema.add("finite_differences", false, "",
             "false: events of single molecules; true: concentrations, by finite differences");
  schema.add("events.step", 1.0, "ms", "length of a step of the run").between(1e-9, 1e9);
  schema.add("duration", 2400.0, "ms", "length of the run, unless the settings have `steps`")
      .atLeast(0);
  schema.add("time_step", 0.005, "ms", "longest time step of finite differences").above(0);
  schema.add("spacing", 0.5, "um", "edge of a site").between(0.001, 1000);
  schema.add("calcium_diffusion", 0.08, "um^2/ms", "diffusion coefficient of calcium").atLeast(0);
  schema
      .add("output.most", 0.0, "uM",
           "calcium of the last colour of pictures, in molecules a site for model: buffer; 0 = the "
           "largest, for model: neuron 2 uM, for model: buffer that of the first arm at the start")
      .atLeast(0);
  addWave(schema);
  addNeuron(schema);
  addBuffer(schema);
  return schema;
}

mass::Program program() {
  return {"calcium", "Calcium waves and buffers in dendrites: single molecules, or concentrations.",
          schema(), setUp};
}

}  // namespace calcium
