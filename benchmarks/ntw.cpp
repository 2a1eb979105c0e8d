// Neuron Time Warp-Multi Thread (Lin et al. 2017) on one process: the structure of the paper on
// A + B <-> C in a cube, or on a neuron of the app calcium. Prints one line of JSON;
// benchmarks/ntw.py runs it for all cases:
//   BUILD/benchmarks/benchmark_ntw [SETTINGS.yaml] [KEY=VALUE...]
// Keys: queue (multi, single, order: the plain loop, or time_warp: scheduled events of the library,
// in the cube), threads, ahead (most events that a thread
// executes in a round of global virtual time, 0: any), check (yes: compares with the plain loop);
// without SETTINGS side, each and seconds (of virtual time) of the cube; with SETTINGS its keys.

#include <apps/calcium/setup.hpp>
#include <benchmarks/ntw/calcium.hpp>
#include <benchmarks/ntw/engine.hpp>
#include <benchmarks/ntw/reaction.hpp>
#include <benchmarks/ntw/scheduled.hpp>
#include <benchmarks/ntw/sequential.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t seed = 7;
using Words = std::map<std::string, std::string>;

template <class Model>
ntw::Outcome runPlainly(const ntw::Trajectory<Model>& trajectory, double end) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  ntw::Outcome outcome = ntw::runInOrder(trajectory, end);
  outcome.processor = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

template <class Model>
ntw::Outcome runQueue(const ntw::Trajectory<Model>& trajectory, const Words& words, double end) {
  const auto threads = static_cast<std::size_t>(std::stoll(words.at("threads")));
  const std::int64_t ahead = std::stoll(words.at("ahead"));
  const std::string& queue = words.at("queue");
  if (threads < 1 || threads > trajectory.size())
    throw mass::UsageError("threads: give 1 to {}, the number of sites", trajectory.size());
  if (queue == "order") return runPlainly(trajectory, end);
  if (queue == "multi")
    return ntw::Engine<Model, ntw::MultiLevelQueue>(trajectory, threads, ahead).run(end);
  if (queue == "single")
    return ntw::Engine<Model, ntw::SingleQueue>(trajectory, threads, ahead).run(end);
  throw mass::UsageError("queue: give multi, single or order, not {}", queue);
}

/// Returns the shares of the insertions that end at a channel, a process and a thread.
std::string sharesOf(const std::array<std::int64_t, 4>& counts) {
  const auto all = static_cast<double>(counts[1] + counts[2] + counts[3]);
  const auto share = [&](std::size_t level) {
    return all > 0 ? static_cast<double>(counts[level]) / all : 0;
  };
  return fmt::format("[{:.4f}, {:.4f}, {:.4f}]", share(1), share(2), share(3));
}

std::string textOf(const ntw::Outcome& outcome, const Words& words, std::size_t sites) {
  const ntw::Counters& c = outcome.counters;
  const auto events = static_cast<double>(outcome.events);
  const auto executed = static_cast<double>(c.executed);
  const double queue = c.queueSamples > 0
                           ? static_cast<double>(c.queueSum) / static_cast<double>(c.queueSamples)
                           : 0;
  std::string text = fmt::format(
      R"("queue": "{}", "threads": {}, "ahead": {}, "sites": {}, "events": {}, "seconds": {:.4f}, )"
      R"("processor_seconds": {:.4f}, "rate": {:.1f}, "rate_of_processor": {:.1f}, )",
      words.at("queue"), words.at("threads"), words.at("ahead"), sites, outcome.events,
      outcome.seconds, outcome.processor, events / outcome.seconds, events / outcome.processor);
  text += fmt::format(R"("executed": {}, "undone": {:.5f}, "stragglers": {}, "by_rb_message": {}, )"
                      R"("friendly": {}, "aggressive": {}, "unsent": {}, "rounds": {}, )",
                      c.executed, c.executed > 0 ? static_cast<double>(c.undone) / executed : 0,
                      c.stragglers, c.aggressive, c.friendly, c.aggressive, c.unsent, c.rounds);
  const double processes = static_cast<double>(sites) / std::stod(words.at("threads"));
  return text + fmt::format(R"("thread_queue": {:.4f}, "largest_thread_queue": {:.4f}, )"
                            R"("messages_end_at": {}, "own_events_end_at": {}, )"
                            R"("allocated_events": {}, "hash": "{:016x}")",
                            queue / processes, static_cast<double>(c.queueMost) / processes,
                            sharesOf(c.messages), sharesOf(c.ownEvents), c.allocated, outcome.hash);
}

