#pragma once

#include "reactor.hpp"

#include <cstdint>
#include <string>
#include <utility>

/// Makes the calls in C++ that load_test.py makes from Python, and returns the state hashes after
/// the rules in turn and after the events.
extern "C" [[gnu::visibility("default"), gnu::used]] inline void reactorHashes(
    int devices, std::uint64_t* hashes) {
  using reactor::Site;
  mass::Settings settings;
  settings.set("seed=5");
  settings.set("backend=cpu");
  settings.set("devices=" + std::to_string(devices));
  settings.set("threads=" + std::to_string(devices));
  mass::Mass mass(std::move(settings));
  const auto sites = mass.createPlaces<Site>({9, 7}, mass::borders<Site>(mass::Border::mirrored));
  sites.callAll<&Site::fill>(20);
  sites.callAll<mass::inTurn<&Site::rise, &Site::count>>(mass::steps(5), 0.5F);
  hashes[0] = mass.hash();
  sites.hopRate<&Site::calcium>(50.0);
  sites.runEvents(mass::seconds(0.02), reactor::Rates{4, 10});
  sites.hopRate<&Site::calcium>([](const auto& from, const auto& to) {
    return to[0] > from[0] ? 80.0 : to[1] > from[1] ? 20.0 : 0.0;
  });
  sites.runEvents(mass::seconds(0.02), reactor::Rates{});
  hashes[1] = mass.hash();
}
