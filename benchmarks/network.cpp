// Rate of an SIR step on a Barabasi-Albert network. Prints one line of JSON; benchmarks/network.py
// runs it beside SciPy:
//   BUILD/benchmarks/benchmark_network NODES EDGES BACKEND DEVICES THREADS STEPS [FOLDER]
// EDGES: edges that each node adds. FOLDER receives the links as arrays of raw numbers, `offsets`
// (64 bits) and `targets` (32 bits).

#include <mass/graph/generators.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace {

enum class Health : std::uint8_t { susceptible, infectious, recovered };

class Person : public mass::Node {
 public:
  Health health = Health::susceptible;
  std::int32_t sickFriends = 0;  // for all, so that the step has the whole product
  using Attributes = mass::Attributes<&Person::health, &Person::sickFriends>;

  MASS_FN void meet(const mass::Links<Person>& friends, const mass::Here<1>& here, float infect,
                    float recover) {
    int sick = 0;
    for (const auto link : friends) sick += link.node().health == Health::infectious ? 1 : 0;
    sickFriends = sick;
    if (health == Health::recovered) return;
    const bool isSick = health == Health::infectious;
    const float changes = isSick ? recover : 1 - 1 / (1 + infect * static_cast<float>(sick));
    if (here.random().uniform<float>() < changes)
      health = isSick ? Health::recovered : Health::infectious;
  }
};

template <class T>
void writeArray(const std::filesystem::path& file, std::span<const T> values) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(const std::vector<std::string>& arguments) {
  const std::int64_t nodes = std::stoll(arguments[0]), edges = std::stoll(arguments[1]);
  const std::int64_t steps = std::stoll(arguments[5]);
  mass::Settings settings;
  settings.set("backend=" + arguments[2]);
  settings.set("devices=" + arguments[3]);
  settings.set("threads=" + arguments[4]);
  mass::Mass mass(settings);
  const mass::Graph graph = mass::barabasiAlbertGraph(nodes, edges, 1);
  if (arguments.size() > 6) {
    writeArray(std::filesystem::path(arguments[6]) / "offsets", graph.offsets());
    writeArray(std::filesystem::path(arguments[6]) / "targets", graph.targets());
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto people = mass.createGraph<Person>(graph);
  const double creation = secondsSince(begin);
  people.initialise<&Person::health>(
      [](const auto& at) { return at[0] % 10 == 7 ? Health::infectious : Health::susceptible; });
  const auto advance = [&] { people.callAll<&Person::meet>(mass::steps(steps), 0.01F, 0.02F); };
  advance();  // allocates buffers and selects the number of threads
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    const auto start = std::chrono::steady_clock::now();
    advance();
    times.push_back(secondsSince(start) / static_cast<double>(steps));
  }
  std::sort(times.begin(), times.end());
  fmt::print(
      "{{\"nodes\": {}, \"links\": {}, \"seconds\": {:.6g}, \"creation\": {:.3g}, "
      "\"hash\": \"{:016x}\"}}\n",
      nodes, graph.links(), times[times.size() / 2], creation, mass.hash());
  return 0;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.size() < 6) {
    fmt::print(stderr,
               "usage: benchmark_network NODES EDGES BACKEND DEVICES THREADS STEPS [FOLDER]\n");
    return 2;
  }
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
