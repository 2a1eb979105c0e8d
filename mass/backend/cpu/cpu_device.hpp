#pragma once

#include <mass/backend/device.hpp>

namespace mass::detail {

/// Main memory as a device. Several of them on one machine share it, but never each other's
/// buffers.
class CpuDevice : public Device {
 public:
  explicit CpuDevice(int number) : number_(number) {}

  std::string name() const override;
  /// What the kernel would give without swapping, or less where a control group limits this
  /// process.
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

 private:
  int number_;
};

}  // namespace mass::detail
