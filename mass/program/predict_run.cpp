#include <mass/program/predict_run.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/backend/rank_packets.hpp>
#include <mass/io/atomic_file.hpp>
#include <mass/io/plot.hpp>
#include <mass/partition/prediction.hpp>
#include <mass/program/devices_text.hpp>
#include <mass/program/run.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

namespace mass::detail {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the places with most places.
const PlaceFields& largestOf(const std::vector<AnyPlaces>& all) {
  if (all.empty()) throw UsageError("--predict: the model has no places");
  return *std::ranges::max_element(all, {}, &AnyPlaces::size)->population().fields;
}

/// Returns the numbers of rows, lines and columns of a world.
std::array<std::int64_t, 3> extentsOf(const Domain& domain) {
  if (domain.dimensions == 2) return {domain.shape[0], 1, domain.shape[1]};
  return domain.shape;
}

/// Measured steps of a model.
struct MeasuredSteps {
  std::int64_t steps = 0;
  double seconds = 0;  ///< time of all, of the slowest rank
};

/// Makes steps until they take `leastSeconds`. @param all places whose FaceTraffic is counted
MeasuredSteps measure(Run& run, const std::vector<AnyPlaces>& all, double leastSeconds,
                      Ranks& ranks) {
  MeasuredSteps measured{1, 0};
  run.step(4);  // selects threads, launch shapes and transports at first
  for (;; measured.steps *= 2) {
    for (const AnyPlaces& places : all) places.population().fields->faces->bytes = 0;
    const Clock::time_point start = Clock::now();
    run.step(measured.steps);
    measured.seconds = std::ranges::max(ranks.allGather(secondsSince(start)));
    if (measured.seconds >= leastSeconds) return measured;
  }
}

/// Returns the seconds of an exchange of some bytes with both neighbours in a ring of ranks.
double exchangeSeconds(Ranks& ranks, std::size_t bytes) {
  constexpr int rounds = 21;
  CpuDevice host(0);
  std::vector<char> sent(2 * bytes), received(2 * bytes);
  RankPackets packets(ranks);
  const int next = (ranks.number() + 1) % ranks.count();
  const int last = (ranks.number() + ranks.count() - 1) % ranks.count();
  for (const auto& [rank, offset] : {std::pair{last, std::size_t{0}}, std::pair{next, bytes}})
    packets.send(rank, host, sent.data() + offset, bytes);
  for (const auto& [rank, offset] : {std::pair{next, bytes}, std::pair{last, std::size_t{0}}})
    packets.receive(rank, host, received.data() + offset, bytes);
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    ranks.barrier();
    const Clock::time_point start = Clock::now();
    packets.start();
    packets.finish();
    times.push_back(secondsSince(start));
  }
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return std::ranges::max(ranks.allGather(times[rounds / 2]));
}

/// Sets latency and bandwidth: those of the settings, or of the network between the ranks.
void setNetwork(PredictedDevices& devices, const Settings& settings, Ranks& ranks) {
  devices.latency = settings.get<double>("predict.latency");
  devices.bandwidth = settings.get<double>("predict.bandwidth");
  devices.overlaps = settings.get<bool>("predict.overlap");
  if (devices.latency > 0 && devices.bandwidth > 0) return;
  if (ranks.count() == 1)
    throw SettingsError(
        "--predict measures the network between ranks: start several (mpirun), or give "
        "'predict.latency' and 'predict.bandwidth'");
  constexpr std::size_t few = 8, many = std::size_t{1} << 22;
  const double latency = exchangeSeconds(ranks, few);
  const double transport = std::max(exchangeSeconds(ranks, many) - latency, 1e-9);
  if (devices.latency == 0) devices.latency = latency;
  if (devices.bandwidth == 0) devices.bandwidth = 2 * static_cast<double>(many) / transport;
}

