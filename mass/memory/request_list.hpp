#pragma once

#include <mass/memory/device_vector.hpp>
#include <mass/memory/request_view.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mass::detail {

/// Requests of a rule in host memory, in any sequence.
struct Requests {
  std::vector<std::int64_t> targets, order;   ///< by request, as in RequestView
  std::vector<std::vector<char>> components;  ///< by component: values
  std::uint64_t refused = 0;                  ///< number of requests beyond the maximum

  /// Returns the number of requests.
  std::size_t size() const { return targets.size(); }
  /// Returns the indices of the requests in their order.
  std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> indices(size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    std::ranges::sort(indices, {}, [this](std::size_t i) { return order[i]; });
    return indices;
  }
};

/// Memory on a device for the requests of a rule.
class RequestList {
 public:
  explicit RequestList(Device& device)
      : counters_(device), targets_(device), order_(device), device_(&device) {
    counters_.reserve(2, 0);
  }

  /// Ensures a capacity of `most` requests, and removes all.
  /// @param elementSizes bytes of an element of each component
  /// @throws DeviceError if memory is exhausted
  void prepare(std::int64_t most, const std::vector<std::size_t>& elementSizes) {
    counters_.fill(0, 2, 0);
    targets_.reserve(most, 0);
    order_.reserve(most, 0);
    elementSizes_ = elementSizes;
    while (components_.size() < elementSizes.size()) components_.emplace_back(*device_);
    addresses_.clear();
    for (std::size_t k = 0; k < elementSizes.size(); ++k) {
      components_[k].reserve(most * static_cast<std::int64_t>(elementSizes[k]), 0);
      addresses_.push_back(components_[k].data());
    }
  }
  /// Returns the addresses for kernels; valid until prepare().
  RequestView view() const {
    return {counters_.data(), counters_.data() + 1, targets_.data(), order_.data(),
            addresses_.data()};
  }
  /// Copies the requests to host memory and removes them.
  Requests take() {
    std::uint64_t counters[2] = {};
    counters_.read(counters, 2);
    counters_.fill(0, 2, 0);
    const auto count = static_cast<std::int64_t>(counters[0]);
    Requests all;
    all.refused = counters[1];
    all.targets.resize(counters[0]);
    all.order.resize(counters[0]);
    targets_.read(all.targets.data(), count);
    order_.read(all.order.data(), count);
    for (std::size_t k = 0; k < elementSizes_.size(); ++k) {
      auto& values = all.components.emplace_back(counters[0] * elementSizes_[k]);
      components_[k].read(values.data(), static_cast<std::int64_t>(values.size()));
    }
    return all;
  }

 private:
  DeviceVector<std::uint64_t> counters_;  // numbers of requests and of those refused
  DeviceVector<std::int64_t> targets_, order_;
  std::vector<DeviceVector<char>> components_;
  std::vector<std::size_t> elementSizes_;
  std::vector<void*> addresses_;  // of components_
  Device* device_;
};

}  // namespace mass::detail
