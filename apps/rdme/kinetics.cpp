#include <apps/rdme/kinetics.hpp>
#include <apps/rdme/names.hpp>
#include <apps/rdme/quantity.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace rdme {

namespace propensity {

double zerothOrder(double k, double volume, double timeStep) {
  return k * volume * timeStep;
}

double firstOrder(double k, double timeStep) {
  return k * timeStep;
}

double surface(double k, double area, std::int64_t sites, double volume, double timeStep) {
  return k * area / (static_cast<double>(sites) * volume) * timeStep;
}

double secondOrder(double k, double volume, double timeStep) {
  return k / volume * timeStep;
}

double secondOrderSelf(double k, double volume, double timeStep) {
  return 2 * secondOrder(k, volume, timeStep);
}

}  // namespace propensity

namespace {

constexpr std::size_t mostReactants = 2, mostProducts = 7;

/// Appends a term, "MinE" or "2 MinDm".
void readTerm(const mass::ConfigNode& setting, std::string_view term,
              const std::vector<std::string>& species, std::vector<int>& side) {
  term = trimmed(term);
  std::int64_t times = 1;
  const auto [end, error] = std::from_chars(term.data(), term.data() + term.size(), times);
  if (error == std::errc::result_out_of_range) times = 0;  // refused below
  if (end != term.data()) term.remove_prefix(static_cast<std::size_t>(end - term.data()));
  term = trimmed(term);
  if (term.empty()) setting.reject("a species is missing beside '+' or behind a number");
  if (times < 1 || times > 99) setting.reject("a species takes part 1 to 99 times");
  const int number = numberOf(setting, term, species, "species");
  side.insert(side.end(), static_cast<std::size_t>(times), number);
}

std::vector<int> readSide(const mass::ConfigNode& setting, std::string_view text,
                          const std::vector<std::string>& species) {
  std::vector<int> side;
  text = trimmed(text);
  if (text.empty() || text == "nothing" || text == "0" || text == "∅") return side;
  for (auto plus = text.find('+'); plus != std::string_view::npos; plus = text.find('+')) {
    readTerm(setting, text.substr(0, plus), species, side);
    text.remove_prefix(plus + 1);
  }
  readTerm(setting, text, species, side);
  return side;
}

void requireFewReactants(const mass::ConfigNode& setting, const std::vector<int>& side) {
  if (side.size() <= mostReactants) return;
  setting.reject(
      fmt::format("{} reactants, but a reaction has two at most: write it as two reactions, with "
                  "what two of them make in between",
                  side.size()));
}

/// Turns reactions into channels.
class ReactionReader {
 public:
  explicit ReactionReader(const Model& model) : model_(model) {}

  void read(const mass::ConfigNode& setting) {
    setting.refuseOthers({"reaction", "rate", "in"});
    const mass::ConfigNode& text = setting.at("reaction");
    const mass::ConfigNode& rate = setting.at("rate");
    Equation equation = parseEquation(text, model_.species);
    if (!equation.isReversible) {
      if (rate.isList()) rate.reject("two rates are of a reaction with '<->'");
      addChannels(setting, equation, text.text(), rate);
      return;
    }
    if (!rate.isList() || rate.items().size() != 2)
      rate.reject("a reaction with '<->' has two rates, there and back: [1 /s, 2 /s]");
    const auto at = text.text().find("<->");
    const std::string left{trimmed(text.text().substr(0, at))};
    const std::string right{trimmed(text.text().substr(at + 3))};
    addChannels(setting, equation, left + " -> " + right, rate.items()[0]);
    std::swap(equation.reactants, equation.products);
    addChannels(setting, equation, right + " -> " + left, rate.items()[1]);
  }

  std::vector<ReadChannel> take() { return std::move(channels_); }

 private:
  void addChannels(const mass::ConfigNode& setting, const Equation& equation, const std::string& text,
                   const mass::ConfigNode& rate) {
    for (const int type : typesOf(setting, equation)) {
      Channel channel{type, equation.reactants, equation.products, 0, text, rate.text()};
      channel.propensity = propensityOf(channel, rate);
      channels_.push_back({std::move(channel), &rate});
    }
  }

