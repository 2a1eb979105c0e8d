#pragma once

#include <mass/backend/cuda/check.hpp>

#include <cstdint>
#include <functional>

namespace mass::detail {

/// Work recorded once, to be queued many times at little cost.
class Graph {
 public:
  /// Records what `work` queues on `stream`, none of which runs.
  Graph(cudaStream_t stream, const std::function<void()>& work);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(cudaStream_t stream) const { MASS_CUDA_CALL(cudaGraphLaunch(graph_, stream)); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Queues adding to a number in a device's memory.
void queueAdd(std::uint64_t* number, std::uint64_t amount, cudaStream_t stream);

}  // namespace mass::detail
