// Committed events a second of PHOLD (apps/phold). Prints a line of JSON:
//
//     benchmark_phold [engine=time_warp] [threads=1] [places=16384] [events=16] [remote=0.1]
//                     [lookahead=0] [seconds=10]
//
// `mpirun -n 2 benchmark_phold threads=1` runs it on two ranks of one thread each.
//
// The delay is the lookahead and an exponential time of mean 1 - lookahead. Seconds are virtual.
#include <apps/phold/phold.hpp>
#include <mass/backend/connect_ranks.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>

#include <chrono>
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

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}
double processorTime() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string run(std::map<std::string, std::string>& words,
                const std::shared_ptr<mass::detail::Ranks>& ranks) {
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set("threads=" + words["threads"]);
  settings.set("events.engine=" + words["engine"]);
  mass::Mass mass{settings, ranks};
  const auto places = mass.createPlaces<Object>({std::stoll(words["places"])});
  const Parameters parameters{std::stod(words["remote"]), std::stod(words["lookahead"]), 1};
  places.lookahead(mass::seconds(parameters.lookahead));
  places.scheduleAll<&Object::begin>(mass::seconds(0), std::stoi(words["events"]));
  places.runEvents(mass::seconds(1), parameters);  // to warm up
  const mass::EventCounts before = places.eventCounts();
  ranks->barrier();
  const double begin = now(), beginOfProcessor = processorTime();
  places.runEvents(mass::seconds(std::stod(words["seconds"])), parameters);
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
      {"remote", "0.1"},       {"lookahead", "0"}, {"seconds", "10"}};
  try {
    for (int i = 1; i < count; ++i) {
      const std::string word = arguments[i];
      const auto at = word.find('=');
      if (at == std::string::npos || !words.contains(word.substr(0, at)))
        throw mass::UsageError(
            "{}: give engine, threads, places, events, remote, lookahead or "
            "seconds, as threads=2",
            word);
      words[word.substr(0, at)] = word.substr(at + 1);
    }
    const std::shared_ptr<mass::detail::Ranks> ranks = mass::detail::connectRanks(
        mass::detail::launchOf([](const char* name) { return std::getenv(name); }));
    ranks->introduce();
    const std::string line = run(words, ranks);
    if (ranks->isFirst()) std::cout << line << std::endl;
    ranks->barrier();
    ranks->disconnect(0);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
