#include <mass/model/model_settings.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/backend/share_gpus.hpp>
#include <mass/dispatch/cpu_executor.hpp>
#include <mass/dispatch/exchange_tuner.hpp>
#include <mass/dispatch/gpu_executor.hpp>
#include <mass/dispatch/launch_cache.hpp>
#include <mass/exchange/local_halo_transport.hpp>
#include <mass/exchange/rank_halo_transport.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/model/partition_setting.hpp>
#include <mass/partition/block_partition.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Values of the key `exchange`.
const std::array<std::pair<const char*, HaloMode>, 5> haloModes{{{"store", HaloMode::store},
                                                                 {"copy", HaloMode::copy},
                                                                 {"nccl", HaloMode::nccl},
                                                                 {"host", HaloMode::host},
                                                                 {"auto", HaloMode::automatic}}};

HaloMode haloModeOf(const Settings& settings) {
  const auto name = settings.get<std::string>("exchange");
  return std::find_if(haloModes.begin(), haloModes.end(),
                      [&](const auto& mode) { return name == mode.first; })
      ->second;
}

/// Returns the number of ranks of each host that are ranks of processors, by `ranks.cpu`.
/// @throws SettingsError if no rank of a host is left for GPUs
int cpuRanksOfHosts(const Settings& settings, const Ranks& ranks) {
  const int count = settings.get<int>("ranks.cpu");
  if (count == 0) return 0;
  if (ranks.count() == 1) {
    settings.reject("ranks.cpu",
                    "makes ranks of processors beside those of GPUs, and this run has one rank: "
                    "start it by mpirun, with a program that was built with MPI, or set it to 0");
  }
  std::map<std::string, int> ranksOf;  // by host
  for (int rank = 0; rank < ranks.count(); ++rank) ++ranksOf[ranks.host(rank)];
  for (const auto& [host, all] : ranksOf) {
    if (all > count) continue;
    settings.reject("ranks.cpu", fmt::format("leaves no rank for the GPUs of host {}, which has "
                                             "{} in all: start more there, or set it to 0",
                                             host, all));
  }
  return count;
}

/// True if the devices of this rank are GPUs. All ranks call it together.
bool usesGpus(const Settings& settings, Ranks& ranks) {
  const auto backend = settings.get<std::string>("backend");
  const int cpuRanks = cpuRanksOfHosts(settings, ranks);
  const bool isCpuRank = ranks.numberOnHost() >= ranks.countOnHost() - cpuRanks;
  const bool isAuto = backend == "auto" && !isCpuRank;
  const bool haveGpus = !ranks.any(isAuto && usableGpus() == 0);
  return !isCpuRank && (isAuto ? haveGpus : backend == "cuda");
}

/// Returns the number of devices of this rank; `auto` is resolved. All ranks call it together.
/// @param areMixed true if ranks of processors are beside ranks of GPUs
int deviceCount(const Settings& settings, bool areGpus, bool areMixed, Ranks& ranks) {
  const int devices = settings.get<int>("devices");
  const bool isCpuRankOfHost = !areGpus && settings.get<int>("ranks.cpu") > 0 && areMixed;
  // A rank's number of devices may be given; GPUs of all ranks are only counted together.
  if (ranks.any(devices == 0 && areGpus)) {
    const std::vector<RankGpus> gpus = gpusOfRanks(ranks, areGpus ? 1 : 0);
    if (devices == 0 && areGpus) return partOfGpus(gpus, ranks.number(), devicesPerGpu());
  }
  return isCpuRankOfHost ? 1 : std::max(devices, 1);
}

/// Returns the value of a key that is a number of steps up to `most`, or `auto`; 0 for `auto`.
int stepCount(const Settings& settings, std::string_view key, int most) {
  const auto text = settings.get<std::string>(key);
  if (text == "auto") return 0;
  int steps = 0;
  if (!parseValue(text, steps).empty() || steps < 1 || steps > most)
    settings.reject(key, fmt::format("must be auto or a number of steps from 1 to {}", most));
  return steps;
}

/// Returns the values of the keys `steps_per_pass` and `exchange_every`.
StepCounts stepCounts(const Settings& settings) {
  return {stepCount(settings, "steps_per_pass", 16), stepCount(settings, "exchange_every", 64),
          [settings](const std::string& reason) { settings.reject("exchange_every", reason); }};
}

