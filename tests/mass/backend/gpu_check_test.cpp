// Tests of mass/backend/cuda/check.hpp.
#include <mass/backend/cuda/check.hpp>

#include "../../support/temporary_folder.hpp"

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using mass::testing::contains;

std::string messageOf(cudaError_t status) {
  return mass::testing::messageOf<mass::DeviceError>(
      [&] { mass::detail::cuda::check(status, "cudaCall"); });
}

TEST(Check, SaysThatAllIsLostWhereTheProcessMustEnd) {
  for (const cudaError_t status :
       {cudaErrorLaunchFailure, cudaErrorECCUncorrectable, cudaErrorContained,
        cudaErrorExternalDevice, cudaErrorMpsClientTerminated}) {
    EXPECT_TRUE(contains(messageOf(status), "is lost: start again from the last checkpoint"));
  }
}

TEST(Check, SaysThatNothingIsLostWhereAGpuIsTakenOrACallCannotBe) {
  const std::string taken = messageOf(cudaErrorDevicesUnavailable);
  EXPECT_FALSE(contains(taken, "lost"));
  EXPECT_TRUE(contains(taken, "another process uses a GPU exclusively"));
  EXPECT_TRUE(contains(taken, "CUDA_VISIBLE_DEVICES"));
  EXPECT_FALSE(contains(messageOf(cudaErrorInvalidValue), "lost"));
}

}  // namespace
