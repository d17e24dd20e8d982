#include "structtensor/tensor/type_spec/shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace structtensor {

bool Shape::is_fully_known() const {
  return rank_known_ && std::find(dims_.begin(), dims_.end(), kUnknownDimension) == dims_.end();
}

int64_t Shape::num_elements() const {
  if (!is_fully_known()) return kUnknownDimension;
  int64_t product = 1;
  for (int64_t dim : dims_) product *= dim;
  return product;
}

Shape Shape::Prepend(int64_t dim) const {
  if (!rank_known_) return *this;
  Shape result;
  result.dims_.reserve(dims_.size() + 1);
  result.dims_.push_back(dim);
  result.dims_.insert(result.dims_.end(), dims_.begin(), dims_.end());
  return result;
}

Shape Shape::DropOuter(int begin) const { return rank_known_ ? Shape(dims().subspan(static_cast<size_t>(begin))) : *this; }

Shape Shape::Concat(const Shape& inner) const {
  if (!rank_known_ || !inner.rank_known_) return UnknownRank();
  Shape result = *this;
  result.dims_.insert(result.dims_.end(), inner.dims_.begin(), inner.dims_.end());
  return result;
}

bool Shape::IsCompatibleWith(const Shape& other) const {
  if (!rank_known_ || !other.rank_known_) return true;
  return std::equal(dims_.begin(), dims_.end(), other.dims_.begin(), other.dims_.end(),
                    [](int64_t a, int64_t b) { return a == b || a == kUnknownDimension || b == kUnknownDimension; });
}

bool Shape::IsSubtypeOf(const Shape& other) const {
  if (!other.rank_known_) return true;
  return rank_known_ && std::equal(dims_.begin(), dims_.end(), other.dims_.begin(), other.dims_.end(),
                                   [](int64_t narrow, int64_t wide) { return narrow == wide || wide == kUnknownDimension; });
}

Shape Shape::MostSpecificCompatible(const Shape& other) const {
  if (!rank_known_ || !other.rank_known_ || rank() != other.rank()) return UnknownRank();
  Shape result = *this;
  for (int axis = 0; axis < rank(); ++axis) {
    if (dims_[static_cast<size_t>(axis)] != other[axis]) result.dims_[static_cast<size_t>(axis)] = kUnknownDimension;
  }
  return result;
}

std::string Shape::DebugString() const {
  if (!rank_known_) return "None";
  std::string text = "[";
  for (int64_t dim : dims_) {
    if (text.size() > 1) text += ", ";
    if (dim == kUnknownDimension) {
      text += "None";
    } else {
      absl::StrAppend(&text, dim);
    }
  }
  return text + "]";
}

}  // namespace structtensor
