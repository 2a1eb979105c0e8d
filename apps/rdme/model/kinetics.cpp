#include <apps/rdme/model/kinetics.hpp>
#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/quantity.hpp>
#include <apps/rdme/model/typography.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace rdme {

namespace propensity {

double zerothOrder(double k, double size, double timeStep) {
  return k * size * timeStep;
}

double firstOrder(double k, double timeStep) {
  return k * timeStep;
}

double surface(double k, double area, std::int64_t sites, double volume, double timeStep) {
  return k * area / (static_cast<double>(sites) * volume) * timeStep;
}

double secondOrder(double k, double size, double timeStep) {
  return k / size * timeStep;
}

double secondOrderSelf(double k, double size, double timeStep) {
  return 2 * secondOrder(k, size, timeStep);
}

}  // namespace propensity

namespace {

constexpr std::size_t maxReactants = 2, maxProducts = 7;

/// Number of particles of a species: "MinE" or "2 MinDm".
struct Term {
  std::int64_t count = 1;
  std::string_view species;
};

/// Splits a term into its number, 1 if there is none, and its species.
Term termOf(std::string_view text) {
  Term term{1, trimmed(text)};
  const char* const begin = term.species.data();
  const auto [end, error] = std::from_chars(begin, begin + term.species.size(), term.count);
  if (error == std::errc::result_out_of_range) term.count = 0;  // rejected by append()
  term.species = trimmed(term.species.substr(static_cast<std::size_t>(end - begin)));
  return term;
}

/// Returns `text` without the quotes around it.
std::string_view unquoted(std::string_view text) {
  const bool isQuoted = text.size() > 2 && (text.front() == '"' || text.front() == '\'') &&
                        text.front() == text.back();
  return isQuoted ? text.substr(1, text.size() - 2) : text;
}

/// Parser of one side of an equation. A `+` between blanks joins two terms. Any other `+` belongs
/// to a name if there is a species of this name ("Ca2+"), and joins two terms if there is none.
class SideReader {
 public:
  SideReader(const mass::ConfigNode& setting, const std::vector<std::string>& species)
      : setting_(setting), species_(species) {}

  std::vector<int> read(std::string_view text) const {
    std::vector<int> side;
    text = trimmed(text);
    if (text.empty() || text == "nothing" || text == "0" || text == "∅") return side;
    for (std::size_t plus = joiningPlus(text); plus != npos; plus = joiningPlus(text)) {
      readTerms(text.substr(0, plus), side);
      text.remove_prefix(plus + 1);
    }
    readTerms(text, side);
    return side;
  }

 private:
  static constexpr auto npos = std::string_view::npos;

  /// Returns the position of the first `+` with a blank, or an end of `text`, on both sides.
  static std::size_t joiningPlus(std::string_view text) {
    const auto isBlank = [&](std::size_t at) { return at >= text.size() || text[at] == ' '; };
    for (auto plus = text.find('+'); plus != npos; plus = text.find('+', plus + 1))
      if ((plus == 0 || isBlank(plus - 1)) && isBlank(plus + 1)) return plus;
    return npos;
  }

  std::optional<int> find(std::string_view name) const {
    return findName(unquoted(name), species_);
  }

  bool isTerm(std::string_view text) const {
    return find(trimmed(text)).has_value() || find(termOf(text).species).has_value();
  }

  /// Returns the position of the first `+` that ends a term and is followed by terms.
  std::size_t plusAfterTerm(std::string_view text) const {
    for (auto plus = text.find('+'); plus != npos; plus = text.find('+', plus + 1)) {
      const auto rest = text.substr(plus + 1);
      if (isTerm(text.substr(0, plus)) && (isTerm(rest) || plusAfterTerm(rest) != npos))
        return plus;
    }
    return npos;
  }

  /// Reads terms joined by `+` without blanks: "A+2B".
  void readTerms(std::string_view text, std::vector<int>& side) const {
    while (!isTerm(text)) {
      const std::size_t plus = plusAfterTerm(text);
      if (plus == npos) break;
      append(text.substr(0, plus), side);
      text.remove_prefix(plus + 1);
    }
    append(text, side);
  }

