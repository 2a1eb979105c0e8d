#include <mass/backend/cuda/cuda_device.hpp>

#include <mass/support/cuda/launch_kernel.hpp>
#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace mass::detail {
namespace {

constexpr unsigned blockSize = 256;
/// Size of a staging buffer: large enough to hide the latency of a launch, small enough to be
/// allocated quickly.
constexpr std::size_t pieceBytes = std::size_t{4} << 20;

/// Box in words, as a kernel argument. Strides are in words.
struct DeviceBox {
  std::int64_t first, lineCount, wordCount, lineStride, rowStride;

  /// Returns the index in the buffer of word i of the box.
  __device__ std::int64_t at(std::int64_t i) const {
    const std::int64_t line = i / wordCount;
    return first + line / lineCount * rowStride + line % lineCount * lineStride + i % wordCount;
  }
};

/// Unit of copies: `size` is the largest power of two, at most 16, that divides the element size.
template <std::size_t size>
struct alignas(size) Word {
  char bytes[size];
};

/// Sets each element of a box to a value of `period` words.
template <class W>
struct Fill {
  W* data;
  const W* value;
  std::int64_t period;
  __device__ void operator()(std::int64_t i, std::int64_t at) const {
    data[at] = value[i % period];
  }
};
/// Copies a box within its buffer, `distance` words further.
template <class W>
struct Copy {
  W* data;
  std::int64_t distance;
  __device__ void operator()(std::int64_t, std::int64_t at) const {
    data[at + distance] = data[at];
  }
};
/// Copies a box to packed memory.
template <class W>
struct Gather {
  const W* data;
  W* packed;  // address of word 0 of the box
  __device__ void operator()(std::int64_t i, std::int64_t at) const { packed[i] = data[at]; }
};
/// Copies packed memory into a box.
template <class W>
struct Scatter {
  W* data;
  const W* packed;
  __device__ void operator()(std::int64_t i, std::int64_t at) const { data[at] = packed[i]; }
};

/// Calls op(i, at) for words [begin, end) of a box.
template <class Op>
__global__ void forEachWord(DeviceBox box, std::int64_t begin, std::int64_t end, Op op) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = begin + std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end;
       i += step) {
    op(i, box.at(i));
  }
}

/// Adds the hashes of lines to `total`; a thread hashes a line at a time.
__global__ void hashLines(const char* data, std::size_t elementSize, DeviceBox box,
                          std::int64_t lines, std::uint64_t seed, std::int64_t firstNumber,
                          unsigned long long* total) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  std::uint64_t sum = 0;
  for (std::int64_t line = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; line < lines;
       line += step) {
    const auto at = static_cast<std::size_t>(box.at(line * box.wordCount));
    sum += hashBytes(data + at * elementSize, static_cast<std::size_t>(box.wordCount) * elementSize,
                     mix(seed) ^ static_cast<std::uint64_t>(firstNumber + line));
  }
  atomicAdd(total, sum);
}

/// Packs rows of bytes into bits; a thread loads a byte, a warp stores 32 bits.
__global__ void packRows(const unsigned char* bytes, BoolRows shape, std::uint32_t* words) {
  const std::int64_t width = shape.words() * 64, all = shape.rows * width;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += step) {
    const std::int64_t row = i / width, column = i % width;
    const bool isSet = column < shape.columns && bytes[row * shape.byteStride + column] != 0;
    const unsigned word = __ballot_sync(~0U, isSet);
    if (threadIdx.x % 32 == 0) words[row * shape.wordStride * 2 + column / 32] = word;
  }
}
/// Unpacks rows of bits into bytes.
__global__ void unpackRows(const std::uint32_t* words, BoolRows shape, unsigned char* bytes) {
  const std::int64_t all = shape.rows * shape.columns;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += step) {
    const std::int64_t row = i / shape.columns, column = i % shape.columns;
    const std::uint32_t word = words[row * shape.wordStride * 2 + column / 32];
    bytes[row * shape.byteStride + column] = word >> (column % 32) & 1U;
  }
}

/// Returns the grid size for a grid-stride loop over `items` items.
unsigned blocksFor(std::int64_t items) {
  const std::int64_t blocks = (items + blockSize - 1) / blockSize;
  return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, 1 << 16));
}

