// Output of a run: columns of the table, and their evaluation.
#include <apps/rdme/setup.hpp>

#include <tests/apps/outputs.hpp>
#include <tests/support/make_mass.hpp>

#include <mass/io/hdf5.hpp>
#include <mass/io/image.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace rdme {
namespace {

using mass::testing::contains;
using mass::testing::TemporaryFolder;

/// Runs a model for some steps, and reads the table with a row for each step.
struct TableRun {
  TemporaryFolder folder;
  std::string out;
  std::map<std::string, std::vector<double>> columns;

  TableRun(const std::string& model, int steps, const std::vector<std::string>& more = {},
           const std::string& checkpoint = {}) {
    auto settings = mass::Settings::parse("model:\n" + model, "cell.yaml", schema());
    mass::testing::setDevices(settings, 1);
    settings.set("steps=" + std::to_string(steps));
    settings.set("output.table_every=1");
    settings.set("output.folder=" + folder.path().string());
    for (const std::string& assignment : more) settings.set(assignment);
    mass::Mass mass(settings);
    mass::Simulation run(mass, "rdme");
    ::testing::internal::CaptureStdout();
    setUp(mass, run);
    if (!checkpoint.empty()) run.restart(checkpoint);
    EXPECT_EQ(run.run(), 0);
    out = ::testing::internal::GetCapturedStdout();
    const auto rows =
        mass::testing::cellsOf(settings.get<std::string>("output.folder") + "/rdme.csv");
    for (std::size_t i = 0; i < rows.front().size(); ++i) {
      for (std::size_t row = 1; row < rows.size(); ++row)
        columns[rows.front()[i]].push_back(std::stod(rows[row].at(i)));
    }
  }
};

const std::string lattice = "  lattice: {sites: [4, 4, 8], spacing: 16 nm, timestep: 50 us}\n";
/// In the layers from z = 4 on, half of the sites have type m; all other sites have type c.
const std::string types =
    "  site types: [c, m]\n  geometry:\n    - everywhere: c\n"
    "    - box: {from: [0 nm, 0 nm, 64 nm], to: [64 nm, 32 nm, 128 nm], type: m}\n";

TEST(Table, CountsSpeciesBySiteType) {
  const TableRun run(
      lattice + types +
          "  species: {A: 1 um2/s, B: {m: 1 um2/s}}\n"
          "  initial:\n    - {species: A, count: 300}\n    - {species: B, count: 20}\n",
      10);
  EXPECT_EQ(run.columns.size(), 1U + 1 + 4 + 1 + 1);
  EXPECT_FALSE(run.columns.contains("B.c"));
  for (std::size_t row = 0; row <= 10; ++row) {
    EXPECT_DOUBLE_EQ(run.columns.at("time")[row], static_cast<double>(row) * 50e-6);
    EXPECT_EQ(run.columns.at("A")[row], 300);
    EXPECT_EQ(run.columns.at("A.c")[row] + run.columns.at("A.m")[row], 300);
    EXPECT_GT(run.columns.at("A.m")[row], 0);
    EXPECT_EQ(run.columns.at("B.m")[row], 20);
  }
  const TableRun plain(lattice + "  species: {A: 1 um2/s}\n  initial: [{species: A, count: 3}]\n",
                       1);
  EXPECT_EQ(plain.columns.size(), 4U) << "step, time, A and overflows";
}

TEST(Table, CountsFullSitesIfReactionsIncreaseTheParticles) {
  const auto hasColumn = [](const std::string& reaction, const std::string& rate) {
    return TableRun(lattice + "  species: {A: 1 um2/s}\n  reactions: [{reaction: " + reaction +
                        ", rate: " + rate + "}]\n  initial: [{species: A, count: 3}]\n",
                    1)
        .columns.contains("full_sites");
  };
  EXPECT_TRUE(hasColumn("A -> 2 A", "1 /s"));
  EXPECT_FALSE(hasColumn("A -> 2 A", "0 /s"));
  EXPECT_FALSE(hasColumn("A -> A", "1 /s"));
}

TEST(Table, CountsOverflows) {
  const TableRun run(lattice + "  species: {A: 1 um2/s}\n  initial: [{species: A, count: 1280}]\n",
                     20);
  EXPECT_GT(run.columns.at("overflows").back(), 0) << "10 in a site in the mean";
}

/// Returns the message of the error at the start or restart of a run.
template <class E>
std::string errorOf(const std::string& model, const std::vector<std::string>& more,
                    const std::string& checkpoint = {}) {
  auto settings = mass::Settings::parse("model:\n" + model, "cell.yaml", schema());
  mass::testing::setDevices(settings, 1);
  for (const std::string& assignment : more) settings.set(assignment);
  mass::Mass mass(settings);
  mass::Simulation run(mass, "rdme");
  return mass::testing::messageOf<E>([&] {
    setUp(mass, run);
    run.restart(checkpoint);
  });
}

TEST(Table, HasNoTwoColumnsOfTheSameName) {
  const std::string clash =
      lattice + "  site types: [c, z7]\n  species: {A: 1 um2/s, B: {c: 1 um2/s}}\n";
  EXPECT_TRUE(contains(errorOf<mass::SettingsError>(clash, {"output.profile_of=A"}),
                       "for the layer and the site type 'z7': rename the site type"));
  EXPECT_TRUE(TableRun(clash, 1, {"output.profile_of=B"}).columns.contains("B.z7"));
}

TEST(Restart, ContinuesTheTableOfAnUninterruptedRun) {
  const std::string crowd =
      lattice + "  species: {A: 1 um2/s}\n  initial: [{species: A, count: 1280}]\n";
  const TableRun whole(crowd, 20), part(crowd, 12, {"checkpoint.every=12"});
  const auto checkpoint = part.folder / "checkpoint.h5";
  const TableRun rest(crowd, 20, {"output.folder=" + part.folder.path().string()}, checkpoint);
  EXPECT_EQ(rest.columns, whole.columns);
}

TEST(Restart, IsRejectedIfSpeciesOrSiteTypesDiffer) {
  const std::string start = lattice + "  site types: [c, m]\n";
  const std::string species = "  species: {A: 1 um2/s, B: 1 um2/s}\n";
  const std::string box =
      "  geometry:\n    - everywhere: c\n    - box: {from: [0 nm, 0 nm, 0 "
      "nm], to: [16 nm, 16 nm, ";
  const std::string geometry = box + "16 nm], type: m}\n";
  const TableRun first(start + species + geometry, 2, {"checkpoint.every=2"});
  const auto error = [&](const std::string& model) {
    return errorOf<mass::CheckpointError>(model, {}, first.folder / "checkpoint.h5");
  };
  EXPECT_TRUE(contains(error(start + "  species: {B: 1 um2/s, A: 1 um2/s}\n" + geometry),
                       "another list of species: 'A, B', not 'B, A'"));
  EXPECT_TRUE(contains(error(start + "  species: {A: 1 um2/s}\n" + geometry),
                       "another list of species: 'A, B', not 'A'"));
  EXPECT_TRUE(contains(error(lattice + species),
                       "another list of site types: 'outside, c, m', not 'outside, inside'"));
  EXPECT_TRUE(contains(error(start + species + box + "32 nm], type: m}\n"),
                       "another 'sites.type', a constant attribute: 1 of 128 places differ, "
                       "first [1, 0, 0]"));
}

TEST(Restart, IsRejectedIfTimeStepOrSpacingDiffer) {
  const auto model = [](const std::string& spacing, const std::string& timestep) {
    return "  lattice: {sites: [4, 4, 8], spacing: " + spacing + ", timestep: " + timestep +
           "}\n  species: {A: 1 um2/s}\n";
  };
  const TableRun first(model("16 nm", "50 us"), 2, {"checkpoint.every=2"});
  const auto checkpoint = first.folder / "checkpoint.h5";
  const auto error = [&](const std::string& other) {
    return errorOf<mass::CheckpointError>(other, {}, checkpoint);
  };
  EXPECT_TRUE(contains(error(model("16 nm", "10 us")), "another timestep: '50 us', not '10 us'"));
  EXPECT_TRUE(contains(error(model("32 nm", "50 us")), "another spacing: '16 nm', not '32 nm'"));
  EXPECT_NO_THROW(TableRun(model("0.016 um", "0.05 ms"), 4, {}, checkpoint));
}

TEST(Restart, IsRejectedIfTheStorageCapacityDiffers) {
  const std::string one = lattice + "  species: {A: 1 um2/s}\n  capacity: ";
  const TableRun shallow(one + "32\n", 2, {"checkpoint.every=2"});
  const TableRun deep(one + "33\n", 2, {"checkpoint.every=2"});
  const auto error = [&](const std::string& capacity, const TableRun& first) {
    return errorOf<mass::CheckpointError>(one + capacity, {}, first.folder / "checkpoint.h5");
  };
  EXPECT_TRUE(contains(error("33\n", shallow),
                       "another room for particles in a site: '32', not '256'; restart with the "
                       "settings of the run that wrote it"));
  EXPECT_TRUE(contains(error("32\n", deep), "room for particles in a site: '256', not '32'"));
  EXPECT_NO_THROW(TableRun(one + "4\n", 4, {}, shallow.folder / "checkpoint.h5"));
}

/// Returns a model of a cell with the clock of events, and a stimulus at 5 ms.
std::string cellOf(const std::string& diameter) {
  return "  clock: events\n  lattice: {sites: [8, 8, 9], spacing: 1 um}\n  site types: [c, m]\n"
         "  geometry:\n    - sphere: {diameter: " +
         diameter +
         ", type: c, shell: m}\n"
         "  species: {A: 60 um2/s, B: {m: 1 um2/s}}\n"
         "  reactions: [{reaction: A <-> B, rate: [20 /s, 10 /s], in: m}]\n"
         "  initial: [{species: A, count: 200}]\n"
         "  stimulus: [{at: 5 ms, species: A, count: 70, box: {from: [2 um, 2 um, 2 um], to: [6 "
         "um, "
         "6 um, 5 um]}}]\n";
}

/// Returns such a model with the clock of steps.
std::string inSteps(std::string model) {
  model.replace(model.find("events"), 6, "steps");
  return model.replace(model.find("spacing: 1 um"), 13, "spacing: 1 um, timestep: 1 ms");
}

TEST(Steps, HaveAStimulus) {
  const TableRun run(inSteps(cellOf("7 um")), 10);
  for (std::size_t row = 0; row <= 10; ++row)
    EXPECT_EQ(run.columns.at("A")[row] + run.columns.at("B")[row], row <= 5 ? 200 : 270) << row;
  const TableRun every(inSteps(cellOf("7 um")), 10, {"output.table_every=10"});
  EXPECT_EQ(every.columns.at("B").back(), run.columns.at("B").back());
}

TEST(Steps, RefuseAStimulusThatDoesNotFit) {
  std::string model = inSteps(cellOf("7 um"));
  model.replace(model.find("count: 70"), 9, "count: 70000");
  auto settings = mass::Settings::parse("model:\n" + model + "steps: 6\n", "cell.yaml", schema());
  mass::testing::setDevices(settings, 1);
  const TemporaryFolder folder;
  settings.set("output.folder=" + folder.path().string());
  mass::Mass mass(settings);
  mass::Simulation run(mass, "rdme");
  setUp(mass, run);
  const auto message = mass::testing::messageOf<mass::ModelError>([&] { run.run(); });
  EXPECT_TRUE(contains(message, "cell.yaml:10: 'model.stimulus[1]': site ")) << message;
  EXPECT_TRUE(
      contains(message, " cannot store all of 70000 further particles: its capacity is 32"));
}

TEST(Events, HaveAStimulusAndNoOverflows) {
  const TableRun run(cellOf("7 um"), 10, {"output.profile_of=A"});
  EXPECT_TRUE(contains(run.out,
                       "  clock       events: each hop and reaction at its own time; a "
                       "step of the run is 1 ms\n"));
  EXPECT_TRUE(contains(run.out,
                       "  events      windows of 1000 us, with 0.36 hops of the fastest "
                       "particle; "));
  EXPECT_TRUE(contains(run.out, " executions of a site in a window\n"));
  EXPECT_FALSE(run.columns.contains("overflows"));
  EXPECT_DOUBLE_EQ(run.columns.at("time")[3], 3e-3);
  for (std::size_t row = 0; row <= 10; ++row) {
    EXPECT_EQ(run.columns.at("A")[row] + run.columns.at("B")[row], row <= 5 ? 200 : 270) << row;
    double sum = 0;
    for (int z = 0; z < 9; ++z) sum += run.columns.at("A.z" + std::to_string(z))[row];
    EXPECT_EQ(sum, run.columns.at("A")[row]);
  }
  EXPECT_GT(run.columns.at("B").back(), 0);
}

TEST(Events, ContinueTheTableOfAnUninterruptedRun) {
  const TableRun whole(cellOf("7 um"), 10);
  for (const int at : {3, 5, 7}) {
    const TableRun first(cellOf("7 um"), 8, {"checkpoint.every=" + std::to_string(at)});
    const TableRun rest(cellOf("7 um"), 10,
                        {"output.folder=" + first.folder.path().string(), "devices=3", "threads=3"},
                        first.folder / "checkpoint.h5");
    EXPECT_EQ(rest.columns, whole.columns) << at;
  }
}

TEST(Events, WriteDataOfTheWholeLattice) {
  namespace hdf5 = mass::detail::hdf5;
  const TableRun run(cellOf("7 um"), 8, {"output.data_every=8", "devices=2"});
  const hdf5::Id file = hdf5::openFile(run.folder / "sites" / "000000000008.vtkhdf");
  const auto countsOf = [&](const std::string& species) {
    std::vector<std::int64_t> counts(576);
    hdf5::readDataset(file, "VTKHDF/CellData/" + species, H5T_NATIVE_INT64, counts.size(),
                      counts.data());
    return counts;
  };
  const auto a = countsOf("A"), b = countsOf("B");
  EXPECT_EQ(std::accumulate(a.begin(), a.end(), 0LL), run.columns.at("A")[8]);
  EXPECT_EQ(std::accumulate(b.begin(), b.end(), 0LL), run.columns.at("B")[8]);
  EXPECT_GT(run.columns.at("B")[8], 0);
  for (std::size_t i = 0; i < a.size(); ++i) {  // 168 sites within 3.5 um of (4, 4, 4.5) exist
    const auto at = mass::coordinatesOf<3>(static_cast<std::int64_t>(i), {9, 8, 8});
    const double x = static_cast<double>(at[2]) - 3.5, y = static_cast<double>(at[1]) - 3.5,
                 z = static_cast<double>(at[0]) - 4;
    if (x * x + y * y + z * z > 3.5 * 3.5) {
      EXPECT_EQ(a[i], 0) << i;
      EXPECT_EQ(b[i], 0) << i;
    }
  }
}

TEST(Events, RefuseACheckpointOfAnotherClockWindowOrGeometry) {
  const TableRun first(cellOf("7 um"), 6, {"checkpoint.every=6"});
  const auto error = [&](const std::string& model, const std::vector<std::string>& more) {
    auto all = more;
    all.emplace_back("steps=9");
    return errorOf<mass::CheckpointError>(model, all, first.folder / "checkpoint.h5");
  };
  EXPECT_TRUE(contains(error(cellOf("7 um"), {"events.window=0.00025"}),
                       "another length of a window: '1000 us', not '250 us'"));
  EXPECT_TRUE(contains(error(cellOf("6 um"), {}), "another places of 'sites'"));
  EXPECT_TRUE(contains(error(inSteps(cellOf("7 um")), {}), "another clock: 'events', not 'steps'"));
}

/// Settings of one particle in two sites, the lower and the upper half.
const std::string walker =
    "  lattice: {sites: [1, 1, 2], spacing: 16 nm, timestep: 50 us}\n  species: {A: 2 um2/s}\n"
    "  initial: [{species: A, count: 1}]\n";

TEST(Profile, MeasuresThePeriodFromTheTimeOfTheSettings) {
  const std::string of = "output.profile_of=A";
  const std::string out = TableRun(walker, 200, {of}).out;
  EXPECT_TRUE(contains(out, " cycles of A\n"));
  EXPECT_TRUE(contains(out, "  period      0.000")) << "some steps of 50 us";
  EXPECT_TRUE(
      contains(TableRun(walker, 200, {of, "output.period_from=1"}).out, "no oscillation of A"));
  EXPECT_FALSE(contains(TableRun(walker, 200).out, "period"));
}

TEST(Profile, DrawsParticlesPerSiteWhereTheyMayBe) {
  // Two particles in each site of m, which has all sites of the lower layers and half of the upper.
  const TableRun run(
      lattice + types +
          "    - box: {from: [0 nm, 0 nm, 0 nm], to: [64 nm, 64 nm, 64 nm], type: m}\n"
          "  species: {A: {m: 0 um2/s}}\n"
          "  initial: [{species: A, count: 192, spread: evenly}]\n",
      3, {"output.profile_of=A"});
  EXPECT_EQ(run.columns.at("A.z3")[1], 32);
  EXPECT_EQ(run.columns.at("A.z4")[1], 16);
  const mass::detail::Image image = mass::readPng(run.folder / "rdme-A.png").image;
  EXPECT_EQ(std::count(image.pixels.begin(), image.pixels.end(), 255),
            static_cast<std::ptrdiff_t>(image.pixels.size()));
}

}  // namespace
}  // namespace rdme