  void append(std::string_view text, std::vector<int>& side) const {
    const auto whole = find(trimmed(text));
    const Term term = whole ? Term{1, trimmed(text)} : termOf(text);
    if (term.species.empty()) setting_.reject("a species is missing beside '+' or after a number");
    if (term.count < 1 || term.count > 99)
      setting_.reject("expected a number of 1 to 99 before a species");
    const int number = numberOf(setting_, unquoted(term.species), species_, "species");
    side.insert(side.end(), static_cast<std::size_t>(term.count), number);
  }

  const mass::ConfigNode& setting_;
  const std::vector<std::string>& species_;
};

void requireFewReactants(const mass::ConfigNode& setting, const std::vector<int>& side) {
  if (side.size() <= maxReactants) return;
  setting.reject(
      fmt::format("{} reactants exceed the limit of two: write two reactions, with an intermediate "
                  "species",
                  side.size()));
}

/// Converts the settings of reactions to channels.
class ReactionReader {
 public:
  explicit ReactionReader(const Model& model) : model_(model) {}

  void read(const mass::ConfigNode& setting) {
    setting.refuseOthers({"reaction", "rate", "in"});
    const mass::ConfigNode& text = setting.at("reaction");
    const mass::ConfigNode& rate = setting.at("rate");
    Equation equation = parseEquation(text, model_.species);
    if (!equation.isReversible) {
      if (rate.isList()) rate.reject("two rates require a reaction with '<->'");
      addChannels(setting, equation, text.text(), rate);
      return;
    }
    if (!rate.isList() || rate.items().size() != 2)
      rate.reject("a reaction with '<->' requires two rates, forward and backward: [1 /s, 2 /s]");
    const std::string plain = plainText(text.text());
    const auto at = plain.find("<->");
    const std::string left{trimmed(std::string_view(plain).substr(0, at))};
    const std::string right{trimmed(std::string_view(plain).substr(at + 3))};
    addChannels(setting, equation, left + " -> " + right, rate.items()[0]);
    std::swap(equation.reactants, equation.products);
    addChannels(setting, equation, right + " -> " + left, rate.items()[1]);
  }

  std::vector<ParsedChannel> take() { return std::move(channels_); }

 private:
  void addChannels(const mass::ConfigNode& setting, const Equation& equation,
                   const std::string& text, const mass::ConfigNode& rate) {
    for (const int type : typesOf(setting, equation)) {
      Channel channel{type, equation.reactants, equation.products, 0, text, rate.text()};
      channel.propensity = propensityOf(channel, rate);
      channels_.push_back({std::move(channel), &rate});
    }
  }

