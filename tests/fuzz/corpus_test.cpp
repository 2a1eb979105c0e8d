// The corpora of the library's fuzzers, and damaged copies of their files.
#include "damaged_corpus.hpp"

// Entry points of the fuzzers.
#define LLVMFuzzerTestOneInput fuzzByteArray
#include "byte_array_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzzCheckpoint
#include "checkpoint_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzzCsv
#include "csv_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzzFrame
#include "frame_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzzGraphFile
#include "graph_file_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzzLiveRequest
#include "live_request_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzzMorphology
#include "morphology_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzzSettings
#include "settings_fuzz.cpp"
#undef LLVMFuzzerTestOneInput

namespace {

TEST(Corpus, OfByteArraysIsReadOrRefused) {
  fuzz::runCorpus("byte_array", 60, fuzzByteArray);
}
TEST(Corpus, OfCheckpointsIsReadOrRefused) {
  fuzz::runCorpus("checkpoint", 200, fuzzCheckpoint);
}
TEST(Corpus, OfCsvIsReadOrRefused) {
  fuzz::runCorpus("csv", 100, fuzzCsv);
}
TEST(Corpus, OfFramesIsContinuedOrRefused) {
  fuzz::runCorpus("frame", 30, fuzzFrame);
}
TEST(Corpus, OfNetworksIsReadOrRefused) {
  fuzz::runCorpus("graph_file", 100, fuzzGraphFile);
}
TEST(Corpus, OfMessagesOfThePageIsReadOrRefused) {
  fuzz::runCorpus("live_request", 200, fuzzLiveRequest);
}
TEST(Corpus, OfMorphologiesIsReadOrRefused) {
  fuzz::runCorpus("morphology", 100, fuzzMorphology);
}
TEST(Corpus, OfSettingsIsReadOrRefused) {
  fuzz::runCorpus("settings", 20, fuzzSettings);
}

}  // namespace
