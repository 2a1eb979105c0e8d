#include <mass/dispatch/bits/bit_rule.hpp>

#include <mass/dispatch/bits/decision_diagram.hpp>
#include <mass/dispatch/bits/words.hpp>

#include <array>
#include <cstddef>

namespace mass::detail {
namespace {

/// Sum of the nine states of a place and its neighbours: one + 2 (two + alsoTwo) + 4 four.
struct NineSum {
  Words one, two, alsoTwo, four;
};

/// Conway's rule, B3/S23: true for a sum of three, kept for a sum of four.
struct Conway {
  Words operator()(Words own, const NineSum& sum) const {
    const Words isThree = combine([](auto a, auto b, auto four) { return (a ^ b) & ~four; },
                                  sum.two, sum.alsoTwo, sum.four);
    const Words isFour =
        combine([](auto a, auto b, auto four) { return (~(a | b) & four) | (a & b & ~four); },
                sum.two, sum.alsoTwo, sum.four);
    return select(sum.one, isThree, own & isFour);
  }
};

/// Any rule that counts, by selection among the results for each sum.
class AnyCounts {
 public:
  explicit AnyCounts(const LifeCounts& counts) {
    for (std::size_t sum = 0; sum < results_.size(); ++sum) {
      const bool isBorn = (counts.birth >> sum & 1U) != 0;
      const bool survives = sum > 0 && (counts.survival >> (sum - 1) & 1U) != 0;
      results_[sum] = {allOf(survives), allOf(isBorn)};
    }
  }
  Words operator()(Words own, const NineSum& sum) const {
    const auto of = [&](std::size_t k) { return select(own, results_[k].own, results_[k].other); };
    const auto ofPair = [&](std::size_t k) { return select(sum.one, of(k + 1), of(k)); };
    const Words isTwo = sum.two ^ sum.alsoTwo;
    const Words isFour = combine([](auto a, auto b, auto four) { return (a & b) ^ four; }, sum.two,
                                 sum.alsoTwo, sum.four);
    const Words isEight = combine([](auto a, auto b, auto four) { return a & b & four; }, sum.two,
                                  sum.alsoTwo, sum.four);
    const Words low = select(isTwo, ofPair(2), ofPair(0));
    const Words high = select(isTwo, ofPair(6), ofPair(4));
    return select(isEight, ofPair(8), select(isFour, high, low));
  }

 private:
  /// Results for true and for false places.
  struct Result {
    Words own, other;
  };
  static Words allOf(bool bit) { return Words{} - (bit ? 1U : 0U); }

  std::array<Result, 10> results_;
};

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
    const Sums last = sumsOf(memory, number);  // of the row two before; then of this one
    const Outcome outcome = outcome_;
    for (std::int64_t i = 0; i < words; i += wordsOfVector) {
      const auto [one, two] = sumOfThree(row + i);
      const Words ones[] = {loadWords(last.ones + i), loadWords(before.ones + i)};
      const Words twos[] = {loadWords(last.twos + i), loadWords(before.twos + i)};
      storeWords(last.ones + i, one);
      storeWords(last.twos + i, two);
      storeWords(out + i,
                 outcome(loadWords(own + i),
                         {oddOf(one, ones[0], ones[1]), majorityOf(one, ones[0], ones[1]),
                          oddOf(two, twos[0], twos[1]), majorityOf(two, twos[0], twos[1])}));
    }
  }

 private:
  /// Sums of three neighbouring states of a row: ones + 2 twos.
  struct Sums {
    std::uint64_t *ones, *twos;
  };
  static Sums sumsOf(const BitRows& memory, std::int64_t number) {
    return number % 2 == 0 ? Sums{memory.planes[0], memory.planes[1]}
                           : Sums{memory.planes[2], memory.planes[3]};
  }
  static std::array<Words, 2> sumOfThree(const std::uint64_t* at) {
    const Words before = beforeOf(at), own = loadWords(at), after = afterOf(at);
    return {oddOf(before, own, after), majorityOf(before, own, after)};
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
          values[value][v] = select(input[v], values[node->high][v], values[node->low][v]);
    }
    for (std::size_t v = 0; v < Vectors; ++v)
      storeWords(out + at + offsetOf(v), values[diagram_.result()][v]);
  }

  DecisionDiagram diagram_;
};

}  // namespace

std::unique_ptr<const BitRule> makeBitRule(const BoolTable& table) {
  constexpr LifeCounts conway{1U << 3U, 1U << 2U | 1U << 3U};
  const auto counts = table.counts();
  if (!counts) return std::make_unique<DiagramRule>(table);
  if (*counts == conway) return std::make_unique<CountingRule<Conway>>(Conway{});
  return std::make_unique<CountingRule<AnyCounts>>(AnyCounts(*counts));
}

std::int64_t bitRowUnit() {
  return wordsOfVector;
}

}  // namespace mass::detail
