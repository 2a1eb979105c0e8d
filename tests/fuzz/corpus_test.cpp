#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "settings_fuzz.cpp"  // entry point of the fuzzer

namespace {

TEST(SettingsCorpus, everyFileParsesOrIsRefused) {
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator{MASS_SOURCE_DIR "/tests/fuzz/corpus/settings"}) {
    SCOPED_TRACE(file.path().string());
    std::ifstream stream{file.path(), std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{stream}, {}};
    EXPECT_NO_THROW(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    ++files;
  }
  EXPECT_GE(files, 20);
}

}  // namespace
