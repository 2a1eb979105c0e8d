#include <mass/io/published_maps.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace mass::detail {
namespace {

/// Published colours, two hexadecimal digits per channel.
constexpr std::string_view viridisDigits =
    "44015444025645045745055946075a46085c460a5d460b5e470d60470e61471063471164471365481467481668"
    "48176948186a481a6c481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979"
    "472a7a472c7a472d7b472e7c472f7d46307e46327e46337f463480453581453781453882443983443a83443b84"
    "433d84433e85423f854240864241864142874144874045884046883f47883f48893e49893e4a893e4c8a3d4d8a"
    "3d4e8a3c4f8a3c508b3b518b3b528b3a538b3a548c39558c39568c38588c38598c375a8c375b8d365c8d365d8d"
    "355e8d355f8d34608d34618d33628d33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e"
    "2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e"
    "297b8e287c8e287d8e277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e"
    "23898e238a8d228b8d228c8d228d8d218e8d218f8d21908d21918c20928c20928c20938c1f948c1f958b1f968b"
    "1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f9f881fa0881fa1881fa1871fa28720a38620a486"
    "21a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad8128ae8029af7f2ab07f2cb17e2db27d"
    "2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144bf70"
    "46c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc8635ec96260ca6063cb5f"
    "65cb5e67cc5c69cd5b6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d549"
    "89d5488bd6468ed64590d74393d74195d84098d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32addc30"
    "b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021c8e020cae11fcde11dd0e11cd2e21bd5e21a"
    "d8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61ef6e620f8e621fbe723"
    "fde725";
constexpr std::string_view cividisDigits =
    "00224e00234f00245100255300255400265600275800285900285b00295d002a5f002a61002b62002c64002c66"
    "002d68002e6a002e6c002f6d00306f0030700031700031710132710533710833700c34700f3570123570143670"
    "16377018376f1a386f1c396f1e3a6f203a6f213b6e233c6e243c6e263d6e273e6e293f6e2a3f6d2b406d2d416d"
    "2e416d2f426d31436d32436d33446d34456c35456c36466c38476c39486c3a486c3b496c3c4a6c3d4a6c3e4b6c"
    "3f4c6c404c6c414d6c424e6c434e6c444f6c45506c46516c47516c48526c49536c4a536c4b546c4c556c4d556c"
    "4e566c4f576c50576c51586d52596d535a6d545a6d555b6d555c6d565c6d575d6d585e6d595e6e5a5f6e5b606e"
    "5c616e5d616e5e626e5e636f5f636f60646f61656f62656f636670646770656870656870666970676a71686a71"
    "696b716a6c716b6d726c6d726c6e726d6f726e6f736f7073707173717274727274727374737475747475757575"
    "7676767777767777777878777979777a7a787b7a787c7b787d7c787e7c787e7d787f7e78807f78817f78828079"
    "8381798482798582798683798784788885788985788a86788b87788c88788d88788e89788f8a78908b78918b78"
    "928c78928d78938e78948e77958f779690779791779892779992779a93769b94769c95769d95769e96769f9775"
    "a09875a19975a29975a39a74a49b74a59c74a69c74a79d73a89e73a99f73aaa073aba072aca172ada272aea371"
    "afa471b0a571b1a570b3a670b4a76fb5a86fb6a96fb7a96eb8aa6eb9ab6dbaac6dbbad6dbcae6cbdae6cbeaf6b"
    "bfb06bc0b16ac1b26ac2b369c3b369c4b468c5b568c6b667c7b767c8b866c9b965cbb965ccba64cdbb63cebc63"
    "cfbd62d0be62d1bf61d2c060d3c05fd4c15fd5c25ed6c35dd7c45cd9c55cdac65bdbc75adcc859ddc858dec958"
    "dfca57e0cb56e1cc55e2cd54e4ce53e5cf52e6d051e7d150e8d24fe9d34eead34cebd44bedd54aeed649efd748"
    "f0d846f1d945f2da44f3db42f5dc41f6dd3ff7de3ef8df3cf9e03afbe138fce236fde334fee434fee535fee636"
    "fee838";

MapEntries entriesFrom(std::string_view digits) {
  MapEntries entries;
  for (Rgb& entry : entries) {
    for (std::uint8_t* const channel : {&entry.red, &entry.green, &entry.blue}) {
      std::from_chars(digits.data(), digits.data() + 2, *channel, 16);
      digits.remove_prefix(2);
    }
  }
  return entries;
}

/// Colour as three coordinates; their meaning depends on the space.
using Color = std::array<double, 3>;

/// White D65 in XYZ, for which sRGB is defined.
constexpr Color white{0.95047, 1, 1.08883};

/// Converts sRGB to CIELAB (CIE 15:2004).
Color toLab(Rgb color) {
  const auto linear = [](std::uint8_t channel) {
    const double encoded = channel / 255.0;
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
  };
  const auto f = [](double x) { return x > 0.008856 ? std::cbrt(x) : 7.787 * x + 16.0 / 116; };
  const double red = linear(color.red), green = linear(color.green), blue = linear(color.blue);
  const double x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / white[0]);
  const double y = f((0.2126 * red + 0.7152 * green + 0.0722 * blue) / white[1]);
  const double z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / white[2]);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// Converts CIELAB to sRGB. Channels out of gamut are clamped.