  /// Returns the site types of `in`; without this key, the types in which all reactants may be, or
  /// all products if there are no reactants.
  std::vector<int> typesOf(const mass::ConfigNode& setting, const Equation& equation) const {
    if (const mass::ConfigNode* const in = setting.find("in")) {
      auto types = parseSiteTypes(*in, model_.siteTypes);
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
                       [&](int species) { return model_.isAllowed(species, type); }))
        continue;
      requireAllowed(setting.at("reaction"), equation.products, type);
      types.push_back(type);
    }
    if (types.empty()) setting.at("reaction").reject("no site type allows all of its reactants");
    return types;
  }

  void requireAllowed(const mass::ConfigNode& at, const std::vector<int>& species, int type) const {
    for (const int number : species) {
      if (model_.isAllowed(number, type)) continue;
      const auto& name = model_.species[static_cast<std::size_t>(number)];
      const auto& place = model_.siteTypes[static_cast<std::size_t>(type)];
      at.reject(
          fmt::format("{0} may not be in '{1}': give other site types by 'in', or give {0} a "
                      "diffusion coefficient in '{1}'",
                      name, place));
    }
  }

  double propensityOf(const Channel& channel, const mass::ConfigNode& rate) const {
    struct Order {
      const QuantityKind &inVolume, &onSurface;
    };
    static constexpr std::array<Order, 3> orders{
        {{kinds::zerothOrder, kinds::zerothOrderOnSurface},
         {kinds::firstOrder, kinds::surface},
         {kinds::secondOrder, kinds::secondOrderOnSurface}}};
    const Order& order = orders[channel.reactants.size()];
    if (!isOf(rate.text(), order.onSurface))
      return inVolume(channel, readNotNegative(rate, order.inVolume));
    const double k = readNotNegative(rate, order.onSurface);
    const auto type = static_cast<std::size_t>(channel.siteType);
    if (!(model_.areas[type] > 0))
      rate.reject(
          fmt::format("{0} requires the area of '{1}', which is known if all sites of '{1}' are "
                      "shells of shapes: give it by 'areas: {{{1}: ... um2}}'",
                      order.onSurface.name, model_.siteTypes[type]));
    if (model_.siteCounts[type] == 0) return 0;  // no site, no reaction
    return onSurface(channel, k);
  }

  double inVolume(const Channel& channel, double k) const {
    const double volume = model_.siteVolume(), step = model_.rateTime();
    if (channel.reactants.empty()) return propensity::zerothOrder(k, volume, step);
    if (channel.reactants.size() == 1) return propensity::firstOrder(k, step);
    return isSelf(channel) ? propensity::secondOrderSelf(k, volume, step)
                           : propensity::secondOrder(k, volume, step);
  }

  double onSurface(const Channel& channel, double k) const {
    const auto type = static_cast<std::size_t>(channel.siteType);
    const double area = model_.areas[type], step = model_.rateTime();
    const std::int64_t sites = model_.siteCounts[type];
    if (channel.reactants.size() == 1)
      return propensity::surface(k, area, sites, model_.siteVolume(), step);
    const double perSite = area / static_cast<double>(sites);
    if (channel.reactants.empty()) return propensity::zerothOrder(k, perSite, step);
    return isSelf(channel) ? propensity::secondOrderSelf(k, perSite, step)
                           : propensity::secondOrder(k, perSite, step);
  }

  static bool isSelf(const Channel& channel) {
    return channel.reactants[0] == channel.reactants[1];
  }

  static bool isOf(const std::string& text, const QuantityKind& kind) {
    try {
      return kind.matches(parseQuantity(text).dimension);
    } catch (const mass::InputError&) {
      return false;
    }
  }

  const Model& model_;
  std::vector<ParsedChannel> channels_;
};

}  // namespace

Equation parseEquation(const mass::ConfigNode& setting, const std::vector<std::string>& species) {
  // "Cl-->" without a blank has a species Cl-.
  constexpr Substitution arrows[] = {{" -->", " ->"}, {"<-->", "<->"}, {"=>", "->"}};
  const std::string plain = substituted(plainText(setting.text()), arrows);
  const std::string_view text = plain;
  Equation equation;
  equation.isReversible = text.find("<->") != std::string_view::npos;
  const std::string_view arrow = equation.isReversible ? "<->" : "->";
  const auto at = text.find(arrow);
  if (at == std::string_view::npos)
    setting.reject("expected an arrow, as in 'A + B -> C', or 'A <-> B' for both directions");
  const auto right = text.substr(at + arrow.size());
  if (right.find("->") != std::string_view::npos) setting.reject("expected one arrow");
  const SideReader side(setting, species);
  equation.reactants = side.read(text.substr(0, at));
  equation.products = side.read(right);
  requireFewReactants(setting, equation.reactants);
  if (equation.isReversible) requireFewReactants(setting, equation.products);
  if (equation.products.size() > maxProducts)
    setting.reject(
        fmt::format("{} products exceed the limit of {}", equation.products.size(), maxProducts));
  if (equation.reactants.empty() && equation.products.empty())
    setting.reject("expected a species on at least one side");
  return equation;
}

std::vector<ParsedChannel> readReactions(const mass::ConfigNode& reactions, const Model& model) {
  ReactionReader reader(model);
  for (const mass::ConfigNode& reaction : reactions.items()) reader.read(reaction);
  return reader.take();
}

}  // namespace rdme
