#include <mass/program/data_sink.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace mass::detail {
namespace {

std::filesystem::path folderOf(const ModelRun& model) {
  return model.mass.settings().get<std::string>("output.folder");
}

std::variant<FieldSeries, PointSeries> seriesOf(const ModelRun& model,
                                                const DataDeclaration& data) {
  if (data.grid) return FieldSeries(folderOf(model), data.name, *data.grid);
  return PointSeries(folderOf(model), data.name);
}

}  // namespace

void requireFinite(const FiniteCheck& check, std::int64_t step, const std::string& name,
                   const AgentFrame& frame) {
  check.requireArrays(step, frame.arrays, frame.rows, [&](std::size_t row) {
    const auto isId = [](const FieldArray& array) { return array.name == "id"; };
    const auto ids = std::find_if(frame.arrays.begin(), frame.arrays.end(), isId);
    return fmt::format("agent {} of '{}'", static_cast<const std::uint64_t*>(ids->data)[row], name);
  });
}

DataSink::DataSink(const ModelRun& model, const DataDeclaration& data, const FiniteCheck& check)
    : model_(model),
      data_(data),
      check_(check),
      every_(model.mass.settings().get<std::int64_t>("output.data_every")),
      series_(seriesOf(model, data)) {}

std::filesystem::path DataSink::path() const {
  return std::visit([](const auto& series) { return series.path(); }, series_);
}

void DataSink::addNames(OutputNames& names) const {
  names.addFile(path().filename());
  names.series.push_back({path().stem(), ".vtkhdf", OutputNames::digitsOfData});
}

std::vector<UsedPath> DataSink::folders() const {
  return {{"the folder of the data", path().parent_path() / path().stem()}};
}

std::vector<std::filesystem::path> DataSink::files() const {
  return std::visit([](const auto& series) { return series.files(); }, series_);
}

void DataSink::begin(const std::string& run) {
  std::visit([&](auto& series) { series.begin(run); }, series_);
}

std::string DataSink::resume(const ContinuedRun& from, const std::string& run) {
  const std::string frames = from.progress.framesOf(path());
  return std::visit([&](auto& series) { return series.resume(from.step, frames, run); }, series_);
}

void DataSink::write(std::int64_t step) {
  std::visit([&](auto& series) { write(series, step); }, series_);
}

void DataSink::write(FieldSeries& series, std::int64_t step) const {
  const DataFrame frame = data_.arrays();
  if (!model_.mass.devices().ranks().isFirst()) return;  // others have no values
  check_.requireArrays(step, frame.arrays, data_.grid->places(), [&](std::size_t place) {
    return fmt::format("'{}' at ({})", data_.name, fmt::join(data_.grid->coordinates(place), ", "));
  });
  series.add(step, static_cast<double>(step) * model_.timeStep, frame.arrays);
}

void DataSink::write(PointSeries& series, std::int64_t step) const {
  const AgentFrame frame = data_.points();
  requireFinite(check_, step, data_.name, frame);
  if (!model_.mass.devices().ranks().isFirst()) return;
  series.add(step, static_cast<double>(step) * model_.timeStep, frame.rows, frame.arrays.front(),
             std::span(frame.arrays).subspan(1));
}

void DataSink::flush(OutputProgress& progress) {
  if (!model_.mass.devices().ranks().isFirst()) return;
  progress.frames[OutputProgress::frameListOf(path())] =
      std::visit([](const auto& series) { return series.list(); }, series_);
}

std::string DataSink::report() const {
  return fmt::format("  data        {} (for ParaView)\n", path().string());
}

}  // namespace mass::detail
