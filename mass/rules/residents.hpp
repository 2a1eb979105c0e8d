#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <cstdint>

namespace mass {
namespace detail {

/// The agents of class A on one device, as a kernel is given them: with all addresses in itself.
template <class A>
struct TypedAgentView {
  BinIndexing bins;
  const void* components[componentArraySize<A>];
  const std::uint64_t* ids;
  const std::int32_t* first;
  int* farthest;

  explicit TypedAgentView(const AgentView& view)
      : bins(view.bins), ids(view.ids), first(view.first), farthest(view.farthest) {
    std::copy_n(view.components, AttributeSlots<A>::components, components);
  }
};

}  // namespace detail

template <class A>
class Neighbors;

/// The agents of class A on one place, in the order of their identities, as they were before the
/// call. Each is a value; attributes that are not used are not loaded.
template <class A>
class Residents {
 public:
  /// Gives the agents one after the other.
  class Iterator {
   public:
    MASS_FN Iterator(const Residents& residents, std::int64_t number)
        : residents_(&residents), number_(number) {}
    MASS_FN A operator*() const { return (*residents_)[number_]; }
    MASS_FN Iterator& operator++() {
      ++number_;
      return *this;
    }
    MASS_FN friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.number_ == b.number_;
    }

   private:
    const Residents* residents_;
    std::int64_t number_;
  };

  MASS_FN Residents(const detail::TypedAgentView<A>& view, std::int64_t bin) : view_(&view) {
    if (bin < 0) return;  // a place outside the world
    begin_ = view.first[bin];
    end_ = view.first[bin + 1];
  }

  MASS_FN std::int64_t size() const { return end_ - begin_; }
  MASS_FN bool empty() const { return begin_ == end_; }
  /// The agent number i, 0 <= i < size().
  MASS_FN A operator[](std::int64_t i) const {
    return detail::loadPlace<A>(view_->components, static_cast<Index>(begin_ + i));
  }
  MASS_FN std::uint64_t id(std::int64_t i) const { return view_->ids[begin_ + i]; }
  MASS_FN Iterator begin() const { return {*this, 0}; }
  MASS_FN Iterator end() const { return {*this, size()}; }

 private:
  friend class Neighbors<A>;

  const detail::TypedAgentView<A>* view_;
  std::int32_t begin_ = 0, end_ = 0;
};

}  // namespace mass
