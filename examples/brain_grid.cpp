// A growing network of neurons by the rules of MASS's benchmark BrainGrid: axons and dendrites
// leave somas, grow and branch, and form a synapse where those of two neurons meet.
#include <mass/mass.hpp>

enum class Kind : std::uint8_t { axon, synapse, dendrite };  // an axon may become a synapse

/// Returns the place ahead in one of 8 directions around the clock, here from -8 to 15.
MASS_FN mass::Offset<2> ahead(int direction) {
  constexpr int steps[8] = {1, 1, 0, -1, -1, -1, 0, 1};
  return {steps[(direction + 14) % 8], steps[(direction + 8) % 8]};
}

class Tissue : public mass::Place<2> {
 public:
  bool soma = true, joined = false;  // outside the tissue nothing can grow
  std::uint8_t axon = 0, grown = 0;  // first direction for the axon; those that are used, as bits
  using Attributes =
      mass::Attributes<&Tissue::soma, &Tissue::joined, &Tissue::axon, &Tissue::grown>;

  MASS_FN bool isFree() const { return !soma && !joined; }
  MASS_FN void lay(const mass::Here<2>& here, double somas) {
    auto random = here.random();
    soma = random.bernoulli(somas);
    axon = static_cast<std::uint8_t>(random.pick(8));
  }
  /// Lets an axon and dendrites grow in all free directions, each in a step drawn from `last`.
  template <class End>
  MASS_FN void sprout(const mass::Neighborhood<Tissue>& near, const mass::Births<End, 8>& ends,
                      std::int64_t last) {
    const std::int64_t left = last - static_cast<std::int64_t>(near.step());
    if (!soma || left < 0) return;
    auto random = near.random();
    const double chance = 1.0 / static_cast<double>(left + 1);
    while (axon < 16 && near(ahead(axon)).soma) ++axon;
    for (int way = 0; way < 8; ++way) {
      if ((grown >> way & 1) != 0 || near(ahead(way)).soma || !random.bernoulli(chance)) continue;
      grown = static_cast<std::uint8_t>(grown | 1 << way);
      End end;
      end.kind = way == axon % 8 ? Kind::axon : Kind::dendrite;
      end.direction = way, end.neuron = near.index();
      ends.add(end);
    }
  }
};

class End : public mass::Agent<Tissue> {
 public:
  static constexpr int offspring = 1;
  Kind kind = Kind::axon;
  int direction = 0, branches = 3, steps = 5;
  std::int64_t neuron = 0, partner = -1;  // the index of its soma, and of that of the dendrite
  using Attributes = mass::Attributes<&End::kind, &End::direction, &End::branches, &End::steps,
                                      &End::neuron, &End::partner>;

  MASS_FN int hasPartner() const { return partner >= 0 ? 1 : 0; }
  MASS_FN void grow(const mass::Neighborhood<Tissue>& near, mass::Intent<End>& intent) {
    if (partner >= 0) return;
    if (intent.index() == neuron) return void(intent.move(ahead(direction)));
    auto random = intent.random();
    const auto isFree = [&](int way) { return near(ahead(way)).isFree(); };
    if (kind == Kind::axon && random.bernoulli(0.1)) kind = Kind::synapse;
    if (kind == Kind::axon && !isFree(direction)) direction += isFree(direction - 1) ? -1 : 1;
    direction = (direction + 8) % 8;
    if (random.bernoulli(0.1) || !isFree(direction)) return intent.kill();
    if (kind != Kind::axon) {
      if (steps-- == 0) return intent.kill();
      const int side = isFree(direction - 1) ? -1 : 1;
      if (branches > 0 && isFree(direction + side) && random.bernoulli(0.33)) {
        --branches;
        End branch;
        branch.kind = kind, branch.direction = (direction + side + 8) % 8, branch.neuron = neuron;
        intent.spawn(branch, ahead(branch.direction));
      }
    }
    intent.move(ahead(direction));
  }
  /// Joins the first synapse and dendrite of a place. Others on it end.
  MASS_FN void meet(const mass::Residents<End>& ends, const mass::Resource<&Tissue::joined>& joined,
                    mass::Intent<End>& intent) {
    if (kind == Kind::axon || partner >= 0 || intent.index() == neuron) return;
    std::int64_t other = -1;
    bool isFirst = true;
    for (std::int64_t i = 0; i < ends.size(); ++i) {
      const End end = ends[i];
      if (end.kind == kind)
        isFirst = isFirst && ends.id(i) >= intent.id();
      else if (end.kind != Kind::axon && other < 0)
        other = end.neuron;
    }
    if (!isFirst || (kind == Kind::dendrite && other >= 0)) return intent.kill();
    if (other < 0 || other == neuron) return;
    partner = other;
    joined.set(true);
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto size = mass.settings().get<std::int64_t>("size");
  const auto last = mass.settings().get<std::int64_t>("begins");
  const auto tissue =
      mass.createPlaces<Tissue>({size, size}, mass::borders<Tissue>(mass::Border::fixed));
  const auto ends = mass.createAgents<End>(tissue, 0);
  tissue.callAll<&Tissue::lay>(mass.settings().get<double>("somas"));
  run.step([=] {
    tissue.callAll<&Tissue::sprout<End>>(ends, last);
    ends.manageAll();
    ends.callAll<&End::grow>();
    ends.manageAll();
    ends.callAll<&End::meet>(ends);
    ends.manageAll();
  });
  run.observe<&Tissue::joined>(tissue, mass::sum);
  run.observe("partners", [=] { return ends.reduce<&End::hasPartner>(mass::sum); });
  run.observe<&End::kind>(ends, {"axons", "synapses", "dendrites"});
  run.picture<&Tissue::soma>(tissue, {"tissue", "somas"}, {{250, 245, 235}, {90, 90, 110}});
  run.layer<&End::kind>(ends, {"axons", "synapses", "dendrites"},
                        {{60, 130, 220}, {210, 40, 60}, {90, 180, 90}});
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 100);
  schema.add("size", 100, "places", "edge of the tissue").atLeast(3);
  schema.add("begins", 100, "steps", "time in which all axons and dendrites begin").atLeast(1);
  schema.add("somas", 0.3, "", "share of places with a soma").between(0, 1);
  return mass::runProgram(argc, argv, {"brain_grid", "Neurons that grow.", schema, setUp});
}
