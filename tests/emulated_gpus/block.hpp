#pragma once

namespace emulated_gpus {

/// Maximum dynamic shared memory of a block, in bytes.
inline constexpr std::size_t sharedBytes = std::size_t{227} << 10;

/// Runs the threads of block `number`, with this thread's blockDim and gridDim.
/// @return false if a thread has trapped
bool runBlock(dim3 number, const std::function<void()>& thread);

}  // namespace emulated_gpus
