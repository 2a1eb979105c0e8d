#include <mass/dispatch/bits/bit_rule.hpp>

#include <mass/dispatch/bits/counting.hpp>
#include <mass/dispatch/bits/decision_diagram.hpp>
#include <mass/dispatch/bits/words.hpp>

#include <array>
#include <cstddef>

namespace mass::detail {
namespace {

/// Rule that counts living neighbours. The sum of three neighbouring states of a row serves three
/// rows.
template <class Outcome>
class CountingRule : public BitRule {
 public:
  explicit CountingRule(const Outcome& outcome) : outcome_(outcome) {}

  int planes() const override { return 4; }
  void begin(const BitRows& memory, std::int64_t number, const std::uint64_t* row,
             std::int64_t words) const override {
    const Sums sums = sumsOf(memory, number);
    for (std::int64_t i = 0; i < words; i += wordsOfVector) {
      const auto [one, two] = sumOfThree(row + i);
      storeWords(sums.ones + i, one);
      storeWords(sums.twos + i, two);
    }
  }
  void step(const BitRows& memory, std::int64_t number, const std::uint64_t* row,
            const std::uint64_t* own, std::uint64_t* out, std::int64_t words) const override {
    const Sums before = sumsOf(memory, number - 1);
    const Sums last = sumsOf(memory, number);  // sums two rows before, then of this row
    const Outcome outcome = outcome_;
    for (std::int64_t i = 0; i < words; i += wordsOfVector) {
      const RowSum<Words> sum = sumOfThree(row + i);
      const RowSum<Words> here{loadWords(before.ones + i), loadWords(before.twos + i)};
      const RowSum<Words> above{loadWords(last.ones + i), loadWords(last.twos + i)};
      storeWords(last.ones + i, sum.one);
      storeWords(last.twos + i, sum.two);
      storeWords(out + i, outcome(loadWords(own + i), NineSum<Words>::of(sum, here, above)));
    }
  }

 private:
  /// Memory of the RowSums of a row.
  struct Sums {
    std::uint64_t *ones, *twos;
  };
  static Sums sumsOf(const BitRows& memory, std::int64_t number) {
    return number % 2 == 0 ? Sums{memory.planes[0], memory.planes[1]}
                           : Sums{memory.planes[2], memory.planes[3]};
  }
  static RowSum<Words> sumOfThree(const std::uint64_t* at) {
    return RowSum<Words>::of(beforeOf(at), loadWords(at), afterOf(at));
  }

  Outcome outcome_;
};

/// Rule that depends on the arrangement of the states, by its decision diagram.
class DiagramRule : public BitRule {
 public:
  explicit DiagramRule(const BoolTable& table) : diagram_(table) {}

  int planes() const override { return 9; }
  void begin(const BitRows& memory, std::int64_t number, const std::uint64_t* row,
             std::int64_t words) const override {
    std::uint64_t* const* const planes = memory.planes + planeOf(number);
    for (std::int64_t i = 0; i < words; i += wordsOfVector) {
      storeWords(planes[0] + i, beforeOf(row + i));
      storeWords(planes[1] + i, loadWords(row + i));
      storeWords(planes[2] + i, afterOf(row + i));
    }
  }
  void step(const BitRows& memory, std::int64_t number, const std::uint64_t* row,
            const std::uint64_t* /*own*/, std::uint64_t* out, std::int64_t words) const override {
    begin(memory, number, row, words);
    const std::uint64_t* inputs[DecisionDiagram::inputs];
    for (int k = 0; k < DecisionDiagram::inputs; ++k)
      inputs[k] = memory.planes[planeOf(number - 2 + k / 3) + k % 3];
    std::int64_t i = 0;
    for (; i + mostVectors * wordsOfVector <= words; i += mostVectors * wordsOfVector)
      evaluate<mostVectors>(inputs, i, out);
    for (; i < words; i += wordsOfVector) evaluate<1>(inputs, i, out);
  }

 private:
  /// Vectors for which a node is evaluated together.
  static constexpr std::int64_t mostVectors = 4;

  /// Returns the first of the planes of a row.
  static std::int64_t planeOf(std::int64_t number) { return (number % 3 + 3) % 3 * 3; }

  static std::int64_t offsetOf(std::size_t vector) {
    return static_cast<std::int64_t>(vector) * wordsOfVector;
  }

  template <std::size_t Vectors>
  void evaluate(const std::uint64_t* const* inputs, std::int64_t at, std::uint64_t* out) const {
    std::array<Words, Vectors> values[DecisionDiagram::mostValues];
    for (std::size_t v = 0; v < Vectors; ++v) {
      values[0][v] = Words{};
      values[1][v] = ~Words{};
    }
    const DecisionDiagram::Node* node = diagram_.nodes().data();
    int value = 2;
    for (const auto& level : diagram_.levels()) {
      std::array<Words, Vectors> input;
      for (std::size_t v = 0; v < Vectors; ++v)
        input[v] = loadWords(inputs[level.input] + at + offsetOf(v));
      for (const auto* const end = node + level.nodes; node != end; ++node, ++value)
        for (std::size_t v = 0; v < Vectors; ++v)
          values[value][v] = select<Words>(input[v], values[node->high][v], values[node->low][v]);
    }
    for (std::size_t v = 0; v < Vectors; ++v)
      storeWords(out + at + offsetOf(v), values[diagram_.result()][v]);
  }

  DecisionDiagram diagram_;
};

}  // namespace

std::unique_ptr<const BitRule> makeBitRule(const BoolTable& table) {
  const auto counts = table.counts();
  if (!counts) return std::make_unique<DiagramRule>(table);
  if (*counts == Conway<Words>::counts)
    return std::make_unique<CountingRule<Conway<Words>>>(Conway<Words>(*counts));
  return std::make_unique<CountingRule<AnyCounts<Words>>>(AnyCounts<Words>(*counts));
}

std::int64_t bitRowUnit() {
  return wordsOfVector;
}

}  // namespace mass::detail
