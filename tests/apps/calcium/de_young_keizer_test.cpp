// IP3 receptors of De Young & Keizer (Proc. Natl. Acad. Sci. 89, 9895, 1992) as a model of events.
#include "runs.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace calcium {
namespace {

/// Concentrations in uM.
struct Bath {
  double ip3, calcium;
};

/// Subunit of a receptor. Bits of its state: IP3 is bound, calcium is bound to the activating site,
/// and to the inhibiting site. Rate constants of table 1, in 1/(uM s) and uM; binding of IP3 and
/// activation are 100 times slower, which leaves the equilibrium as it is.
class Subunit : public mass::Place<1> {
 public:
  static constexpr std::uint8_t ip3 = 1, activating = 2, inhibiting = 4;
  std::uint8_t state = 0;
  using Attributes = mass::Attributes<&Subunit::state>;

  MASS_FN bool has(int site) const { return (state & site) != 0; }
  /// Returns the constants of binding and of the equilibrium of a site.
  MASS_FN double on(int site) const { return site == ip3 ? 4 : site == activating ? 0.2 : 0.2; }
  MASS_FN double half(int site) const {
    if (site == ip3) return has(inhibiting) ? 0.9434 : 0.13;
    if (site == activating) return 0.08234;
    return has(ip3) ? 1.049 : 0.1445;
  }
  template <int site>
  MASS_FN double binding(const Bath& bath) const {
    return has(site) ? 0 : on(site) * (site == ip3 ? bath.ip3 : bath.calcium);
  }
  template <int site>
  MASS_FN double unbinding() const {
    return has(site) ? on(site) * half(site) : 0;
  }
  template <int site>
  MASS_FN void flip() {
    state = static_cast<std::uint8_t>(state ^ site);
  }

  using S = Subunit;
  using Events = mass::Events<mass::event<&S::binding<ip3>, &S::flip<ip3>>,
                              mass::event<&S::unbinding<ip3>, &S::flip<ip3>>,
                              mass::event<&S::binding<activating>, &S::flip<activating>>,
                              mass::event<&S::unbinding<activating>, &S::flip<activating>>,
                              mass::event<&S::binding<inhibiting>, &S::flip<inhibiting>>,
                              mass::event<&S::unbinding<inhibiting>, &S::flip<inhibiting>>>;
};

// 3 10^4 subunits after 60 s, 9 time constants of the slowest site: x110 within 4 standard
// deviations, 6 10^-5.
TEST(DeYoungKeizer, ReachesItsEquilibrium) {
  constexpr std::int64_t subunits = 30000;
  mass::Mass mass(settingsOf("seed: 3\nevents: {window: 0.2}\n"));
  const auto places = mass.createPlaces<Subunit>({subunits});
  places.runEvents(mass::seconds(60), Bath{0.5, 0.3});
  std::array<double, 8> shares{};
  for (const std::uint8_t state : places.download<&Subunit::state>())
    shares.at(state) += 1.0 / subunits;
  const double x110 = shares[Subunit::ip3 | Subunit::activating], expected = 0.37622;
  const double deviation = std::sqrt(expected * (1 - expected) / subunits);
  EXPECT_NEAR(x110, expected, 4 * deviation);
  EXPECT_NEAR(x110 * x110 * x110, 0.05325, 4 * deviation * 3 * expected * expected);
  RecordProperty("x110", fmt::format("{:.5f}", x110));
}

}  // namespace
}  // namespace calcium
