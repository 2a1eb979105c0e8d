// Passes arbitrary bytes as the list of frames in a checkpoint, and as frames and tables of earlier
// versions, which a child process reads: the results are continued, or OutputError is thrown.
#include "fuzz.hpp"

#include <mass/io/agent_table.hpp>
#include <mass/io/field_series.hpp>
#include <mass/io/frame_list.hpp>
#include <mass/support/error.hpp>

#include <fstream>
#include <vector>

namespace {

namespace fs = std::filesystem;

void checkList(const std::string& text) {
  try {
    const std::string written = mass::detail::FrameList::parse(text).text();
    fuzz::require(mass::detail::FrameList::parse(written).text() == written);
  } catch (const mass::detail::hdf5::Failure&) {
  }
}

/// Folder of this process, removed at its end.
struct WorkingFolder {
  fs::path path = fs::temp_directory_path() / ("mass-frame-fuzz-" + std::to_string(::getpid()));
  ~WorkingFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

void writeFrame(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

template <class Continue>
void attempt(Continue continueResults) {
  try {
    continueResults();
  } catch (const mass::OutputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const WorkingFolder folder;
  const std::string_view bytes = fuzz::textOf(data, size);
  checkList(std::string(bytes));
  writeFrame(folder.path / "life/000000000006.vtkhdf", bytes);
  writeFrame(folder.path / "agents/000000000006.h5", bytes);
  attempt([&] {
    mass::detail::FieldSeries series(folder.path, "life", {{13, 37}, {1, 1}, {0, 0}});
    series.resume(6, "", "");
  });
  attempt([&] {
    const std::vector<mass::detail::FieldArray> columns{{"id", mass::detail::ElementType::uint64}};
    (void)mass::detail::AgentTable::open(folder.path / "agents.h5", columns,
                                         mass::detail::AgentTable::Resumed{6, 6, {}});
  });
  return 0;
}
