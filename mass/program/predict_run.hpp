#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/io/schema.hpp>
#include <mass/io/settings.hpp>
#include <mass/program/program.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mass::detail {

/// Declares the keys of the section `predict`.
void addPredictionKeys(Schema& schema);

/// Measures steps of a model on this machine for some seconds, and predicts its time on other
/// numbers of such devices. Writes a table and a plot to the output folder, `<name>-prediction.csv`
/// and `.png`. All ranks call it together.
/// @param counts numbers of devices
/// @return lines for standard output
/// @throws SettingsError if there is one rank and the settings give no network
/// @throws UsageError if the model has no places
std::string predictRun(const Program& program, Settings settings,
                       const std::shared_ptr<Ranks>& ranks, const std::vector<int>& counts);

}  // namespace mass::detail
