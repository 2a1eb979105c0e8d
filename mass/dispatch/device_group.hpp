#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/memory/place_fields.hpp>

namespace mass::detail {

/// Returns the devices of which a worker of `device` reads the places in the buffers of their
/// owners during a pass of several steps. Of bands, these are all devices of this rank, whose rows
/// are consecutive; of blocks, the device alone. Places of other groups are ghosts, and the devices
/// of a group compute those that later steps before the next exchange read.
inline DeviceNumbers groupOf(const PlaceFields& fields, int device) {
  return fields.areBlocks() ? DeviceNumbers(device, device + 1) : fields.devices().local();
}

/// True if one device has all places: it is the only one, or all others are idle.
inline bool areOnOneDevice(const PlaceFields& fields) {
  return !fields.areBlocks() && fields.partition().isOnOneDevice();
}

/// True if all devices are one group, which exchanges nothing.
inline bool areOneGroup(const PlaceFields& fields) {
  return fields.devices().ranks().count() == 1 && !fields.areBlocks();
}

}  // namespace mass::detail