/// Returns the bytes across a face of the largest places for each of its places and each step.
double faceBytes(const std::vector<AnyPlaces>& all, const PlaceFields& largest, double steps) {
  const auto face = [](const PlaceFields& fields) {
    const auto extents = extentsOf(fields.domain());
    return static_cast<double>(extents[1] * extents[2]);
  };
  double bytes = 0;
  for (const AnyPlaces& places : all) {
    const PlaceFields& fields = *places.population().fields;
    bytes += fields.faces->bytes * face(fields) / face(largest) / steps;
  }
  return bytes;
}

/// World that grows with the devices.
PredictedStep grown(PredictedStep step, const Parts& parts) {
  for (std::size_t axis = 0; axis < step.shape.size(); ++axis)
    step.shape[axis] *= parts.along(axis);
  return step;
}

/// Predictions for a number of devices.
struct Predictions {
  int devices;
  Prediction rows, blocks;            ///< times in the same world
  Prediction rowsGrown, blocksGrown;  ///< times in a world that grows with the devices
};

/// Prediction of a partition that a world does not have.
Prediction impossible(const Parts& parts) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {parts, 0, none, none};
}

/// Largest numbers of steps per exchange that are predicted.
struct MostSteps {
  int inRows, inBlocks;
};

/// Returns the numbers that the library could select for some places: one if they stream, and for
/// blocks of GPUs.
MostSteps mostStepsOf(const PlaceFields& fields) {
  constexpr int most = 32;
  for (int component = 0; component < fields.components(); ++component)
    if (fields.component(component).isStreamed) return {1, 1};
  return {most, fields.devices().areGpus() ? 1 : most};
}

Predictions predictionsOf(const PredictedDevices& devices, const PredictedStep& step,
                          const MostSteps& most, int count) {
  const Parts rows{count, 1};
  const bool hasLines = step.shape[1] > 1;
  const Parts blocks = hasLines ? partsFor(step.shape, count, step.borders) : rows;
  const auto of = [&](const PredictedStep& world, const Parts& parts) {
    const bool areBlocks = parts.lines > 1 || parts.columns > 1;
    for (std::size_t axis = 0; axis < world.shape.size(); ++axis)
      if (parts.along(axis) > world.shape[axis]) return impossible(parts);
    return predict(devices, world, parts, areBlocks ? most.inBlocks : most.inRows);
  };
  return {count, of(step, rows), of(step, blocks), of(grown(step, rows), rows),
          of(grown(step, blocks), blocks)};
}

std::string cell(const Prediction& prediction) {
  if (prediction.stepsPerExchange == 0) return fmt::format("{:>21}", "too few rows");
  return fmt::format("{:>9.3g} s {:>6.1f} % {:>2}", prediction.seconds, 100 * prediction.efficiency,
                     prediction.stepsPerExchange);
}

std::string textOf(const Parts& parts) {
  return fmt::format("{}x{}{}", parts.rows, parts.lines,
                     parts.columns > 1 ? fmt::format("x{}", parts.columns) : "");
}

std::string textOf(const std::vector<Predictions>& all) {
  std::string text =
      fmt::format("  {:>7}  {:>7}  {:>21}  {:>21}  {:>21}  {:>21}\n", "devices", "blocks",
                  "same world, rows", "blocks", "grown world, rows", "blocks");
  for (const Predictions& each : all)
    text += fmt::format("  {:>7}  {:>7}  {}  {}  {}  {}\n", each.devices, textOf(each.blocks.parts),
                        cell(each.rows), cell(each.blocks), cell(each.rowsGrown),
                        cell(each.blocksGrown));
  return text + "  (time of a step, share of the rate of the devices, steps per exchange)\n";
}