/// Returns the largest number of steps per exchange that `auto` may select: its ghost rows take at
/// most 64 MiB of a device or, if that is more, a share of its band.
std::int64_t affordableSteps(const Domain& domain, const std::vector<Component>& components,
                             std::int64_t band, double share) {
  constexpr double always = 64.0 * 1024 * 1024;
  double rowBytes = 0;
  for (const Component& component : components) {
    const Layout layout = layoutOf(component, Layout::of(domain, 1));
    const std::int64_t elements = layout.rowStride / component.interleave;
    rowBytes += buffersOf(component.storage) * static_cast<double>(component.elementSize) *
                static_cast<double>(elements);
  }
  const double bytes = std::max(always, share * rowBytes * static_cast<double>(band));
  const double steps = bytes / (2 * rowBytes * domain.reach);
  return steps < ExchangeTuner::mostSelected ? static_cast<std::int64_t>(steps)
                                             : ExchangeTuner::mostSelected;
}

/// Returns the largest number of steps that rules of these places may make in one pass on GPUs of
/// which each has a part of the rows; 1 if there are no such passes.
int stepsOfMarch(const Domain& domain, const std::vector<Component>& components) {
  std::size_t bytes = 0;
  for (const Component& component : components) bytes += component.placeSize();
  if (domain.dimensions == 1 || domain.reach != 1 || bytes > mostMarchBytes) return 1;
  return domain.dimensions == 2 ? 16 : 4;
}

GpuOptions gpuOptions(const Settings& settings) {
  const StepCounts steps = stepCounts(settings);
  GpuOptions options{haloModeOf(settings), {}, steps.perPass, steps.perExchange};
  const auto tile = settings.get<std::string>("tile");
  if (tile == "auto") return options;
  options.launchShape = parseShape(tile);
  if (!options.launchShape) {
    settings.reject(
        "tile",
        "must be auto, or a launch shape of four powers of two such as 4x1x128x2: rows (at most "
        "16) and columns (1, 2 or 4) per thread, threads per block along a line and along the rows "
        "(at most 256 together); optionally a fifth, the lines per block; or, for a plane sweep in "
        "3-D, rows (at most 1024) before 1x64x8m, 1x128x8m, 4x32x12m, 4x32x16m or 4x32x20m, such "
        "as "
        "64x1x128x8m");
  }
  return options;
}

/// Declares the keys `steps_per_pass` and `exchange_every`.
void addStepCounts(Schema& schema) {
  schema
      .add("steps_per_pass", "auto", "steps",
           "steps that a rule which reads neighbours makes in one pass over memory, 1 to 16; auto "
           "= the fastest by measurement")
      .withoutEffectOnResults();
  schema
      .add("exchange_every", "auto", "steps",
           "steps that a rule which reads neighbours makes between exchanges of processes or GPUs, "
           "1 to 64; auto = the fastest by measurement, but a pass of GPUs of one process")
      .withoutEffectOnResults();
}

/// Declares the keys `exchange`, `streaming` and `tile`.
void addTransportKeys(Schema& schema) {
  std::vector<std::string> modes;
  for (const auto& [name, mode] : haloModes) modes.emplace_back(name);
  schema
      .add("exchange", "auto", "",
           "transport of halo rows between GPUs; auto = the fastest by measurement; between "
           "processes nccl or host")
      .oneOf(std::move(modes))
      .withoutEffectOnResults();
  schema
      .add("streaming", "auto", "",
           "buffers of streamed attributes: one where possible (in_place), or two, which take "
           "twice the memory (two_buffers); auto = in_place on CPUs, and on GPUs if two buffers do "
           "not fit into memory")
      .oneOf({"in_place", "two_buffers", "auto"})
      .withoutEffectOnResults();
  schema
      .add(
          "tile", "auto", "",
          "launch shape of GPU kernels: rows x columns per thread x threads per block along a "
          "line x along the rows, such as 4x1x128x2; in 3-D optionally x lines per block, such as "
          "1x2x32x4x8, or m for a plane sweep, such as 64x1x128x8m, or 64x4x32x12m for rules along "
          "the axes; auto = measured once and cached")
      .withoutEffectOnResults();
}

