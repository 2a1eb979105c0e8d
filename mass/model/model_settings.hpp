#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/io/settings.hpp>
#include <mass/memory/layout.hpp>
#include <mass/model/engine.hpp>

#include <memory>

namespace mass::detail {

/// Declares the settings keys that Mass reads: reach, devices, transports and the seed.
void addModelKeys(Schema& schema);

/// Creates the devices and executors that the settings select.
/// @throws SettingsError if `weights` does not have one number per device or `tile` is malformed;
///   DeviceError if the devices cannot be used
std::shared_ptr<Engine> makeEngine(const Settings& settings);

/// Selects the number of buffers of streamed attributes, by the key `streaming`. A domain with a
/// mirrored border keeps two buffers.
void setStreaming(Domain& domain, const Settings& settings, const DeviceConfig& devices);

}  // namespace mass::detail
