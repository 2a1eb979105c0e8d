#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace fuzz {

/// Returns a copy of `bytes` with a few bits flipped, bytes replaced, the end cut off, or a part
/// repeated.
template <class Random>
std::string damaged(std::string bytes, Random& random) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  for (std::size_t times = 1 + below(3); times > 0 && !bytes.empty(); --times) {
    const std::size_t at = below(bytes.size());
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(16)));
    }
  }
  return bytes;
}

/// Passes each file of a corpus and `count` damaged copies to a fuzzer. A failure ends the program.
template <class Fuzzer>
void runCorpus(const std::string& name, int count, Fuzzer fuzzer) {
  std::mt19937 random(1);
  int files = 0;
  const auto run = [&](const std::string& bytes) {
    EXPECT_NO_THROW(fuzzer(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  };
  for (const auto& file :
       std::filesystem::directory_iterator{MASS_SOURCE_DIR "/tests/fuzz/corpus/" + name}) {
    SCOPED_TRACE(file.path().string());
    std::ifstream stream{file.path(), std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{stream}, {}};
    run(bytes);
    for (int i = 0; i < count; ++i) run(damaged(bytes, random));
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace fuzz