/// Declares the keys of the clock of events.
void addEventKeys(Schema& schema) {
  schema
      .add("events.engine", "windows", "",
           "algorithm of events: windows = all threads at once, again where events of a neighbour "
           "change, and scheduled events by time_warp; time_warp = all threads at once, with "
           "roll-back; conservative = all threads at once, in windows "
           "of the lookahead that the model declares, for scheduled events only; reference = one "
           "event after the other on one thread and rank, with the same results")
      .oneOf({"windows", "time_warp", "conservative", "reference"});
  schema
      .add("events.window", 0.0, "s",
           "length of a window; auto (0) = that in which the fastest particle makes 0.2 hops if a "
           "place has 10 hopping particles or more, and up to 4 if it has fewer")
      .atLeast(0)
      .orAuto();
  schema
      .add("events.memory", 0.0, "MiB",
           "memory of each process for scheduled events and the states that time_warp saves; where "
           "it is used up, threads execute only the events that cannot be rolled back; auto (0) = "
           "no limit but that of 16384 events of a thread that may be rolled back")
      .atLeast(0)
      .orAuto();
  schema
      .add("events.saving", "measured", "",
           "states that time_warp keeps for a roll-back of a rule with an inverse: measured = the "
           "faster one of the others, by the first 128 executions; states = the state of the place "
           "before each event; inverses = none, the inverse restores it")
      .oneOf({"measured", "states", "inverses"});
  schema
      .add("events.tick_bits", 32, "",
           "bits of an event's time within its window, for tests of events at equal times")
      .between(1, 32);
}

EventSettings eventSettings(const Settings& settings) {
  EventSettings events;
  const auto engine = settings.get<std::string>("events.engine");
  events.engine = engine == "time_warp"      ? EventEngine::timeWarp
                  : engine == "conservative" ? EventEngine::conservative
                  : engine == "reference"    ? EventEngine::reference
                                             : EventEngine::automatic;
  events.bytes = static_cast<std::size_t>(settings.get<double>("events.memory") * 0x1p20);
  const auto saving = settings.get<std::string>("events.saving");
  events.saving = saving == "states"     ? EventSaving::states
                  : saving == "inverses" ? EventSaving::inverses
                                         : EventSaving::measured;
  events.window = settings.get<double>("events.window");
  events.tickMask = ~std::uint32_t{0} << (32 - settings.get<int>("events.tick_bits"));
  return events;
}

}  // namespace

void addModelKeys(Schema& schema) {
  schema
      .add(
          "MAX_PLACE_EXCHANGE", 0, "rows",
          "largest distance along an axis at which a rule may read; auto (0) = no limit: the reach "
          "of the classes")
      .between(0, 64)
      .orAuto()
      .withoutEffectOnResults();
  schema
      .add("MAX_AGENT_TRAVEL", 0, "rows",
           "largest distance along an axis that an agent may move; auto (0) = no limit: the travel "
           "of the classes")
      .between(0, 64)
      .orAuto()
      .withoutEffectOnResults();
  schema
      .add("devices", 1, "",
           "number of devices of each process that share the places; auto (0) = all GPUs, of which "
           "the processes of a host have equal parts, or one device of CPUs")
      .between(0, 1024)
      .orAuto()
      .withoutEffectOnResults();
  schema.add("backend", "auto", "", "kind of the devices; auto = cuda if there is a usable GPU")
      .oneOf({"cpu", "cuda", "auto"})
      .withoutEffectOnResults();
  addTransportKeys(schema);
  schema
      .add("threads", 0, "",
           "CPU threads, shared by all devices; 0 = up to one per usable processor, by measurement")
      .between(0, 4096)
      .withoutEffectOnResults();
  addStepCounts(schema);
  schema
      .add("weights", std::vector<double>{}, "",
           "relative number of rows of each device, one number per device of all processes; empty "
           "= 1, but 0.04 for processors beside GPUs")
      .above(0)
      .withoutEffectOnResults();
  addPartitionKeys(schema);
  schema
      .add("ranks.timeout", Ranks::defaultTimeout, "s",
           "longest time without an answer of another rank (a process started by mpirun or srun) "
           "before all end with an error")
      .between(0.1, 1e6)
      .withoutEffectOnResults();
  schema
      .add("ranks.cpu", 0, "ranks",
           "ranks of each host, its last ones, that have one device of processors each, beside "
           "ranks with GPUs; for models whose bits are equal on both")
      .between(0, 1024)
      .withoutEffectOnResults();
  addEventKeys(schema);
  schema.add("seed", 1, "", "seed of all random numbers").atLeast(0);
}