/// Returns a box in units of words, of which an element has `words`.
DeviceBox inWords(const Box& box, std::int64_t words) {
  return {box.first * words, box.counts[1], box.counts[2] * words, box.strides[1] * words,
          box.strides[0] * words};
}

/// Calls f(Word<size>{}, words) with the word type of an element and its number of words.
template <class F>
void withWord(std::size_t elementSize, F&& f) {
  const auto words = [&](std::size_t size) {
    return static_cast<std::int64_t>(elementSize / size);
  };
  if (elementSize % 16 == 0) return f(Word<16>{}, words(16));
  if (elementSize % 8 == 0) return f(Word<8>{}, words(8));
  if (elementSize % 4 == 0) return f(Word<4>{}, words(4));
  if (elementSize % 2 == 0) return f(Word<2>{}, words(2));
  return f(Word<1>{}, words(1));
}

/// Queues forEachWord over elements [begin, end) of a box.
template <class Op>
void launch(const Box& box, std::int64_t words, std::int64_t begin, std::int64_t end,
            cudaStream_t stream, const Op& op) {
  if (end <= begin) return;
  MASS_CUDA_CALL(launchKernel(forEachWord<Op>, blocksFor((end - begin) * words), blockSize, stream,
                              inWords(box, words), begin * words, end * words, op));
}

/// Calls piece(number, begin, end) for the pieces of a box that fit into a staging buffer.
template <class Piece>
void forEachPiece(const Box& box, std::size_t elementSize, Piece&& piece) {
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(pieceBytes / elementSize, 1));
  std::size_t number = 0;
  for (std::int64_t begin = 0; begin < box.size(); begin += most) {
    piece(number++, begin, std::min(begin + most, box.size()));
  }
}

/// Checks that the program contains code for a GPU, with one kernel: all are compiled for the same
/// architectures. @throws DeviceError if it does not
void checkThereIsCode(const cudaDeviceProp& gpu) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, hashLines) == cudaSuccess) return;
  (void)cudaGetLastError();
  throw DeviceError(
      "this program was not compiled for {} (compute capability {}.{}): build it with "
      "CMAKE_CUDA_ARCHITECTURES={}{}, or set 'backend' to cpu",
      gpu.name, gpu.major, gpu.minor, gpu.major, gpu.minor);
}

}  // namespace

CudaEvent makeEvent() {
  cudaEvent_t event = nullptr;
  MASS_CUDA_CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return CudaEvent(event);
}

/// Double buffer in device memory and in pinned host memory: the host copies one piece while the
/// other is being transferred.
struct CudaDevice::Staging {
  struct Piece {
    char* device = nullptr;
    char* host = nullptr;
    CudaEvent ready = makeEvent();
  };
  std::array<Piece, 2> pieces;

  Staging() {
    for (Piece& piece : pieces) {
      MASS_CUDA_CALL(cudaMalloc(&piece.device, pieceBytes));
      MASS_CUDA_CALL(cudaMallocHost(&piece.host, pieceBytes));
    }
  }
  ~Staging() {
    for (Piece& piece : pieces) {
      (void)cudaFree(piece.device);
      (void)cudaFreeHost(piece.host);
    }
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
};

CudaDevice::StagingMemory CudaDevice::stagingMemory() const {
  return {staging_->pieces[0].device, staging_->pieces[0].host};
}

CudaDevice::CudaDevice(int ordinal, std::set<int> peers)
    : ordinal_(ordinal), peers_(std::move(peers)) {
  const cuda::Current current(ordinal_);
  cudaDeviceProp properties{};
  MASS_CUDA_CALL(cudaGetDeviceProperties(&properties, ordinal_));
  model_ = properties.name;
  overlapsKernels_ = properties.major >= 9;
  checkThereIsCode(properties);
  cudaStream_t stream = nullptr;
  MASS_CUDA_CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_.reset(stream);
  staging_ = std::make_unique<Staging>();
}

bool CudaDevice::mayOverlap(const void* kernel) {
  if (!overlapsKernels_) return false;
  const auto [known, isNew] = mayOverlap_.try_emplace(kernel, false);
  if (isNew) {
    const cuda::Current current(ordinal_);
    cudaFuncAttributes attributes{};
    MASS_CUDA_CALL(cudaFuncGetAttributes(&attributes, kernel));
    // A kernel of another library may contain only PTX for older GPUs, compiled just in time.
    known->second = attributes.ptxVersion >= 90;
  }
  return known->second;
}

BlockMemory CudaDevice::blockMemory(const void* kernel) const {
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    MASS_CUDA_CALL(cudaDeviceGetAttribute(&value, which, ordinal_));
    return value;
  };
  cudaFuncAttributes attributes{};
  MASS_CUDA_CALL(cudaFuncGetAttributes(&attributes, kernel));
  BlockMemory memory;
  if (attribute(cudaDevAttrCooperativeLaunch) == 0) return memory;
  memory.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  memory.bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                 static_cast<std::int64_t>(attributes.sharedSizeBytes);
  return memory;
}

