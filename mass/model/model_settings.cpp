#include <mass/model/model_settings.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/backend/share_gpus.hpp>
#include <mass/dispatch/cpu_executor.hpp>
#include <mass/dispatch/gpu_executor.hpp>
#include <mass/dispatch/launch_cache.hpp>
#include <mass/exchange/local_halo_transport.hpp>
#include <mass/exchange/rank_halo_transport.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
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

/// True if the devices are GPUs; the same on all ranks.
bool usesGpus(const Settings& settings, Ranks& ranks) {
  const auto backend = settings.get<std::string>("backend");
  return backend == "cuda" || (backend == "auto" && !ranks.any(usableGpus() == 0));
}

/// Returns the number of devices of this rank; `auto` is resolved.
int deviceCount(const Settings& settings, bool areGpus, Ranks& ranks) {
  const int devices = settings.get<int>("devices");
  if (devices > 0) return devices;
  return areGpus ? partOfGpus(gpusOfRanks(ranks, 1), ranks.number(), devicesPerGpu()) : 1;
}

/// Largest value of the key `steps_per_pass`.
constexpr int mostStepsPerPass = 16;

/// Returns the steps of a pass over memory; 0 for `auto`.
int stepsPerPass(const Settings& settings) {
  const auto text = settings.get<std::string>("steps_per_pass");
  return text == "auto" ? 0 : std::stoi(text);
}

GpuOptions gpuOptions(const Settings& settings) {
  GpuOptions options{haloModeOf(settings), {}, stepsPerPass(settings)};
  const auto tile = settings.get<std::string>("tile");
  if (tile == "auto") return options;
  options.launchShape = parseShape(tile);
  if (!options.launchShape) {
    settings.reject(
        "tile",
        "must be auto, or a launch shape of four powers of two such as 4x1x128x2: rows (at most "
        "16) and columns (1, 2 or 4) per thread, threads per block along a line and along the rows "
        "(at most 256 together); optionally a fifth, the lines per block; or, for a plane sweep in "
        "3-D, such as 64x1x128x8m");
  }
  return options;
}

/// Declares the key `steps_per_pass`.
void addStepsPerPass(Schema& schema) {
  std::vector<std::string> passes{"auto"};
  for (int steps = 1; steps <= mostStepsPerPass; ++steps) passes.push_back(std::to_string(steps));
  schema
      .add("steps_per_pass", "auto", "steps",
           "steps that a rule which reads neighbours makes in one pass over memory; auto = the "
           "fastest by measurement")
      .oneOf(std::move(passes))
      .withoutEffectOnResults();
}

}  // namespace

void addModelKeys(Schema& schema) {
  schema
      .add("MAX_PLACE_EXCHANGE", 1, "rows", "largest distance along an axis at which a rule reads")
      .between(1, 64)
      .withoutEffectOnResults();
  schema.add("MAX_AGENT_TRAVEL", 1, "rows", "largest distance along an axis of an agent's move")
      .between(1, 64)
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
      .add("tile", "auto", "",
           "launch shape of GPU kernels: rows x columns per thread x threads per block along a "
           "line x along the rows, such as 4x1x128x2; in 3-D optionally x lines per block, such as "
           "1x2x32x4x8, or m for a plane sweep, such as 64x1x128x8m; auto = measured once and "
           "cached")
      .withoutEffectOnResults();
  schema
      .add("threads", 0, "",
           "CPU threads, shared by all devices; 0 = up to one per usable processor, by measurement")
      .between(0, 4096)
      .withoutEffectOnResults();
  addStepsPerPass(schema);
  schema
      .add(
          "weights", std::vector<double>{}, "",
          "relative number of rows of each device, one number per device of all processes; empty = "
          "equal")
      .above(0)
      .withoutEffectOnResults();
  schema
      .add("ranks.timeout", Ranks::defaultTimeout, "s",
           "longest time without an answer of another rank (a process started by mpirun or srun) "
           "before all end with an error")
      .between(0.1, 1e6)
      .withoutEffectOnResults();
  schema.add("seed", 1, "", "seed of all random numbers").atLeast(0);
}

/// Returns the transport of halos between CPU devices.
std::unique_ptr<HaloTransport> cpuTransport(const DeviceConfig& devices) {
  if (devices.ranks().count() > 1) return std::make_unique<RankHaloTransport>(devices);
  return std::make_unique<LocalHaloTransport>();
}

std::shared_ptr<Engine> makeEngine(const Settings& settings, std::shared_ptr<Ranks> ranks) {
  const bool areGpus = usesGpus(settings, *ranks);
  const int devices = deviceCount(settings, areGpus, *ranks);
  const auto weights = settings.get<std::vector<double>>("weights");
  const auto allDevices = static_cast<std::size_t>(ranks->sum(static_cast<std::uint64_t>(devices)));
  if (!weights.empty() && weights.size() != allDevices) {
    settings.reject("weights", fmt::format("must have one number for each of the 'devices'{}, {}, "
                                           "or none; there are {}",
                                           ranks->count() > 1 ? " of all ranks" : "", allDevices,
                                           weights.size()));
  }
  const GpuOptions options = gpuOptions(settings);
  const auto seed = settings.get<std::uint64_t>("seed");
  if (areGpus) {
    return std::make_shared<Engine>(
        DeviceConfig::gpus(devices, weights, std::move(ranks)),
        [&](const DeviceConfig& gpus) { return makeGpuExecutor(gpus, options); }, seed);
  }
  return std::make_shared<Engine>(
      DeviceConfig::cpu(devices, settings.get<int>("threads"), weights, std::move(ranks)),
      [&](const DeviceConfig& config) {
        return std::make_unique<CpuExecutor>(cpuTransport(config), stepsPerPass(settings));
      },
      seed);
}

void setStreaming(Domain& domain, bool streams, const Settings& settings,
                  const DeviceConfig& devices) {
  const bool isMirrored = std::find(domain.borders.begin(), domain.borders.end(),
                                    Border::mirrored) != domain.borders.end();
  if (isMirrored) return;
  const auto streaming = settings.get<std::string>("streaming");
  if (devices.ranks().count() > 1) {
    if (streams && streaming == "in_place") {
      settings.reject("streaming",
                      "in_place streams within one process, and this run has several ranks: set it "
                      "to auto or two_buffers, which need twice the memory");
    }
    return;
  }
  const bool isAuto = streaming == "auto";
  domain.streamsInPlace = streaming == "in_place" || (isAuto && !devices.areGpus());
  // On several GPUs the AA pattern needs kernels that store into the other GPUs' memory.
  const HaloMode mode = haloModeOf(settings);
  const bool mayStore = mode == HaloMode::automatic || mode == HaloMode::store;
  const bool canStore = devices.size() == 1 || (mayStore && devices.allPeersAccessible());
  domain.mayStreamInPlace =
      isAuto && canStore && (domain.dimensions < 3 || domain.shape[1] <= maxAaLines);
}

}  // namespace mass::detail