namespace {

/// Relative number of rows with which a device of processors begins beside GPUs: about its share
/// of the memory bandwidth of both.
constexpr double firstCpuWeight = 0.04;

/// Returns the settings of a run with ranks of processors beside ranks of GPUs: those that both
/// can follow together.
/// @throws SettingsError if a key asks for another value
Settings settingsOfMixed(Settings settings) {
  const auto require = [&](const char* key, const char* value, const char* reason) {
    const auto given = settings.get<std::string>(key);
    if (given != value && given != "auto")
      settings.reject(key, fmt::format("must be {} or auto: ranks of processors beside ranks of "
                                       "GPUs {}",
                                       value, reason));
    return fmt::format("{}={}", key, value);
  };
  settings.set(require("exchange", "host", "exchange halos through the host"));
  settings.set(require("exchange_every", "1", "exchange after each step"));
  // A GPU that has all places may make several steps in a pass.
  (void)require("steps_per_pass", "1", "make single steps");
  return settings;
}

/// Returns the weights of all devices if none are given. All ranks call it together.
std::vector<double> firstWeights(bool areGpus, int devices, Ranks& ranks) {
  std::vector<double> weights;
  const std::vector<int> counts = ranks.allGather(devices);
  const std::vector<char> kinds = ranks.allGather(static_cast<char>(areGpus));
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    weights.insert(weights.end(), static_cast<std::size_t>(counts[rank]),
                   kinds[rank] != 0 ? 1 : firstCpuWeight);
  return weights;
}

/// Returns the transport of halos between CPU devices.
std::unique_ptr<HaloTransport> cpuTransport(const DeviceConfig& devices) {
  if (devices.ranks().count() > 1) return std::make_unique<RankHaloTransport>(devices);
  return std::make_unique<LocalHaloTransport>();
}

/// Returns the devices of all ranks, given whether those of this one are GPUs.
DeviceConfig openDevices(const Settings& settings, bool areGpus, bool areMixed,
                         std::shared_ptr<Ranks> ranks) {
  const int devices = deviceCount(settings, areGpus, areMixed, *ranks);
  const int threads = settings.get<int>("threads");
  const auto allDevices = static_cast<std::size_t>(ranks->sum(static_cast<std::uint64_t>(devices)));
  std::vector<double> weights = deviceWeights(settings, allDevices);
  if (!weights.empty() && weights.size() != allDevices) {
    settings.reject("weights", fmt::format("must have one number for each of the 'devices'{}, {}, "
                                           "or none; there are {}",
                                           ranks->count() > 1 ? " of all ranks" : "", allDevices,
                                           weights.size()));
  }
  if (areMixed) {
    if (weights.empty()) weights = firstWeights(areGpus, devices, *ranks);
    return DeviceConfig::mixed(areGpus, devices, threads, std::move(weights), std::move(ranks));
  }
  return areGpus ? DeviceConfig::gpus(devices, std::move(weights), std::move(ranks))
                 : DeviceConfig::cpu(devices, threads, std::move(weights), std::move(ranks));
}

}  // namespace

std::shared_ptr<Engine> makeEngine(const Settings& given, std::shared_ptr<Ranks> ranks) {
  const bool areGpus = usesGpus(given, *ranks);
  const bool someAre = ranks->any(areGpus), someAreNot = ranks->any(!areGpus);
  const bool areMixed = someAre && someAreNot;
  const Settings settings = areMixed ? settingsOfMixed(given) : given;
  const GpuOptions options = gpuOptions(settings);
  const auto makeExecutor = [&](const DeviceConfig& config) -> std::unique_ptr<Executor> {
    if (areGpus) return makeGpuExecutor(config, options);
    return std::make_unique<CpuExecutor>(cpuTransport(config), stepCounts(settings));
  };
  auto engine = std::make_shared<Engine>(openDevices(settings, areGpus, areMixed, std::move(ranks)),
                                         makeExecutor, settings.get<std::uint64_t>("seed"));
  engine->events = eventSettings(settings);
  return engine;
}

