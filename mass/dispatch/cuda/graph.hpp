#pragma once

#include <mass/backend/cuda/check.hpp>

#include <cstdint>
#include <functional>

namespace mass::detail {

/// CUDA graph: work recorded once and launched many times at low cost.
class Graph {
 public:
  /// Captures the work that `work()` queues on `stream`, without running it.
  Graph(cudaStream_t stream, const std::function<void()>& work);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Queues the recorded work on `stream`.
  void launch(cudaStream_t stream) const { MASS_CUDA_CALL(cudaGraphLaunch(graph_, stream)); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Queues `*number += amount` for a number in device memory.
void queueAdd(std::uint64_t* number, std::uint64_t amount, cudaStream_t stream);

}  // namespace mass::detail
