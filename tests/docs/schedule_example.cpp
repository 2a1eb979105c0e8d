#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>
#include <iostream>

/// Leaky integrate-and-fire neuron. Times in s.
class Neuron : public mass::Place<2> {
 public:
  double potential = 0, last = 0;  // after the last event, and its time
  std::int32_t spikes = 0;
  using Attributes = mass::Attributes<&Neuron::potential, &Neuron::last, &Neuron::spikes>;

  void receive(float weight, mass::Schedule<Neuron>& schedule) {
    const double now = schedule.now().count();
    potential = potential * std::exp((last - now) / 0.02) + weight;
    last = now;
    if (potential < 1) return;
    potential = 0;
    ++spikes;
    for (int side : {-1, 1}) {
      schedule.after<&Neuron::receive>(mass::seconds(0.0015), mass::neighbor(0, side), 0.2F);
      schedule.after<&Neuron::receive>(mass::seconds(0.0015), mass::neighbor(side, 0), 0.2F);
    }
  }
  void drive(mass::Schedule<Neuron>& schedule, const double& rate) {
    receive(0.25F, schedule);
    const double wait = -std::log(1 - schedule.random().uniform()) / rate;
    schedule.after<&Neuron::drive>(mass::seconds(wait), mass::thisPlace);
  }
  using Events = mass::Events<mass::scheduled<&Neuron::receive>, mass::scheduled<&Neuron::drive>>;
};

/// Telephone whose callers wait for an answer.
class Desk : public mass::Place<1> {
 public:
  std::int32_t lost = 0;
  using Attributes = mass::Attributes<&Desk::lost>;

  void call(mass::Schedule<Desk>& schedule) {
    const mass::EventHandle patience =
        schedule.after<&Desk::giveUp>(mass::seconds(60), mass::thisPlace);
    const double wait = -60 * std::log(1 - schedule.random().uniform());
    schedule.after<&Desk::answer>(mass::seconds(wait), mass::thisPlace, patience);
  }
  void giveUp() { ++lost; }
  void answer(const mass::EventHandle& patience, mass::Schedule<Desk>& schedule) {
    schedule.cancel(patience);
  }
  using Events = mass::Events<mass::scheduled<&Desk::call>, mass::scheduled<&Desk::giveUp>,
                              mass::scheduled<&Desk::answer>>;
};

int main() {
  mass::Mass mass{mass::Settings()};
  const auto neurons = mass.createPlaces<Neuron>({50, 50});
  neurons.lookahead(mass::seconds(0.0015));
  neurons.scheduleAll<&Neuron::drive>(mass::seconds(0));

  const double rate = 100;  // inputs of a neuron from outside in 1/s
  std::cout << "ms,spikes\n";
  for (int ms = 20; ms <= 100; ms += 20) {
    neurons.runEvents(mass::seconds(0.02), rate);
    std::cout << ms << ',' << neurons.reduce<&Neuron::spikes>(mass::sum) << '\n';
  }

  const auto desks = mass.createPlaces<Desk>({100});
  desks.scheduleAll<&Desk::call>(mass::seconds(0));
  desks.runEvents(mass::seconds(600));
  std::cout << desks.reduce<&Desk::lost>(mass::sum) << " callers gave up\n";
}
