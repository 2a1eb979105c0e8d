#include <mass/program/observations.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>

namespace mass::detail {

std::vector<std::string> binNames(std::string_view member, std::span<const double> edges) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    if (!(edges[i] < edges[i + 1])) {
      throw UsageError("the edges {} and {} of the histogram of '{}' do not ascend", edges[i],
                       edges[i + 1], member);
    }
    names.push_back(fmt::format("{}.from_{}", member, edges[i]));
  }
  return names;
}

void addRowNames(std::string_view member, std::int64_t rows, std::vector<std::string>& names) {
  for (std::int64_t row = 0; row < rows; ++row) names.push_back(fmt::format("{}.{}", member, row));
}

}  // namespace mass::detail