Rgb labToRgb(const Color& lab) {
  const auto inverse = [](double t) { return t > 0.206893 ? t * t * t : (t - 16.0 / 116) / 7.787; };
  const double middle = (lab[0] + 16) / 116;
  const double x = white[0] * inverse(middle + lab[1] / 500);
  const double y = white[1] * inverse(middle);
  const double z = white[2] * inverse(middle - lab[2] / 200);
  const auto channel = [](double linear) {
    const double encoded =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(std::clamp(encoded, 0.0, 1.0) * 255));
  };
  return {channel(3.2406 * x - 1.5372 * y - 0.4986 * z),
          channel(-0.9689 * x + 1.8758 * y + 0.0415 * z),
          channel(0.0557 * x - 0.2040 * y + 1.0570 * z)};
}

/// Polar form of CIELAB: magnitude, saturation and hue, both angles in radians.
Color toMsh(Rgb color) {
  const Color lab = toLab(color);
  const double magnitude = std::hypot(lab[0], lab[1], lab[2]);
  return {magnitude, std::acos(lab[0] / magnitude), std::atan2(lab[2], lab[1])};
}

Rgb mshToRgb(const Color& msh) {
  const double chroma = msh[0] * std::sin(msh[1]);
  return labToRgb(
      {msh[0] * std::cos(msh[1]), chroma * std::cos(msh[2]), chroma * std::sin(msh[2])});
}

/// Returns the hue that an unsaturated colour of `magnitude` has beside a saturated one, so that
/// the change of hue between them is perceived as even.
double hueBeside(const Color& saturated, double magnitude) {
  const double ratio = magnitude / saturated[0];
  const double turn =
      saturated[1] * std::sqrt(std::max(ratio * ratio - 1, 0.0)) / std::sin(saturated[1]);
  return saturated[2] > -1.0471975512 ? saturated[2] + turn : saturated[2] - turn;  // -pi / 3
}

}  // namespace

MapEntries viridis() {
  return entriesFrom(viridisDigits);
}

MapEntries cividis() {
  return entriesFrom(cividisDigits);
}

MapEntries coolwarm() {
  constexpr double leastMiddle = 88;  // magnitude of the light gray in the middle
  const Color cool = toMsh({59, 76, 192}), warm = toMsh({180, 4, 38});
  const double middle = std::max({cool[0], warm[0], leastMiddle});
  MapEntries entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double position = static_cast<double>(i) / (ColorMap::size - 1);
    const Color& end = position < 0.5 ? cool : warm;
    const double share = std::abs(2 * position - 1);  // 0 in the middle, 1 at the end
    entries[i] = mshToRgb({std::lerp(middle, end[0], share), std::lerp(0.0, end[1], share),
                           std::lerp(hueBeside(end, middle), end[2], share)});
  }
  return entries;
}

}  // namespace mass::detail