template <class Model>
void run(const ntw::Trajectory<Model>& trajectory, const Words& words, double end) {
  const ntw::Outcome outcome = runQueue(trajectory, words, end);
  if (words.at("check") == "yes") {
    const ntw::Outcome plain = ntw::runInOrder(trajectory, end);
    if (plain.hash != outcome.hash || plain.events != outcome.events)
      throw mass::Error("{} events, hash {:016x}; the plain loop has {}, {:016x}", outcome.events,
                        outcome.hash, plain.events, plain.hash);
  }
  fmt::print("{{{}}}\n", textOf(outcome, words, trajectory.size()));
}

void runCube(const Words& words) {
  const auto side = static_cast<std::int32_t>(std::stoi(words.at("side")));
  const auto each = static_cast<std::int32_t>(std::stoi(words.at("each")));
  if (words.at("queue") == "time_warp") {
    fmt::print("{{{}}}\n",
               ntw::runScheduled(side, each, words.at("threads"), std::stod(words.at("seconds"))));
    return;
  }
  ntw::Network network = ntw::boxOf(side, side, side);
  const std::vector<ntw::Reaction::State> initial(network.size(), {each, each, each});
  run(ntw::Trajectory<ntw::Reaction>({1.0 / each}, std::move(network), initial, seed), words,
      std::stod(words.at("seconds")));
}

template <class P>
void runNeuron(const calcium::NeuronParameters& parameters, const Words& words) {
  run(ntw::Trajectory<ntw::Calcium<P>>(ntw::Calcium<P>(parameters),
                                       ntw::networkOf(parameters.cubes),
                                       ntw::initialOf<P>(parameters, seed), seed),
      words, parameters.clock.duration);
}

void runSettings(const mass::Settings& settings, const Words& words) {
  if (settings.get<std::string>("model") != "neuron")
    settings.reject("model", "only 'neuron' runs here");
  const calcium::NeuronParameters parameters(settings);
  if (parameters.stimulusStep != 0)
    settings.reject("stimulus.at", "IP3 is injected at the start here: set it to 0");
  if (parameters.form == calcium::Form::threshold)
    return runNeuron<calcium::ThresholdDendrite<3>>(parameters, words);
  runNeuron<calcium::Dendrite<3>>(parameters, words);
}

void runWords(const std::vector<std::string>& all) {
  Words words{{"queue", "multi"}, {"threads", "1"}, {"ahead", "1024"}, {"check", "no"},
              {"side", "32"},     {"each", "10"},   {"seconds", "0.5"}};
  const bool hasFile = !all.empty() && all[0].ends_with(".yaml");
  mass::Settings settings =
      hasFile ? mass::Settings::load(all[0], calcium::schema()) : mass::Settings();
  for (std::size_t i = hasFile ? 1 : 0; i < all.size(); ++i) {
    const std::size_t at = all[i].find('=');
    if (at != std::string::npos && words.contains(all[i].substr(0, at))) {
      words[all[i].substr(0, at)] = all[i].substr(at + 1);
    } else {
      settings.set(all[i]);
    }
  }
  hasFile ? runSettings(settings, words) : runCube(words);
}

}  // namespace

int main(int count, char** words) {
  try {
    runWords({words + 1, words + count});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ntw: {}\n", error.what());
    return 2;
  }
}
