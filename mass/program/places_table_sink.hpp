#pragma once

#include <mass/model/mass.hpp>
#include <mass/program/sink.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Sink with a table `<prefix><places>.csv` for each Places, in `output.folder`.
class PlacesTableSink : public Sink {
 public:
  void addNames(OutputNames& names) const override;
  std::vector<UsedPath> finalFiles() const override;
  std::vector<std::filesystem::path> files() const override;
  /// Calls begin().
  std::string resume(const ContinuedRun&, const std::string& run) override;

 protected:
  /// @param mass must outlive this
  /// @param use use of a table, for messages
  PlacesTableSink(const Mass& mass, std::string_view prefix, std::string use);

  /// Returns the names of the Places that have a table.
  virtual std::vector<std::string> tabled() const = 0;
  /// Returns the path of each table by the name of its Places.
  std::map<std::string, std::filesystem::path> tableFiles() const;

 private:
  std::filesystem::path fileOf(const std::string& places) const;

  const Mass& mass_;
  std::string prefix_, use_;
};

}  // namespace mass::detail
