#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/io/settings.hpp>
#include <mass/memory/layout.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/model/engine.hpp>

#include <memory>
#include <vector>

namespace mass::detail {

/// Declares the settings keys that Mass reads: reach, devices, transports and the seed.
void addModelKeys(Schema& schema);

/// Creates the devices of this rank and the executors that the settings select. All ranks call it
/// together.
/// @throws SettingsError if `weights` does not have one number per device, `tile` is malformed, or
///   `ranks.cpu` does not suit the ranks; DeviceError if the devices cannot be used
std::shared_ptr<Engine> makeEngine(const Settings& settings, std::shared_ptr<Ranks> ranks);

/// Sets the ghost rows for several steps per exchange of ranks, by the key `exchange_every`.
/// @throws SettingsError if no device has so many rows
void setGhostRows(Domain& domain, const std::vector<Component>& components,
                  const Settings& settings, const DeviceConfig& devices);

/// Selects the storage of streamed attributes, by the key `streaming`. A domain with a mirrored
/// border, or on several ranks, keeps two buffers.
/// @throws SettingsError if the key asks for in-place streaming on several ranks
void setStreaming(Domain& domain, std::vector<Component>& components, const Settings& settings,
                  const DeviceConfig& devices);

}  // namespace mass::detail
