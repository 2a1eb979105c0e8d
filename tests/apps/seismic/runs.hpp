#pragma once

#include <apps/seismic/setup.hpp>

#include "../program_run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace seismic {

/// Returns the settings of a text.
inline mass::Settings settingsOf(const std::string& yaml,
                                 const std::vector<std::string>& assignments = {}) {
  return mass::testing::settingsOf(yaml, schema(), assignments);
}

/// Run of the program as main() starts it, and its table.
struct ProgramRun : mass::testing::ProgramRun {
  explicit ProgramRun(const std::string& yaml, const std::vector<std::string>& assignments = {})
      : mass::testing::ProgramRun(settingsOf(yaml, assignments), "seismic", setUp) {}
};

/// Ricker wavelet as the moment rate of an explosion in a whole space.
struct Explosion {
  double vp, density;                   ///< m/s, kg/m^3
  double momentRate, frequency, delay;  ///< N m/s, Hz, s

  /// Returns the radial velocity in m/s: (M''(t - r/vp) / (r vp) + M'(t - r/vp) / r^2) / (4 pi rho
  /// vp^2), with the moment M (Aki & Richards, Quantitative Seismology, 2002, eq. 4.29, summed over
  /// the three diagonal components).
  double velocity(double r, double time) const {
    const double pi = std::numbers::pi, t = time - r / vp - delay;
    const double w = pi * frequency, a = w * t;
    const double rate = momentRate * (1 - 2 * a * a) * std::exp(-a * a);
    const double slope = momentRate * (4 * a * a - 6) * a * w * std::exp(-a * a);
    return (slope / (r * vp) + rate / (r * r)) / (4 * pi * density * vp * vp);
  }
};

/// Returns the root of the mean square of the difference of two series over that of the second.
inline double misfit(const std::vector<double>& found, const std::vector<double>& expected) {
  double difference = 0, sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (found.at(i) - expected[i]) * (found[i] - expected[i]);
    sum += expected[i] * expected[i];
  }
  return std::sqrt(difference / sum);
}

/// Returns the misfit of an explosion in a whole space and its analytic velocity. The shortest
/// wavelength, of 2.5 times the frequency of the largest amplitude, spans ten cells.
/// @param wavelengths distance of the receiver, in shortest wavelengths
/// @param courant vp dt / h
/// @param margin cells between source or receiver and the faces behind them
/// @param aside cells between the axis of source and receiver and the faces beside it
inline double misfitOfExplosion(int wavelengths, double courant, int margin, int aside) {
  const double h = 10, vp = 3000, density = 2500;
  const double frequency = vp / (10 * h) / 2.5, dt = courant * h / vp;
  const int cells = 10 * wavelengths;  // to the receiver
  const Explosion exact{vp, density, 1e12, frequency,
                        1.1 / frequency};  // 1.5e-4 of the largest rate at 0
  const double duration = 2 * exact.delay + cells * h / vp;
  const auto yaml = fmt::format(
      "cells: [{}, {}, {}]\nspacing: {}\ntime_step: {}\nduration: {}\ntop: absorbing\n"
      "vp: {}\nvs: 1700\ndensity: {}\nsponge: {{width: 0}}\n"
      "source: {{position: [{}, {}, {}], moment_rate: 1e12, frequency: {}, delay: {}}}\n"
      "receivers: {{R: [{}, {}, {}]}}\noutput: {{energy: false}}\n",
      cells + 2 * margin + 1, 2 * aside + 1, 2 * aside + 1, h, dt, duration, vp, density,
      margin * h, aside * h, aside * h, frequency, exact.delay, (margin + cells) * h, aside * h,
      aside * h);
  const ProgramRun run(yaml);
  std::vector<double> expected;
  for (std::size_t step = 0; step < run.rows.size(); ++step) {
    // The component along x is half a cell beyond the receiver, half a step before the time.
    expected.push_back(exact.velocity((cells + 0.5) * h, (static_cast<double>(step) - 0.5) * dt));
  }
  return misfit(run.column("R.vx"), expected);
}

}  // namespace seismic
