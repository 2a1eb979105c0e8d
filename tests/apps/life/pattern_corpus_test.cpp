// Replays the fuzzer's initial corpus: each file covers another path through the parsers.
#include <tests/fuzz/pattern_fuzz.cpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

TEST(PatternCorpus, EveryInputIsReadOrRefused) {
  int inputs = 0;
  const auto folder = std::filesystem::path(MASS_SOURCE_DIR) / "tests/fuzz/corpus/pattern";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_LE(bytes.size(), 1024U) << entry.path();
    SCOPED_TRACE(entry.path());
    EXPECT_NO_THROW(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    ++inputs;
  }
  EXPECT_GT(inputs, 0);
}

}  // namespace
