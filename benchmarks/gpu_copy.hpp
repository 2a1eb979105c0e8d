#pragma once

#include <mass/backend/cuda/check.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>

namespace benchmarks {

/// Returns the copy bandwidth of the first GPU's memory, read and written: the bound of the other
/// benchmarks. Measured in each run, since GPUs and their power limits differ.
inline void copy(benchmark::State& state) {
  const std::size_t bytes = std::size_t{4} << 30;
  void *from = nullptr, *to = nullptr;
  MASS_CUDA_CALL(cudaMalloc(&from, bytes));
  MASS_CUDA_CALL(cudaMalloc(&to, bytes));
  MASS_CUDA_CALL(cudaMemset(from, 1, bytes));
  cudaEvent_t start = nullptr, stop = nullptr;
  MASS_CUDA_CALL(cudaEventCreate(&start));
  MASS_CUDA_CALL(cudaEventCreate(&stop));
  double seconds = 0;
  for (auto _ : state) {
    float milliseconds = 0;
    MASS_CUDA_CALL(cudaEventRecord(start));
    for (int i = 0; i < 5; ++i)
      MASS_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
    MASS_CUDA_CALL(cudaEventRecord(stop));
    MASS_CUDA_CALL(cudaEventSynchronize(stop));
    MASS_CUDA_CALL(cudaEventElapsedTime(&milliseconds, start, stop));
    state.SetIterationTime(milliseconds / 1e3);
    seconds += milliseconds / 1e3;
  }
  state.counters["TB/s"] =
      10.0 * static_cast<double>(bytes) * static_cast<double>(state.iterations()) / seconds / 1e12;
  MASS_CUDA_CALL(cudaEventDestroy(start));
  MASS_CUDA_CALL(cudaEventDestroy(stop));
  MASS_CUDA_CALL(cudaFree(from));
  MASS_CUDA_CALL(cudaFree(to));
}

}  // namespace benchmarks
