#include <mass/mass.hpp>

#include <cstdint>
#include <iostream>

/// Rates in 1/s.
struct Rates {
  double on = 6;  // for a pair in one site
  double off = 10;
};

class Dendrite : public mass::Place<3> {
 public:
  std::int32_t calcium = 0, buffer = 0, bound = 0;
  using Attributes = mass::Attributes<&Dendrite::calcium, &Dendrite::buffer, &Dendrite::bound>;

  MASS_FN double binding(const Rates& k) const { return k.on * calcium * buffer; }
  MASS_FN void bind() { --calcium, --buffer, ++bound; }
  MASS_FN double unbinding(const Rates& k) const { return k.off * bound; }
  MASS_FN void unbind() { ++calcium, ++buffer, --bound; }

  using Events = mass::Events<mass::event<&Dendrite::binding, &Dendrite::bind>,
                              mass::event<&Dendrite::unbinding, &Dendrite::unbind>,
                              mass::hop<&Dendrite::calcium>, mass::hop<&Dendrite::buffer>,
                              mass::hop<&Dendrite::bound>>;
};

int main() {
  mass::Mass mass{mass::Settings()};
  const auto walls = mass::borders<Dendrite>(mass::Border::mirrored);
  const auto places = mass.createPlaces<Dendrite>({40, 4, 4}, walls);
  places.initialise<&Dendrite::calcium>([](const auto& at) { return at[0] < 20 ? 10 : 1; });
  places.initialise<&Dendrite::buffer>([](const auto&) { return 5; });

  const double perSecond = 80 / (0.25 * 0.25);  // D / h²: 80 um²/s, sites of 0.25 um
  places.hopRate<&Dendrite::calcium>(perSecond);
  places.hopRate<&Dendrite::buffer>(perSecond);
  places.hopRate<&Dendrite::bound>(perSecond);

  std::cout << "ms,calcium,bound\n";
  for (int ms = 0; ms <= 20; ms += 5) {
    const auto sites = static_cast<double>(places.size());
    std::cout << ms << ','
              << static_cast<double>(places.reduce<&Dendrite::calcium>(mass::sum)) / sites << ','
              << static_cast<double>(places.reduce<&Dendrite::bound>(mass::sum)) / sites << '\n';
    places.runEvents(mass::seconds(0.005), Rates{});
  }
}
