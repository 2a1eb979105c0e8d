#pragma once

#include <cstdlib>

namespace mass::testing {

/// True if tests have their full length: with the environment variable MASS_TEST_LONG, which
/// `ctest -C long` sets for the programs that include this file.
inline bool isLongTest() {
  return std::getenv("MASS_TEST_LONG") != nullptr;
}

/// Returns a size of a test. @param full for its full length @param quick otherwise
template <class T>
T fullOr(T full, T quick) {
  return isLongTest() ? full : quick;
}

}  // namespace mass::testing
