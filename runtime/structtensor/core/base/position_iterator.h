// The iterator of ranges whose elements are made, not stored: strings in a buffer, rows of columns.
#ifndef STRUCTTENSOR_CORE_BASE_POSITION_ITERATOR_H_
#define STRUCTTENSOR_CORE_BASE_POSITION_ITERATOR_H_

#include <compare>
#include <cstddef>
#include <iterator>
#include <utility>

#pragma GCC visibility push(default)

namespace structtensor {

// A random-access iterator over elements that are made when they are asked for. `Source` is a small copyable class with a
// member type value_type; At(position) makes the element. Iterators of one range have sources with equal content.
template <typename Source>
class PositionIterator {
 public:
  using value_type = typename Source::value_type;
  using reference = value_type;
  // Holds the element, because there is none to point to.
  class pointer {
   public:
    explicit pointer(value_type element) : element_(std::move(element)) {}
    const value_type* operator->() const { return &element_; }

   private:
    value_type element_;
  };
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;

  PositionIterator() = default;
  PositionIterator(const Source& source, size_t position) : source_(source), position_(position) {}

  value_type operator*() const { return source_.At(position_); }
  pointer operator->() const { return pointer(**this); }
  value_type operator[](ptrdiff_t n) const { return source_.At(position_ + static_cast<size_t>(n)); }
  PositionIterator& operator++() { return *this += 1; }
  PositionIterator& operator--() { return *this -= 1; }
  PositionIterator operator++(int) { return std::exchange(*this, *this + 1); }
  PositionIterator operator--(int) { return std::exchange(*this, *this - 1); }
  PositionIterator& operator+=(ptrdiff_t n) {
    position_ += static_cast<size_t>(n);
    return *this;
  }
  PositionIterator& operator-=(ptrdiff_t n) { return *this += -n; }
  friend PositionIterator operator+(PositionIterator it, ptrdiff_t n) { return it += n; }
  friend PositionIterator operator+(ptrdiff_t n, PositionIterator it) { return it += n; }
  friend PositionIterator operator-(PositionIterator it, ptrdiff_t n) { return it -= n; }
  friend ptrdiff_t operator-(const PositionIterator& a, const PositionIterator& b) {
    return static_cast<ptrdiff_t>(a.position_ - b.position_);
  }
  friend bool operator==(const PositionIterator& a, const PositionIterator& b) { return a.position_ == b.position_; }
  friend auto operator<=>(const PositionIterator& a, const PositionIterator& b) { return a.position_ <=> b.position_; }

 private:
  Source source_{};
  size_t position_ = 0;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_BASE_POSITION_ITERATOR_H_
