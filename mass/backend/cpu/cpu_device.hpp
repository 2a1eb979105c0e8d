#pragma once

#include <mass/backend/device.hpp>

namespace mass {

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

 private:
  int number_;
};

}  // namespace mass
