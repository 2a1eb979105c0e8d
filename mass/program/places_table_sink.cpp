#include <mass/program/places_table_sink.hpp>

#include <mass/io/atomic_file.hpp>

#include <utility>

namespace mass::detail {

PlacesTableSink::PlacesTableSink(const Mass& mass, std::string_view prefix, std::string use)
    : mass_(mass), prefix_(prefix), use_(std::move(use)) {}

std::filesystem::path PlacesTableSink::fileOf(const std::string& places) const {
  return prefix_ + places + ".csv";
}

std::map<std::string, std::filesystem::path> PlacesTableSink::tableFiles() const {
  const std::filesystem::path folder = mass_.settings().get<std::string>("output.folder");
  std::map<std::string, std::filesystem::path> files;
  for (const std::string& places : tabled()) files.emplace(places, folder / fileOf(places));
  return files;
}

void PlacesTableSink::addNames(OutputNames& names) const {
  for (const std::string& places : mass_.placesNames()) names.addFile(fileOf(places));
}

std::vector<UsedPath> PlacesTableSink::finalFiles() const {
  std::vector<UsedPath> files;
  for (const auto& [places, file] : tableFiles()) files.emplace_back(use_, file);
  return files;
}

std::vector<std::filesystem::path> PlacesTableSink::files() const {
  std::vector<std::filesystem::path> files;
  for (const auto& [places, file] : tableFiles())
    files.insert(files.end(), {file, partialName(file)});
  return files;
}

std::string PlacesTableSink::resume(const ContinuedRun&, const std::string& run) {
  begin(run);
  return {};
}

}  // namespace mass::detail
