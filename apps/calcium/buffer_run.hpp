#pragma once

#include <apps/calcium/arms.hpp>
#include <apps/calcium/parameters.hpp>

#include <mass/mass.hpp>

#include <vector>

namespace calcium {

/// Cell with a buffer in one of the forms of the model: BufferSite, whose places are the sites of
/// the cell, or BufferField, whose finite differences read neighbours and need the whole box.
template <class P>
class BufferRun {
 public:
  /// Creates the cell in its initial state.
  BufferRun(mass::Mass& mass, const BufferParameters& parameters);

  const mass::Places<P>& places() const { return places_; }
  const Arms& arms() const { return arms_; }
  /// Advances by a number of steps.
  void advance(mass::Steps steps) const;
  /// Returns the mean of an attribute over the sites of the cell.
  template <auto Member>
  double mean() const {
    return static_cast<double>(places_.template reduce<Member>(mass::sum)) /
           static_cast<double>(arms_.sites());
  }
  /// Returns the free calcium of each site, in the order of arms().indices().
  std::vector<double> calcium() const;
  /// Returns the mean of free calcium over the sites of an arm.
  double calciumOf(int arm) const;

 private:
  Arms arms_;
  mass::Places<P> places_;
  BufferParameters parameters_;
};

}  // namespace calcium