/// Writes a table and a plot. @return base of their names
std::filesystem::path write(const std::vector<Predictions>& all, const std::string& name,
                            const Settings& settings) {
  const std::filesystem::path folder = settings.get<std::string>("output.folder");
  std::filesystem::create_directories(folder);
  std::filesystem::path base = folder / (name + "-prediction");
  std::string csv =
      "devices,rows_seconds,rows_efficiency,blocks_seconds,blocks_efficiency,"
      "grown_rows_seconds,grown_rows_efficiency,grown_blocks_seconds,grown_blocks_efficiency\n";
  Plot plot{"Share of the rate of the devices", "devices, as powers of 2", {}, {}};
  const std::array<std::pair<const char*, Prediction Predictions::*>, 4> columns{
      {{"same world, rows", &Predictions::rows},
       {"same world, blocks", &Predictions::blocks},
       {"grown world, rows", &Predictions::rowsGrown},
       {"grown world, blocks", &Predictions::blocksGrown}}};
  for (const auto& [label, column] : columns) plot.lines.push_back({label, {}});
  for (const Predictions& each : all) {
    csv += fmt::to_string(each.devices);
    plot.x.push_back(std::log2(each.devices));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Prediction& prediction = each.*columns[i].second;
      csv += fmt::format(",{:.6g},{:.6g}", prediction.seconds, prediction.efficiency);
      plot.lines[i].values.push_back(prediction.efficiency);
    }
    csv += '\n';
  }
  writeAtomically(base.string() + ".csv", csv);
  writePlot(plot, base);
  return base;
}

}  // namespace

void addPredictionKeys(Schema& schema) {
  schema.withoutEffectOnResults("predict");
  schema
      .add("predict.latency", 0.0, "s",
           "time of an exchange without bytes for --predict; auto (0) = measured between ranks")
      .atLeast(0)
      .orAuto();
  schema
      .add("predict.bandwidth", 0.0, "bytes/s",
           "rate at which a device sends for --predict; auto (0) = measured between ranks")
      .atLeast(0)
      .orAuto();
  schema
      .add("predict.rate", 0.0, "places/s",
           "places that a device computes in a second for --predict; auto (0) = measured")
      .atLeast(0)
      .orAuto();
  schema.add("predict.seconds", 2.0, "s", "time of the steps that --predict measures").above(0);
  schema.add("predict.overlap", true, "",
             "--predict: devices send while they compute, not before or after");
}

std::string predictRun(const Program& program, Settings settings,
                       const std::shared_ptr<Ranks>& ranks, const std::vector<int>& counts) {
  Mass mass(std::move(settings), ranks);
  PredictedDevices devices;
  setNetwork(devices, mass.settings(), *ranks);
  Run run(program, mass);
  const std::vector<AnyPlaces> all = mass.places();
  const PlaceFields& largest = largestOf(all);
  for (const AnyPlaces& places : all) places.population().fields->faces.emplace();
  const auto rate = mass.settings().get<double>("predict.rate");
  // Bytes are counted even if the rate is given.
  const double seconds = rate > 0 ? 0 : mass.settings().get<double>("predict.seconds");
  const MeasuredSteps measured = measure(run, all, seconds, *ranks);
  const auto extents = extentsOf(largest.domain());
  const double places = static_cast<double>(extents[0]) * static_cast<double>(extents[1]) *
                        static_cast<double>(extents[2]);
  devices.rate = rate > 0 ? rate
                          : places * static_cast<double>(measured.steps) / measured.seconds /
                                mass.devices().size();
  const PredictedStep step{extents, faceBytes(all, largest, static_cast<double>(measured.steps)),
                           largest.domain().reach, largest.domain().borders};
  std::vector<int> ascending = counts;
  std::ranges::sort(ascending);
  std::vector<Predictions> predictions;
  for (const int count : ascending)
    predictions.push_back(predictionsOf(devices, step, mostStepsOf(largest), count));
  std::string text = fmt::format(
      "{}: {} x {} x {} places on {}: {:.4g} places/s of a device, {:.3g} bytes across a face for "
      "each of its places, {:.3g} s an exchange, {:.3g} bytes/s\n",
      program.name, extents[0], extents[1], extents[2], devicesText(mass.devices()), devices.rate,
      step.faceBytes, devices.latency, devices.bandwidth);
  text += textOf(predictions);
  if (ranks->isFirst())
    text += fmt::format("  prediction  {}.csv, .png\n",
                        write(predictions, program.name, mass.settings()).string());
  return text;
}

}  // namespace mass::detail
