#include <mass/memory/place_fields.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mass {

PlaceFields::PlaceFields(const DeviceConfig& devices, const Domain& domain,
                         std::vector<Component> components)
    : devices_(&devices),
      domain_(domain),
      partition_(domain.shape[0], devices.weights()),
      ghostPlan_(planGhosts(partition_, domain.reach, domain.borders[0])),
      components_(std::move(components)),
      states_(components_.size()) {
  for (int device = 0; device < devices.size(); ++device) {
    layouts_.push_back(Layout::of(domain, partition_.range(device).size()));
  }
  checkMemory();
  for (int component = 0; component < this->components(); ++component) allocate(component, 0);
  devices.run([this](const Worker& worker) { initialise(worker); });
}

void PlaceFields::checkMemory() const {
  double needed = 0;  // with all back buffers; a double cannot overflow
  std::size_t available = 0;
  for (const Layout& layout : layouts_) {
    for (const Component& component : components_) {
      const double buffers = component.constant ? 1 : 2;
      needed +=
          buffers * static_cast<double>(layout.size) * static_cast<double>(component.elementSize);
    }
  }
  for (int device = 0; device < devices_->size(); ++device) {
    available =
        std::max(available, devices_->device(device).freeBytes());  // CPU devices share one memory
  }
  if (needed > static_cast<double>(available)) {
    throw DeviceError(
        "a world of {} places needs {:.0f} bytes, {} bytes are available: make the world smaller "
        "or use a machine with more memory",
        fmt::join(domain_.shape.begin(), domain_.shape.begin() + domain_.dimensions, " x "), needed,
        available);
  }
}

void PlaceFields::allocate(int component, int which) {
  auto& buffers = state(component).buffers[which];
  for (int device = 0; device < devices_->size(); ++device) {
    const auto bytes =
        static_cast<std::size_t>(layout(device).size) * this->component(component).elementSize;
    buffers.emplace_back(devices_->device(device), bytes);
  }
}

void PlaceFields::initialise(const Worker& worker) {
  const Layout& layout = this->layout(worker.device());
  // Each thread touches first what it will work on later.
  const std::int64_t begin = layout.size * worker.rank() / worker.size();
  const std::int64_t end = layout.size * (worker.rank() + 1) / worker.size();
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    component.fill(frontBuffer(number, worker.device()), begin, end, component.outside);
  }
  worker.barrier();
  if (!worker.leads()) return;
  for (int number = 0; number < components(); ++number) {
    const Component& component = this->component(number);
    void* const data = frontBuffer(number, worker.device());
    for (std::int64_t row = 0; row < layout.rows; ++row) {
      for (std::int64_t line = 0; line < layout.lines; ++line) {
        const std::int64_t first = layout.at(row, line, 0);
        component.fill(data, first, first + layout.columns, component.initial);
        component.fillSides(data, layout, domain_, row, line);
      }
    }
  }
}

void* PlaceFields::buffer(int component, int device, int which) const {
  return state(component).buffers[which][static_cast<std::size_t>(device)].data();
}

void PlaceFields::needBack(int component) {
  const int back = 1 - front(component);
  if (!state(component).buffers[back].empty()) return;
  allocate(component, back);
  devices_->run([&](const Worker& worker) {
    const auto size = static_cast<std::size_t>(layout(worker.device()).size) *
                      this->component(component).elementSize;
    const std::size_t begin =
        size * static_cast<std::size_t>(worker.rank()) / static_cast<std::size_t>(worker.size());
    const std::size_t end = size * static_cast<std::size_t>(worker.rank() + 1) /
                            static_cast<std::size_t>(worker.size());
    std::memcpy(static_cast<char*>(buffer(component, worker.device(), back)) + begin,
                static_cast<const char*>(frontBuffer(component, worker.device())) + begin,
                end - begin);
  });
}

void PlaceFields::refreshSides(int component) {
  devices_->run([&](const Worker& worker) {
    const Layout& layout = this->layout(worker.device());
    void* const data = frontBuffer(component, worker.device());
    for (std::int64_t row = layout.rows * worker.rank() / worker.size();
         row < layout.rows * (worker.rank() + 1) / worker.size(); ++row) {
      for (std::int64_t line = 0; line < layout.lines; ++line) {
        this->component(component).fillSides(data, layout, domain_, row, line);
      }
    }
  });
  setStale(component, true);
}

std::size_t PlaceFields::bytes() const {
  std::size_t total = 0;
  for (const ComponentState& component : states_) {
    for (const auto& buffers : component.buffers) {
      for (const Buffer& buffer : buffers) total += buffer.bytes();
    }
  }
  return total;
}

}  // namespace mass
