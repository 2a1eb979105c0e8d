#pragma once

namespace emulated_gpus {

/// Bytes that a block can ask for at its launch.
inline constexpr std::size_t sharedBytes = std::size_t{227} << 10;

/// Runs the threads of block `number`, by this thread's blockDim and gridDim. Returns false when
/// one has trapped.
bool runBlock(dim3 number, const std::function<void()>& thread);

}  // namespace emulated_gpus