CudaDevice::~CudaDevice() {
  int former = 0;
  (void)cudaGetDevice(&former);
  (void)cudaSetDevice(ordinal_);
  staging_.reset();
  stream_.reset();
  (void)cudaSetDevice(former);
}

void CudaDevice::synchronize() const {
  MASS_CUDA_CALL(cudaStreamSynchronize(stream()));
}

std::string CudaDevice::name() const {
  return fmt::format("gpu{} ({})", ordinal_, model_);
}

bool CudaDevice::canAccess(const Device& other) const {
  const int there = static_cast<const CudaDevice&>(other).ordinal_;
  return there == ordinal_ || peers_.contains(there);
}

std::size_t CudaDevice::freeBytes() const {
  const cuda::Current current(ordinal_);
  std::size_t free = 0, total = 0;
  MASS_CUDA_CALL(cudaMemGetInfo(&free, &total));
  return free;
}

void* CudaDevice::allocate(std::size_t bytes) {
  const cuda::Current current(ordinal_);
  void* address = nullptr;
  const cudaError_t status = cudaMalloc(&address, std::max<std::size_t>(bytes, 1));
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw DeviceError("device {} cannot allocate {} bytes; {} bytes are free", name(), bytes,
                      freeBytes());
  }
  cuda::check(status, "cudaMalloc");
  return address;
}

void CudaDevice::deallocate(void* address, std::size_t) noexcept {
  (void)cudaFree(address);
}

void CudaDevice::fill(void* data, std::size_t elementSize, const Box& box, const void* value) {
  const cuda::Current current(ordinal_);
  auto& piece = staging_->pieces[0];
  if (elementSize > pieceBytes)
    throw DeviceError("an element of {} bytes is too large: at most {} bytes are possible",
                      elementSize, pieceBytes);
  std::memcpy(piece.host, value, elementSize);
  MASS_CUDA_CALL(
      cudaMemcpyAsync(piece.device, piece.host, elementSize, cudaMemcpyHostToDevice, stream()));
  withWord(elementSize, [&](auto word, std::int64_t words) {
    using W = decltype(word);
    launch(box, words, 0, box.size(), stream(),
           Fill<W>{static_cast<W*>(data), reinterpret_cast<const W*>(piece.device), words});
  });
  synchronize();
}

void CudaDevice::copy(void* data, std::size_t elementSize, const Box& from, std::int64_t to) {
  const cuda::Current current(ordinal_);
  withWord(elementSize, [&](auto word, std::int64_t words) {
    using W = decltype(word);
    launch(from, words, 0, from.size(), stream(),
           Copy<W>{static_cast<W*>(data), (to - from.first) * words});
  });
  synchronize();
}

void CudaDevice::duplicate(void* to, const void* from, std::size_t bytes) {
  const cuda::Current current(ordinal_);
  MASS_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()));
  synchronize();
}

