#include <mass/backend/launcher.hpp>

#include <mass/backend/rank_link.hpp>

#include <gtest/gtest.h>
#include <tests/support/temporary_folder.hpp>

#include <map>
#include <string>

namespace mass::detail {
namespace {

using testing::contains;
using testing::messageOf;
using Variables = std::map<std::string, std::string>;

RankLaunch launchWith(const Variables& variables) {
  return launchOf([&](const char* name) {
    const auto variable = variables.find(name);
    return variable == variables.end() ? nullptr : variable->second.c_str();
  });
}

/// Expects a launch with these properties; the launcher's name contains `launcher`.
void expectLaunch(const Variables& variables, const std::string& launcher, int number, int count) {
  const RankLaunch launch = launchWith(variables);
  EXPECT_TRUE(contains(launch.launcher, launcher));
  EXPECT_EQ(launch.number, number);
  EXPECT_EQ(launch.count, count);
}

TEST(RankLaunch, IsOneProcessWithoutALauncher) {
  EXPECT_EQ(launchWith({}).launcher, "");
  expectLaunch({}, "", 0, 1);
}

TEST(RankLaunch, IsOneProcessInABatchScript) {
  // Variables that Slurm sets for the script of 'sbatch --ntasks=8', and salloc for a shell.
  expectLaunch({{"SLURM_JOB_ID", "17"},
                {"SLURM_NTASKS", "8"},
                {"SLURM_NPROCS", "8"},
                {"SLURM_PROCID", "0"},
                {"SLURM_LOCALID", "0"},
                {"SLURM_TASKS_PER_NODE", "4(x2)"}},
               "", 0, 1);
}

TEST(RankLaunch, OfOpenMpi) {
  expectLaunch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}},
               "Open MPI", 3, 4);
  expectLaunch({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}, "Open MPI", 0, 1);
}

TEST(RankLaunch, OfMpich) {
  expectLaunch({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}, "MPICH", 1, 2);
}

TEST(RankLaunch, OfSrun) {
  const Variables step = {
      {"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "2"}};
  expectLaunch(step, "srun", 2, 4);
  Variables withPmi = step;
  withPmi.insert({{"PMI_SIZE", "4"}, {"PMI_RANK", "2"}});
  expectLaunch(withPmi, "MPICH", 2, 4);
  Variables withPmix = step;
  withPmix.insert({{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "slurm.pmix.17.0"}});
  expectLaunch(withPmix, "srun", 2, 4);
  expectLaunch({{"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}},
               "srun", 0, 1);
}

TEST(RankLaunch, InsideAStepOfSrunIsThatOfTheInnerLauncher) {
  // srun starts a helper on each of two hosts, which start four processes.
  const Variables helper = {{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}};
  Variables openMpi = helper, mpich = helper, pmix = helper;
  openMpi.insert({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  mpich.insert({{"PMI_SIZE", "4"}, {"PMI_RANK", "3"}});
  pmix.insert({{"PMIX_RANK", "3"}, {"PMIX_NAMESPACE", "prterun-a-17@1"}});
  expectLaunch(openMpi, "Open MPI", 3, 4);
  expectLaunch(mpich, "MPICH", 3, 4);
  expectLaunch(pmix, "PMIx", 3, 0);
}

TEST(RankLaunch, IgnoresValuesThatAreNoNumbers) {
  for (const char* value : {"", "four", "4x", "-1", "0", "99999999999"})
    expectLaunch({{"OMPI_COMM_WORLD_SIZE", value}}, "", 0, 1);
  expectLaunch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "-1"}}, "Open MPI", 0, 4);
}

TEST(RankLaunch, MustHaveAsManyProcessesAsMpiConnects) {
  const RankLaunch launch = launchWith({{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}});
  requireConnected(launch, 4, "MPICH");
  const auto message =
      messageOf<RankError>([&] { requireConnected(launch, 1, "Open MPI v4.1.4"); });
  EXPECT_TRUE(contains(message, "a launcher for MPICH has started 4 processes"));
  EXPECT_TRUE(contains(message, "(Open MPI v4.1.4) connects 1 of them"));
  requireConnected(launchWith({{"PMIX_RANK", "0"}}), 3, "Open MPI");
}

TEST(RankLaunch, MustBeOneProcessWithoutMpi) {
  requireOneProcess(launchWith({}));
  requireOneProcess(launchWith({{"OMPI_COMM_WORLD_SIZE", "1"}}));
  const auto message = messageOf<RankError>([] {
    requireOneProcess(launchWith({{"OMPI_COMM_WORLD_SIZE", "4"}}));
  });
  EXPECT_TRUE(contains(message, "Open MPI's mpirun has started 4 processes"));
  EXPECT_TRUE(contains(message, "-DMASS_MPI=ON"));
  EXPECT_TRUE(contains(messageOf<RankError>([] {
                         requireOneProcess(launchWith({{"PMIX_RANK", "0"}}));
                       }),
                       "has started this process"));
}

}  // namespace
}  // namespace mass::detail
