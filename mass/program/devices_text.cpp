#include <mass/program/devices_text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace mass::detail {

std::string devicesText(const DeviceConfig& devices) {
  std::set<std::string> models;
  if (devices.areGpus()) {
    for (const int device : devices.local()) models.insert(devices.device(device).model());
  }
  std::string text =
      fmt::format("{} {} device{}{}", devices.size(),
                  devices.areMixed()  ? "GPU and CPU"
                  : devices.areGpus() ? "GPU"
                                      : "CPU",
                  devices.size() == 1 ? "" : "s",
                  models.empty() ? "" : fmt::format(" ({})", fmt::join(models, ", ")));
  if (const int ranks = devices.ranks().count(); ranks > 1)
    text += fmt::format(" of {} ranks", ranks);
  return text;
}

}  // namespace mass::detail