namespace {

/// True if devices exchange after each step, or each pass: GPUs of a process do so if no number of
/// steps per exchange is given.
bool exchangesAfterPasses(const DeviceConfig& devices, const StepCounts& counts) {
  return devices.areGpus() && devices.ranks().count() == 1 && counts.perExchange == 0;
}

/// Returns the steps for which devices have ghosts. @param band rows of the largest band
std::int64_t stepsOfGhosts(const Domain& domain, const std::vector<Component>& components,
                           std::int64_t band, const StepCounts& counts, const DeviceConfig& devices,
                           int stepsOfPass) {
  constexpr double shareOfBand = 1.0 / 8;
  const std::int64_t asked = counts.perExchange;
  const std::int64_t affordable =
      affordableSteps(domain, components, band, devices.areGpus() ? 0 : shareOfBand);
  if (asked > 0) {  // the rules of a turn each read further ghost rows
    constexpr std::int64_t rules = 4;
    return std::max(asked, std::min(rules * asked, affordable));
  }
  if (!devices.areGpus()) return affordable;
  const int ofPass = counts.perPass > 0 ? std::min(counts.perPass, stepsOfPass) : stepsOfPass;
  const std::int64_t ofMarch =
      std::min<std::int64_t>(ofPass, affordableSteps(domain, components, band, shareOfBand));
  return exchangesAfterPasses(devices, counts) ? ofMarch : std::max(affordable, ofMarch);
}

}  // namespace

void setGhostRows(Domain& domain, const std::vector<Component>& components,
                  const Settings& settings, const DeviceConfig& devices) {
  if (devices.areMixed()) return;  // they exchange after each step
  const bool areBlocks = isInBlocks(domain), haveRanks = devices.ranks().count() > 1;
  const StepCounts counts = stepCounts(settings);
  const std::int64_t asked = counts.perExchange;
  const bool isOfPasses = exchangesAfterPasses(devices, counts);
  const bool mayExchangeSeldom = devices.areGpus() ? devices.size() > 1 : haveRanks || areBlocks;
  if (!mayExchangeSeldom || domain.reach == 0 || asked == 1) return;
  const int stepsOfPass = areBlocks ? 1 : stepsOfMarch(domain, components);
  if (isOfPasses && stepsOfPass == 1) return;
  const BlockPartition partition = firstPartition(domain, devices.weights());
  const std::vector<std::int64_t> parts = partition.thinnest();
  if (const std::string objection = objectionToCycle(asked, domain.reach, parts);
      !objection.empty())
    settings.reject("exchange_every", objection);
  // Rules of a class with streamed attributes exchange after each step.
  if (std::ranges::any_of(components, &Component::isStreamed)) return;
  const std::int64_t steps =
      stepsOfGhosts(domain, components, std::ranges::max(partition.ofRows().bands()), counts,
                    devices, stepsOfPass);
  const std::int64_t ghosts =
      std::min(steps, std::ranges::min(parts) / domain.reach) * domain.reach;
  if (partition.isCut(0)) domain.ghostRows = ghosts;
  if (partition.exchangedAxes() > 1) domain.ghostLines = ghosts;
  if (partition.exchangedAxes() > 2) domain.ghostColumns = ghosts;
}

void setStreaming(Domain& domain, std::vector<Component>& components, const Settings& settings,
                  const DeviceConfig& devices) {
  const bool isMirrored = std::find(domain.borders.begin(), domain.borders.end(),
                                    Border::mirrored) != domain.borders.end();
  if (isMirrored) return;
  const auto streaming = settings.get<std::string>("streaming");
  const bool areSeveral = devices.ranks().count() > 1;
  if (areSeveral || isInBlocks(domain)) {
    if (std::ranges::any_of(components, &Component::isStreamed) && streaming == "in_place") {
      settings.reject(
          "streaming",
          fmt::format("in_place streams {}: set it to auto or two_buffers, which need "
                      "twice the memory",
                      areSeveral ? "within one process, and this run has several ranks"
                                 : "in bands of rows, and 'partition' cuts several axes"));
    }
    return;
  }
  const bool isAuto = streaming == "auto";
  if (streaming == "in_place" || (isAuto && !devices.areGpus())) storeInPlace(components);
  // On several GPUs the AA pattern needs kernels that store into the other GPUs' memory.
  const HaloMode mode = haloModeOf(settings);
  const bool mayStore = mode == HaloMode::automatic || mode == HaloMode::store;
  const bool canStore = devices.size() == 1 || (mayStore && devices.allPeersAccessible());
  domain.mayStreamInPlace =
      isAuto && canStore && (domain.dimensions < 3 || domain.shape[1] <= maxAaLines);
}

}  // namespace mass::detail