  /// The site types of `in`; without it, where all reactants (or products, where there are none)
  /// may be.
  std::vector<int> typesOf(const mass::ConfigNode& setting, const Equation& equation) const {
    if (const mass::ConfigNode* const in = setting.find("in")) {
      auto types = siteTypesIn(*in, model_.siteTypes);
      for (const int type : types) {
        requireAllowed(*in, equation.reactants, type);
        requireAllowed(*in, equation.products, type);
      }
      return types;
    }
    const auto& needed = equation.reactants.empty() ? equation.products : equation.reactants;
    std::vector<int> types;
    for (int type = 1; type < static_cast<int>(model_.siteTypes.size()); ++type) {
      if (!std::all_of(needed.begin(), needed.end(),
                       [&](int species) { return model_.mayBe(species, type); }))
        continue;
      requireAllowed(setting.at("reaction"), equation.products, type);
      types.push_back(type);
    }
    if (types.empty())
      setting.at("reaction").reject("there is no site type where all of its reactants may be");
    return types;
  }

  void requireAllowed(const mass::ConfigNode& at, const std::vector<int>& species, int type) const {
    for (const int number : species) {
      if (model_.mayBe(number, type)) continue;
      const auto& name = model_.species[static_cast<std::size_t>(number)];
      const auto& place = model_.siteTypes[static_cast<std::size_t>(type)];
      at.reject(
          fmt::format("{0} may not be in '{1}'; let the reaction happen elsewhere ('in'), or give "
                      "{0} a diffusion coefficient in '{1}'",
                      name, place));
    }
  }

  double propensityOf(const Channel& channel, const mass::ConfigNode& rate) const {
    const double volume = model_.siteVolume(), step = model_.timeStep;
    if (channel.reactants.empty())
      return propensity::zerothOrder(readNotNegative(rate, kinds::zerothOrder), volume, step);
    if (channel.reactants.size() == 2) {
      const double k = readNotNegative(rate, kinds::secondOrder);
      const bool isSelf = channel.reactants[0] == channel.reactants[1];
      return isSelf ? propensity::secondOrderSelf(k, volume, step)
                    : propensity::secondOrder(k, volume, step);
    }
    if (!isSurfaceRate(rate.text()))
      return propensity::firstOrder(readNotNegative(rate, kinds::firstOrder), step);
    const double k = readNotNegative(rate, kinds::surface);
    const auto type = static_cast<std::size_t>(channel.siteType);
    if (!(model_.areas[type] > 0))
      rate.reject(fmt::format(
          "a rate of surface attachment needs the area of '{0}', which is known where '{0}' is the "
          "'shell' of shapes and of nothing else; 'areas: {{{0}: ... um2}}' says it otherwise",
          model_.siteTypes[type]));
    if (model_.sitesOf[type] == 0) return 0;  // nothing is there that reacts
    return propensity::surface(k, model_.areas[type], model_.sitesOf[type], volume, step);
  }

  static bool isSurfaceRate(const std::string& text) {
    try {
      return parseQuantity(text).dimension == kinds::surface.dimension;
    } catch (const mass::InputError&) {
      return false;
    }
  }

  const Model& model_;
  std::vector<ReadChannel> channels_;
};

}  // namespace

Equation parseEquation(const mass::ConfigNode& setting, const std::vector<std::string>& species) {
  const std::string_view text = setting.text();
  Equation equation;
  equation.isReversible = text.find("<->") != std::string_view::npos;
  const std::string_view arrow = equation.isReversible ? "<->" : "->";
  const auto at = text.find(arrow);
  if (at == std::string_view::npos)
    setting.reject("a reaction has an arrow, as 'A + B -> C', or 'A <-> B' for both ways");
  const auto right = text.substr(at + arrow.size());
  if (right.find("->") != std::string_view::npos) setting.reject("a reaction has one arrow");
  equation.reactants = readSide(setting, text.substr(0, at), species);
  equation.products = readSide(setting, right, species);
  requireFewReactants(setting, equation.reactants);
  if (equation.isReversible) requireFewReactants(setting, equation.products);
  if (equation.products.size() > mostProducts)
    setting.reject(fmt::format("{} products, but a reaction has {} at most",
                               equation.products.size(), mostProducts));
  if (equation.reactants.empty() && equation.products.empty())
    setting.reject("there is nothing on both sides");
  return equation;
}

std::vector<ReadChannel> readReactions(const mass::ConfigNode& reactions, const Model& model) {
  ReactionReader reader(model);
  for (const mass::ConfigNode& reaction : reactions.items()) reader.read(reaction);
  return reader.take();
}

}  // namespace rdme
