// Committed events a second of PHOLD (apps/phold). Prints a line of JSON:
//
//     benchmark_phold [engine=time_warp] [threads=1] [places=16384] [events=16] [remote=0.1]
//                     [lookahead=0] [seconds=10] [busy=1]
//
// `mpirun -n 2 benchmark_phold threads=1` runs it on two ranks of one thread each.
//
// The delay is the lookahead and an exponential time of mean 1 - lookahead. Seconds are virtual.
// busy=4: the first half of the places has 4 times the events of the second one.
#include <apps/phold/phold.hpp>
#include <mass/backend/connect_ranks.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>

namespace {

using phold::Object;
using phold::Parameters;

/// Place of PHOLD in a world whose first half has `busy` times the events of the second one.
class Skewed : public mass::Place<1> {
 public:
  std::int64_t events = 0;
  using Attributes = mass::Attributes<&Skewed::events>;

  void begin(std::int32_t count, mass::Schedule<Skewed>& schedule, const Parameters& parameters,
             const double& busy) {
    const double mean = count * (isFirst(schedule) ? busy : 1) * 2 / (busy + 1);
    mass::Random random = schedule.random();
    for (int i = 0; i < mean; ++i) send(random, schedule, parameters, busy);
  }
  void happen(mass::Schedule<Skewed>& schedule, const Parameters& parameters, const double& busy) {
    ++events;
    mass::Random random = schedule.random();
    send(random, schedule, parameters, busy);
  }
  using Events = mass::Events<mass::scheduled<&Skewed::begin>, mass::scheduled<&Skewed::happen>>;

 private:
  static bool isFirst(const mass::Schedule<Skewed>& schedule) {
    return schedule.index() < schedule.places() / 2;
  }
  static void send(mass::Random& random, mass::Schedule<Skewed>& schedule,
                   const Parameters& parameters, double busy) {
    const double rest = parameters.mean - parameters.lookahead;
    const auto delay = mass::seconds(parameters.lookahead - rest * std::log(1 - random.uniform()));
    if (random.bernoulli(parameters.remote)) {
      const auto half = static_cast<std::uint32_t>(schedule.places() / 2);
      const bool toFirst = random.bernoulli(busy / (busy + 1));
      schedule.after<&Skewed::happen>(delay,
                                      mass::place(random.below(half) + (toFirst ? 0U : half)));
    } else {
      schedule.after<&Skewed::happen>(delay, mass::thisPlace);
    }
  }
};

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}
double processorTime() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class P, class... Arguments>
std::string run(std::map<std::string, std::string>& words,
                const std::shared_ptr<mass::detail::Ranks>& ranks, const Parameters& parameters,
                const Arguments&... arguments) {
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set("threads=" + words["threads"]);
  settings.set("events.engine=" + words["engine"]);
  mass::Mass mass{settings, ranks};
  const auto places = mass.createPlaces<P>({std::stoll(words["places"])});
  places.lookahead(mass::seconds(parameters.lookahead));
  places.template scheduleAll<&P::begin>(mass::seconds(0), std::stoi(words["events"]));
  places.runEvents(mass::seconds(1), parameters, arguments...);  // to warm up
  const mass::EventCounts before = places.eventCounts();
  ranks->barrier();
  const double begin = now(), beginOfProcessor = processorTime();
  places.runEvents(mass::seconds(std::stod(words["seconds"])), parameters, arguments...);
  const double seconds = now() - begin, ofProcessor = processorTime() - beginOfProcessor;
  const mass::EventCounts counts = places.eventCounts();
  const auto events = static_cast<double>(counts.events - before.events);
  const auto undone = static_cast<double>(counts.undone - before.undone);
  return fmt::format(
      R"({{"engine": "{}", "ranks": {}, "threads": {}, "places": {}, "events": {}, "seconds": {:.4f}, )"
      R"("processor_seconds": {:.4f}, "rate": {:.1f}, "rate_of_processor": {:.1f}, )"
      R"("undone": {:.5f}, "stragglers": {}, "cancelled": {}, "hash": "{:016x}"}})",
      words["engine"], ranks->count(), words["threads"], words["places"], events, seconds,
      ofProcessor, events / seconds, events / ofProcessor, undone / events,
      counts.stragglers - before.stragglers, counts.cancelled - before.cancelled, counts.hash);
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::string> words{
      {"engine", "time_warp"}, {"threads", "1"},   {"places", "16384"}, {"events", "16"},
      {"remote", "0.1"},       {"lookahead", "0"}, {"seconds", "10"},   {"busy", "1"}};
  try {
    for (int i = 1; i < count; ++i) {
      const std::string word = arguments[i];
      const auto at = word.find('=');
      if (at == std::string::npos || !words.contains(word.substr(0, at)))
        throw mass::UsageError(
            "{}: give engine, threads, places, events, remote, lookahead, "
            "seconds or busy, as threads=2",
            word);
      words[word.substr(0, at)] = word.substr(at + 1);
    }
    const std::shared_ptr<mass::detail::Ranks> ranks = mass::detail::connectRanks(
        mass::detail::launchOf([](const char* name) { return std::getenv(name); }));
    ranks->introduce();
    const Parameters parameters{std::stod(words["remote"]), std::stod(words["lookahead"]), 1};
    const double busy = std::stod(words["busy"]);
    const std::string line = busy == 1 ? run<Object>(words, ranks, parameters)
                                       : run<Skewed>(words, ranks, parameters, busy);
    if (ranks->isFirst()) std::cout << line << std::endl;
    ranks->barrier();
    ranks->disconnect(0);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
