#pragma once

#include <mass/memory/place_fields.hpp>
#include <mass/rules/attribute_info.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/scatter.hpp>
#include <mass/rules/streaming.hpp>
#include <mass/support/shape.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass::detail {

/// Returns the bytes of an element of slot S as buffers hold it.
template <class S>
std::vector<char> bytesOf(const typename S::Element& element) {
  const typename S::Stored stored = S::Form::encode(element);
  std::vector<char> bytes(sizeof(stored));
  std::memcpy(bytes.data(), &stored, sizeof(stored));
  return bytes;
}

/// True if rules of class P yield the same bits on processors and GPUs: as the class declares, or
/// if all attributes are whole numbers.
template <class P>
constexpr bool hasSameBitsOnGpus() {
  if constexpr (requires { P::sameBitsOnGpus; }) {
    return P::sameBitsOnGpus;
  } else {
    bool areWhole = true;
    AttributeSlots<P>::forEach([&](auto slot) {
      areWhole = areWhole && std::is_integral_v<typename decltype(slot)::Element>;
    });
    return areWhole;
  }
}

/// Returns the domain of a world of places of class P.
/// @param borders one for each axis
template <class P, class Borders>
Domain domainOf(const Shape<P::dimensions>& shape, const Borders& borders) {
  Domain domain;
  domain.dimensions = P::dimensions;
  domain.reach = P::reach;
  // Threads of GPUs load whole packs of places with multisets, and in star sweeps.
  if constexpr (multisetCount<P>() > 0 || (P::dimensions == 3 && P::reads == alongAxes))
    domain.alignment = packWidth;
  // Plane sweeps on GPUs need lines that begin at multiples of 16 bytes. For places of many
  // elements, a longer row is worth that.
  if constexpr (P::dimensions == 3) domain.spare = AttributeSlots<P>::components < 8 ? 64 : 16;
  if constexpr (hasStreamed<P>) domain.spare = 16;
  domain.interleave = maxInterleave<P>();
  domain.hasSameBitsOnGpus = hasSameBitsOnGpus<P>();
  for (int axis = 0; axis < P::dimensions; ++axis) {
    domain.shape[static_cast<std::size_t>(axis)] = shape[axis];
    domain.borders[static_cast<std::size_t>(axis)] = borders[static_cast<std::size_t>(axis)];
  }
  return domain;
}

/// True if P is a class of places that are stored as bits, since rules on bits may update them.
/// Otherwise Bits has no effect.
template <class P>
constexpr bool areStoredAsBits() {
  bool are = false;
  if constexpr (requires { P::dimensions; }) {
    are = P::dimensions == 2 && P::reach == 1 && AttributeSlots<P>::components == 1;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      are = are && std::is_same_v<typename S::Form, Bits> && !S::isConstant && !S::isArray;
    });
  }
  return are;
}

/// Returns the components of class P.
/// @param initial values of new places
/// @param outside values of places beyond a fixed border
template <class P>
std::vector<Component> componentsOf(const P& initial, const P& outside) {
  std::vector<Component> components;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    constexpr Storage storage = S::isConstant                   ? Storage::single
                                : isMultiset<typename S::Value> ? Storage::multiset
                                                                : Storage::doubleBuffered;
    const auto add = [&](std::size_t k, const auto& first, const auto& beyond) {
      components.push_back(
          {sizeof(typename S::Stored), bytesOf<S>(first), bytesOf<S>(beyond), storage,
           S::haloDepthBelow(k), S::haloDepthAbove(k), S::lineDepthBelow(k), S::lineDepthAbove(k),
           S::columnDepthBelow(k), S::columnDepthAbove(k), S::interleave,
           S::interleave > 1 ? static_cast<int>(k) : 0, S::isStreamed && supportsAaPattern<P>()});
    };
    if constexpr (S::isArray) {
      for (std::size_t k = 0; k < S::count; ++k)
        add(k, (initial.*S::member)[k], (outside.*S::member)[k]);
    } else {
      add(0, initial.*S::member, outside.*S::member);
    }
  });
  if constexpr (areStoredAsBits<P>()) storeAsBits(components.front());
  return components;
}

/// Decodes elements of slot S from their form in buffers; see ConvertElements.
template <class S>
void decodeElements(const void* from, void* into, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<typename S::Element*>(into)[i] =
        S::Form::decode(static_cast<const typename S::Stored*>(from)[i]);
}

/// Encodes elements of slot S for buffers; see ConvertElements.
template <class S>
void encodeElements(const void* from, void* into, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<typename S::Stored*>(into)[i] =
        S::Form::encode(static_cast<const typename S::Element*>(from)[i]);
}

template <class P>
std::vector<AttributeInfo> attributesOf() {
  std::vector<AttributeInfo> attributes;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    // Type of the element in files: as in memory, but a bool that is stored as a byte is a bool.
    using Reported = std::conditional_t<isBool<S>, bool, typename S::Stored>;
    AttributeInfo info{
        std::string(memberName<S::member>()), elementTypeOf<Reported>(),  sizeof(Reported),
        static_cast<int>(S::first),           static_cast<int>(S::count), S::isArray,
        elementTypeOf<typename S::Element>(), sizeof(typename S::Element)};
    if constexpr (!std::is_same_v<Reported, typename S::Element>) {
      info.decode = &decodeElements<S>;
      info.encode = &encodeElements<S>;
    }
    attributes.push_back(std::move(info));
  });
  return attributes;
}

/// Returns elements of slot S decoded from their form in buffers.
template <class S>
auto decoded(std::vector<typename S::Stored> stored) {
  using T = typename S::Element;
  if constexpr (std::is_same_v<T, typename S::Stored>) {
    return stored;
  } else {
    std::vector<T> values;
    values.reserve(stored.size());
    for (const auto& one : stored) values.push_back(S::Form::decode(one));
    return values;
  }
}

}  // namespace mass::detail
