#pragma once

#include <apps/rdme/model/model.hpp>

namespace rdme {

/// Reads an item of `initial`.
/// @pre species, site types and geometry of `model` are set
/// @throws mass::SettingsError if it is invalid
void readInitial(const mass::ConfigNode& setting, Model& model);

/// Reads the key `stimulus`, a list. @pre as readInitial()
/// @throws mass::SettingsError if an item is invalid, contains no site in which its species may be,
///     or is due after the end of the run
void readStimuli(const mass::Settings& settings, const mass::ConfigNode& list, Model& model);

}  // namespace rdme
