// Runs the threads of a block as fibers: one after another on one host thread, each up to its next
// barrier.

#include "block.hpp"

#include <ucontext.h>
#include <csetjmp>
#include <map>
#include <memory>
#include <thread>
#include <vector>

/// Dynamic shared memory of a kernel (mass/kernels/scatter/gpu_persistent_kernel.hpp).
namespace mass::detail {
extern thread_local uint4 memory[];
thread_local uint4 memory[emulated_gpus::sharedBytes / sizeof(uint4)];
}  // namespace mass::detail

namespace emulated_gpus {
namespace {

constexpr std::size_t stackBytes = std::size_t{256} << 10;
constexpr unsigned warpSize = 32;

/// Barrier of the threads of a warp that pass the same mask.
struct WarpBarrier {
  unsigned arrived = 0, participants = 0;
  std::uint64_t generation = 0;
  std::uint64_t pending[warpSize] = {}, values[warpSize] = {};
};
struct Warp {
  unsigned alive = 0;
  std::map<unsigned, WarpBarrier> barriers;  // by mask
};

class Block;
thread_local Block* running = nullptr;

class Block {
 public:
  void run(dim3 number, const std::function<void()>& thread);

  void yield() {
    if (_setjmp(fibers_[at_]->here) == 0) _longjmp(scheduler_, 1);
  }
  void sync();
  WarpValues sync(unsigned mask, std::uint64_t value);
  unsigned lane() const { return at_ % warpSize; }
  void fail() {
    trapped_ = true;
    for (;;) yield();
  }
  bool trapped() const { return trapped_; }

 private:
  /// A context starts a fiber; afterwards longjmp switches without system calls.
  struct Fiber {
    ucontext_t context;
    std::jmp_buf here;
    std::unique_ptr<char[]> stack;
    bool began = false, ended = true;
  };

  static void enter();
  void prepare(unsigned threads);
  void resume(unsigned thread);

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Warp> warps_;
  std::jmp_buf scheduler_;
  const std::function<void()>* task_ = nullptr;
  unsigned at_ = 0, alive_ = 0, arrived_ = 0;
  std::uint64_t generation_ = 0;
  bool trapped_ = false;
  bool advanced_ = false;  // since the last round a barrier was passed, or a thread ended
};

/// Main loop of a fiber, until its host thread ends.
void Block::enter() {
  for (;;) {
    Block& block = *running;
    (*block.task_)();
    const unsigned thread = block.at_;
    block.fibers_[thread]->ended = true;
    block.advanced_ = true;
    --block.alive_;
    block.warps_[thread / warpSize].alive &= ~(1U << thread % warpSize);
    block.yield();
  }
}

void Block::prepare(unsigned threads) {
  while (fibers_.size() < threads) {
    auto fiber = std::make_unique<Fiber>();
    fiber->stack.reset(new char[stackBytes]);
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.get();
    fiber->context.uc_stack.ss_size = stackBytes;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, &Block::enter, 0);
    fibers_.push_back(std::move(fiber));
  }
  warps_.assign((threads + warpSize - 1) / warpSize, {});
  for (unsigned thread = 0; thread < threads; ++thread) {
    fibers_[thread]->ended = false;
    warps_[thread / warpSize].alive |= 1U << thread % warpSize;
  }
  alive_ = threads;
  arrived_ = 0;
}

void Block::resume(unsigned thread) {
  at_ = thread;
  threadIdx =
      dim3(thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y);
  if (_setjmp(scheduler_) != 0) return;
  Fiber& fiber = *fibers_[thread];
  if (std::exchange(fiber.began, true)) _longjmp(fiber.here, 1);
  setcontext(&fiber.context);
}

void Block::run(dim3 number, const std::function<void()>& task) {
  running = this;
  blockIdx = number;
  task_ = &task;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  prepare(threads);
  while (alive_ > 0 && !trapped_) {
    for (unsigned thread = 0; thread < threads && !trapped_; ++thread) {
      if (!fibers_[thread]->ended) resume(thread);
    }
    // Otherwise all wait for other blocks or GPUs, which are other threads of the host.
    if (!std::exchange(advanced_, false)) std::this_thread::yield();
  }
}

void Block::sync() {
  const std::uint64_t before = generation_;
  ++arrived_;
  while (generation_ == before) {
    if (arrived_ == alive_) {
      arrived_ = 0;
      ++generation_;
      advanced_ = true;
    } else {
      yield();
    }
  }
}

WarpValues Block::sync(unsigned mask, std::uint64_t value) {
  Warp& warp = warps_[at_ / warpSize];
  WarpBarrier& barrier = warp.barriers[mask];
  const std::uint64_t before = barrier.generation;
  barrier.arrived |= 1U << lane();
  barrier.pending[lane()] = value;
  while (barrier.generation == before) {
    if ((barrier.arrived & mask & warp.alive) == (mask & warp.alive)) {
      std::copy(std::begin(barrier.pending), std::end(barrier.pending), barrier.values);
      barrier.participants = std::exchange(barrier.arrived, 0);
      ++barrier.generation;
      advanced_ = true;
    } else {
      yield();
    }
  }
  return {barrier.values, barrier.participants};
}

}  // namespace

bool runBlock(dim3 number, const std::function<void()>& thread) {
  // A failed block is leaked: its fibers are suspended in the middle of their work.
  thread_local auto block = std::make_unique<Block>();
  block->run(number, thread);
  if (!block->trapped()) return true;
  (void)block.release();
  block = std::make_unique<Block>();
  return false;
}

void relax() {
  if (running != nullptr) running->yield();
}
void syncBlock() {
  running->sync();
}
WarpValues syncWarp(unsigned mask, std::uint64_t value) {
  return running->sync(mask, value);
}
unsigned laneOfThread() {
  return running->lane();
}
void trap() {
  running->fail();
  __builtin_unreachable();
}

}  // namespace emulated_gpus
