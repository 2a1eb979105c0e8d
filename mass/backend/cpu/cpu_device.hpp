#pragma once

#include <mass/backend/device.hpp>

namespace mass::detail {

/// Main memory as a device. Several CPU devices share the memory of the machine, but no buffers.
class CpuDevice : public Device {
 public:
  /// @param number number of the device, from 0
  explicit CpuDevice(int number) : number_(number) {}

  std::string name() const override;
  /// Returns the memory that is available without swapping, or less if a control group or the limit
  /// of the address space (ulimit -v) restricts the process.
  std::size_t freeBytes() const override;
  void* allocate(std::size_t bytes) override;
  void deallocate(void* address, std::size_t bytes) noexcept override;
  void fill(void* data, std::size_t elementSize, const Box& box, const void* value) override;
  void copy(void* data, std::size_t elementSize, const Box& from, std::int64_t to) override;
  void duplicate(void* to, const void* from, std::size_t bytes) override;
  void read(const void* data, std::size_t elementSize, const Box& box, void* packed) override;
  void write(void* data, std::size_t elementSize, const Box& box, const void* packed) override;
  std::uint64_t hash(const void* data, std::size_t elementSize, const Box& box, std::uint64_t seed,
                     std::int64_t firstNumber) override;
  void packBits(const void* bytes, const BoolRows& shape, void* words) override;
  void unpackBits(const void* words, const BoolRows& shape, void* bytes) override;
  BlockTotals tallyBlocks(const void* data, const BlockGrid& grid, const BlockRule& rule,
                          void* tallies) override;
  void indexBlocks(const void* tallies, const BlockGrid& grid, const BlockRule& rule,
                   const BlockTotals& totals, void* indices) override;

 private:
  int number_;
};

}  // namespace mass::detail
