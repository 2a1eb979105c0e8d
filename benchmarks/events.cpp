// Rate of events of A + B <-> C in a cube with walls, by the clock of events or a sequential
// method. Prints one line of JSON; benchmarks/events.py runs it for all cases:
//   BUILD/benchmarks/benchmark_events windows|reference|heap|rejection SIDE EACH THREADS SECONDS
// SIDE: sites along an axis, EACH: molecules of each kind in a site, SECONDS: wall time.

#include <benchmarks/sequential_events.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace {

class Site : public mass::Place<3> {
 public:
  std::int32_t a = 0, b = 0, c = 0;
  using Attributes = mass::Attributes<&Site::a, &Site::b, &Site::c>;

  MASS_FN double binding(double k) const { return k * a * b; }
  MASS_FN void bind() { --a, --b, ++c; }
  MASS_FN double unbinding(double /*k*/) const { return c; }
  MASS_FN void unbind() { ++a, ++b, --c; }

  using Events =
      mass::Events<mass::event<&Site::binding, &Site::bind, mass::reads<&Site::a, &Site::b>>,
                   mass::event<&Site::unbinding, &Site::unbind, mass::reads<&Site::c>>,
                   mass::hop<&Site::a>, mass::hop<&Site::b>, mass::hop<&Site::c>>;
};

/// Time in which a molecule makes 0.2 hops: a window.
constexpr double stretch = 0.2 / 6;
constexpr int warmUp = 10;  // stretches at least, in which counts spread

struct Case {
  std::string method;
  std::int64_t side = 0, each = 0, threads = 0;
  double seconds = 0;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the number of bytes of this process in memory.
double residentBytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) * 1024;
  }
  return 0;
}

/// Runs stretches for about `seconds` after some to warm up.
/// @param run executes a number of stretches and returns its number of events
/// @return fields of JSON
template <class Run>
std::string measure(const Case& options, const Run& run) {
  const double start = now();
  std::int64_t warm = 0;
  for (; warm < warmUp || now() - start < options.seconds / 4; ++warm) run(1);
  const double each = (now() - start) / static_cast<double>(warm);
  const auto stretches =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(options.seconds / each));
  const double begin = now();
  const std::int64_t events = run(stretches);
  const double time = now() - begin;
  return fmt::format(R"("stretches": {}, "events": {}, "seconds": {:.4f}, "rate": {:.1f})",
                     stretches, events, time, static_cast<double>(events) / time);
}

std::string runLibrary(const Case& options) {
  const double before = residentBytes();
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set("devices=1");
  settings.set(fmt::format("threads={}", options.threads));
  settings.set("events.engine=" + options.method);
  mass::Mass mass{settings};
  const auto each = static_cast<std::int32_t>(options.each);
  const auto places = mass.createPlaces<Site>({options.side, options.side, options.side},
                                              mass::borders<Site>(mass::Border::mirrored));
  places.initialise<&Site::a>([each](const auto& /*at*/) { return each; });
  places.initialise<&Site::b>([each](const auto& /*at*/) { return each; });
  places.initialise<&Site::c>([each](const auto& /*at*/) { return each; });
  places.hopRate<&Site::a>(1.0);
  places.hopRate<&Site::b>(1.0);
  places.hopRate<&Site::c>(1.0);
  mass::EventCounts last;
  const std::string rate = measure(options, [&](std::int64_t stretches) {
    last = places.eventCounts();
    places.runEvents(mass::seconds(static_cast<double>(stretches) * stretch), 1.0 / each);
    return places.eventCounts().events - last.events;
  });
  const mass::EventCounts counts = places.eventCounts();
  const auto perPlace = [&](std::int64_t count, std::int64_t former) {
    return static_cast<double>(count - former) /
           static_cast<double>(counts.placeWindows - last.placeWindows);
  };
  const double drawing = counts.drawing - last.drawing;
  const double settling = counts.settling - last.settling;
  const double waiting = counts.waiting - last.waiting;
  return fmt::format(
      R"({}, "executions": {:.4f}, "candidates": {:.4f}, "strips": {:.4f}, "drawing": {:.4f}, )"
      R"("settling": {:.4f}, "waiting": {:.4f}, "bytes": {:.1f})",
      rate, perPlace(counts.executions, last.executions),
      perPlace(counts.candidates, last.candidates), perPlace(counts.strips, last.strips), drawing,
      settling, waiting, (residentBytes() - before) / static_cast<double>(places.size()));
}

template <class Method>
std::string runSequential(const Case& options) {
  benchmarks::SequentialCube cube(static_cast<std::int32_t>(options.side),
                                  static_cast<std::int32_t>(options.each));
  Method method(cube);
  std::int64_t done = 0;
  return measure(options, [&](std::int64_t stretches) {
    done += stretches;
    return method.run(static_cast<double>(done) * stretch);
  });
}

std::string run(const Case& options) {
  if (options.method == "heap") return runSequential<benchmarks::NextSubvolume>(options);
  if (options.method == "rejection")
    return runSequential<benchmarks::CompositionRejection>(options);
  return runLibrary(options);
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::vector<std::string> all(words + 1, words + count);
    if (all.size() != 5) throw mass::Error("expected METHOD SIDE EACH THREADS SECONDS");
    const Case options{all[0], std::stoll(all[1]), std::stoll(all[2]), std::stoll(all[3]),
                       std::stod(all[4])};
    fmt::print("{{{}}}\n", run(options));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "events: {}\n", error.what());
    return 2;
  }
}
