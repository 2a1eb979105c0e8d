#include <apps/life/rule.hpp>

namespace life {
namespace {

std::string digits(std::uint32_t bits) {
  std::string text;
  for (int n = 0; n <= 8; ++n) {
    if ((bits >> n & 1U) != 0) text += static_cast<char>('0' + n);
  }
  return text;
}

}  // namespace

std::string Rule::text() const {
  return fmt::format("B{}/S{}", digits(birth), digits(survival));
}

}  // namespace life
