#include <mass/dispatch/cuda/graph.hpp>

#include <mass/support/cuda/launch_kernel.hpp>

namespace mass::detail {
namespace {

__global__ void add(std::uint64_t* number, std::uint64_t amount) {
  *number += amount;
}

}  // namespace

Graph::Graph(cudaStream_t stream, const std::function<void()>& work) {
  MASS_CUDA_CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaGraph_t recorded = nullptr;
  try {
    work();
  } catch (...) {
    (void)cudaStreamEndCapture(stream, &recorded);
    if (recorded != nullptr) (void)cudaGraphDestroy(recorded);
    throw;
  }
  MASS_CUDA_CALL(cudaStreamEndCapture(stream, &recorded));
  const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
  (void)cudaGraphDestroy(recorded);
  cuda::check(status, "cudaGraphInstantiate");
}

Graph::~Graph() {
  if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
}

void queueAdd(std::uint64_t* number, std::uint64_t amount, cudaStream_t stream) {
  MASS_CUDA_CALL(launchKernel(add, 1, 1, stream, number, amount));
}

}  // namespace mass::detail
