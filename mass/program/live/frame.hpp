#pragma once

#include <mass/io/picture.hpp>
#include <mass/program/live/request.hpp>
#include <mass/program/picture_field.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mass::detail::live {

/// Largest number of agents in view that a frame shows as points.
inline constexpr std::size_t mostPoints = 20000;

/// Agents of a class in a frame.
struct Points {
  std::string name;
  Rgb color;
  /// Row and column of each, in 65535ths of the height and width of the box.
  std::vector<std::array<std::uint16_t, 2>> at;
};

/// Part of a picture, for a canvas.
struct Frame {
  Box box;                 ///< places that it shows, within the picture
  std::int64_t block = 1;  ///< edge of the square of places that a pixel stands for
  PalettePicture picture;  ///< one pixel for each block
  Slice slice{};
  std::vector<Points> points{};  ///< empty: the picture shows all
};

/// Bytes of the pixels of a frame: with its other members, a message has at most 1 MiB.
inline constexpr std::size_t mostFramePixels = (1U << 20) - 4096 - 4 * mostPoints;

/// Returns the part of `box` that lies within the picture, at least one place.
Box clipped(const Box& box, const Picture& picture);

/// Returns the smallest edge of blocks with which a box fits into a canvas and mostFramePixels.
std::int64_t blockOf(const Box& box, std::int64_t width, std::int64_t height);

/// Draws the part of a picture that a viewer asks for, without legend. A pixel is the mean of a
/// block of places, as in the pictures of a run, or their maximum; the last blocks may be smaller.
/// @pre the picture has a place
/// @throws UsageError, see drawPicture()
Frame drawFrame(const Picture& picture, const FrameRequest& request, const PictureStyle& style);

/// Draws a part of the picture or a slice of an attribute, as above, where its values are: the host
/// gets the pixels only. All ranks call it together.
/// @param outline picture of the field without values
/// @return the frame on rank 0, one without pixels on others; nothing if the devices cannot draw it
std::optional<Frame> drawFrame(PictureField& field, const Picture& outline,
                               const FrameRequest& request, const PictureStyle& style);

}  // namespace mass::detail::live
