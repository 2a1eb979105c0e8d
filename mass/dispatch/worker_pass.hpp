#pragma once

#include <mass/dispatch/bits/bit_pass.hpp>
#include <mass/dispatch/row_pass.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <variant>

namespace mass::detail {

/// Way in which a CPU worker makes the steps of a pass: by kernels on blocks of rows, or on bits.
class WorkerPass {
 public:
  explicit WorkerPass(RowPass pass) : pass_(std::move(pass)) {}
  explicit WorkerPass(BitPass pass) : pass_(std::move(pass)) {}

  /// True if it is faster than kernels that make a single step.
  bool takesSingleSteps() const { return std::holds_alternative<BitPass>(pass_); }
  /// Runs a pass of `steps` steps, see RowPass::run().
  void run(RowRange rows, std::int64_t beyond, std::span<const Launch> launches,
           std::size_t firstRule, int steps) {
    if (auto* const pass = std::get_if<RowPass>(&pass_)) {
      pass->run(rows, beyond, launches, firstRule, steps);
    } else {
      std::get<BitPass>(pass_).run(rows, launches, steps);
    }
  }

 private:
  std::variant<RowPass, BitPass> pass_;
};

}  // namespace mass::detail
