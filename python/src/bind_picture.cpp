// Pictures of 2-D fields.

#include <python/src/bindings.hpp>

#include <mass/io/picture.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {
namespace {

/// Values of places, row by row from the top.
using Field = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Makes a picture of a quantity, or of categories if there are any.
Picture pictureOf(const Field& values, float low, float high, const std::string& palette,
                  const std::vector<std::string>& categories) {
  Picture picture{std::vector<float>(values.data(), values.data() + values.size()),
                  static_cast<std::int64_t>(values.shape(0)),
                  static_cast<std::int64_t>(values.shape(1)), low, high};
  picture.palette = palette;
  picture.categories = categories;
  return picture;
}

/// Row and column of agents, as shares of the height and the width of a picture.
using Shares = nb::ndarray<const float, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
/// Red, green and blue.
using Channels = std::array<std::uint8_t, 3>;

/// Adds agents over a picture. @param name name in the legend
void addLayer(Picture& picture, const std::string& name, const Channels& color,
              const Shares& shares) {
  std::vector<std::array<float, 2>> at(shares.shape(0));
  for (std::size_t i = 0; i < at.size(); ++i)
    at[i] = {shares.data()[2 * i], shares.data()[2 * i + 1]};
  picture.marks.push_back({name, {color[0], color[1], color[2]}, std::move(at)});
}

/// Returns the name, the colour, and the rows and columns of each kind of agents over a picture, in
/// places of the picture.
nb::list layersOf(const Picture& picture) {
  nb::list layers;
  for (const detail::PictureMarks& marks : picture.marks) {
    std::vector<float> at;
    at.reserve(2 * marks.at.size());
    for (const auto& [row, column] : marks.at) {
      at.push_back(row * static_cast<float>(picture.rows));
      at.push_back(column * static_cast<float>(picture.columns));
    }
    const auto [red, green, blue] = marks.color;
    layers.append(nb::make_tuple(marks.name, nb::make_tuple(red, green, blue),
                                 toNumPy(std::move(at), {marks.at.size(), 2})));
  }
  return layers;
}

/// Writes a picture with its legend. @param note text at the right of the legend
void writePng(const Picture& picture, const std::filesystem::path& file, const std::string& note) {
  const auto [image, colors] = detail::drawPicture(picture, {picture.palette, true, true}, note);
  mass::writePng(file, image, colors);
}

}  // namespace

void bindPicture(nb::module_& module) {
  nb::class_<Picture>(module, "Picture")
      .def_prop_ro(
          "values",
          [](const Picture& self) {
            return toNumPy(self.values, {static_cast<std::size_t>(self.rows),
                                         static_cast<std::size_t>(self.columns)});
          },
          nb::rv_policy::automatic)
      .def_ro("low", &Picture::low)
      .def_ro("high", &Picture::high)
      .def_rw("name", &Picture::name)
      .def_ro("unit", &Picture::unit)
      .def_ro("categories", &Picture::categories)
      .def("add_layer", &addLayer)
      .def("layers", &layersOf)
      .def("write_png", &writePng);
  module.def("picture_of", &pictureOf);
}

}  // namespace mass::python