void CudaDevice::read(const void* data, std::size_t elementSize, const Box& box, void* packed) {
  const cuda::Current current(ordinal_);
  char* next = static_cast<char*>(packed);  // end of the elements that the host has
  std::size_t pending = 0;                  // bytes of the piece in transfer
  std::size_t last = 0;                     // number of its buffers
  const auto finishTransfer = [&] {
    if (pending == 0) return;
    const auto& piece = staging_->pieces[last];
    MASS_CUDA_CALL(cudaEventSynchronize(piece.ready.get()));
    std::memcpy(next, piece.host, pending);
    next += pending;
  };
  forEachPiece(box, elementSize, [&](std::size_t number, std::int64_t begin, std::int64_t end) {
    const auto& piece = staging_->pieces[number % 2];
    const std::size_t bytes = static_cast<std::size_t>(end - begin) * elementSize;
    withWord(elementSize, [&](auto word, std::int64_t words) {
      using W = decltype(word);
      launch(box, words, begin, end, stream(),
             Gather<W>{static_cast<const W*>(data),
                       reinterpret_cast<W*>(piece.device) - begin * words});
    });
    MASS_CUDA_CALL(
        cudaMemcpyAsync(piece.host, piece.device, bytes, cudaMemcpyDeviceToHost, stream()));
    MASS_CUDA_CALL(cudaEventRecord(piece.ready.get(), stream()));
    finishTransfer();
    pending = bytes;
    last = number % 2;
  });
  finishTransfer();
}

void CudaDevice::write(void* data, std::size_t elementSize, const Box& box, const void* packed) {
  const cuda::Current current(ordinal_);
  const auto* next = static_cast<const char*>(packed);
  forEachPiece(box, elementSize, [&](std::size_t number, std::int64_t begin, std::int64_t end) {
    const auto& piece = staging_->pieces[number % 2];
    const std::size_t bytes = static_cast<std::size_t>(end - begin) * elementSize;
    if (number >= 2) MASS_CUDA_CALL(cudaEventSynchronize(piece.ready.get()));
    std::memcpy(piece.host, next, bytes);
    next += bytes;
    MASS_CUDA_CALL(
        cudaMemcpyAsync(piece.device, piece.host, bytes, cudaMemcpyHostToDevice, stream()));
    withWord(elementSize, [&](auto word, std::int64_t words) {
      using W = decltype(word);
      launch(box, words, begin, end, stream(),
             Scatter<W>{static_cast<W*>(data),
                        reinterpret_cast<const W*>(piece.device) - begin * words});
    });
    MASS_CUDA_CALL(cudaEventRecord(piece.ready.get(), stream()));
  });
  synchronize();
}

std::uint64_t CudaDevice::hash(const void* data, std::size_t elementSize, const Box& box,
                               std::uint64_t seed, std::int64_t firstNumber) {
  const cuda::Current current(ordinal_);
  auto& piece = staging_->pieces[0];
  auto* const total = reinterpret_cast<unsigned long long*>(piece.device);
  MASS_CUDA_CALL(cudaMemsetAsync(total, 0, sizeof(*total), stream()));
  if (box.lines() > 0) {
    MASS_CUDA_CALL(launchKernel(hashLines, blocksFor(box.lines()), blockSize, stream(),
                                static_cast<const char*>(data), elementSize, inWords(box, 1),
                                box.lines(), seed, firstNumber, total));
  }
  MASS_CUDA_CALL(
      cudaMemcpyAsync(piece.host, total, sizeof(*total), cudaMemcpyDeviceToHost, stream()));
  synchronize();
  std::uint64_t sum = 0;
  std::memcpy(&sum, piece.host, sizeof(sum));
  return sum;
}

void CudaDevice::packBits(const void* bytes, const BoolRows& shape, void* words) {
  if (shape.rows == 0) return;
  const cuda::Current current(ordinal_);
  MASS_CUDA_CALL(launchKernel(packRows, blocksFor(shape.rows * shape.words() * 64), blockSize,
                              stream(), static_cast<const unsigned char*>(bytes), shape,
                              static_cast<std::uint32_t*>(words)));
  synchronize();
}

void CudaDevice::unpackBits(const void* words, const BoolRows& shape, void* bytes) {
  if (shape.rows == 0) return;
  const cuda::Current current(ordinal_);
  MASS_CUDA_CALL(launchKernel(unpackRows, blocksFor(shape.rows * shape.columns), blockSize,
                              stream(), static_cast<const std::uint32_t*>(words), shape,
                              static_cast<unsigned char*>(bytes)));
  synchronize();
}

}  // namespace mass::detail
