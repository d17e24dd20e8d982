#include "structtensor/type_spec/shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace structtensor {

bool Shape::is_fully_known() const { return std::find(dims_.begin(), dims_.end(), kUnknownDimension) == dims_.end(); }

int64_t Shape::num_elements() const {
  if (!is_fully_known()) return kUnknownDimension;
  int64_t product = 1;
  for (int64_t dim : dims_) product *= dim;
  return product;
}

Shape Shape::Prepend(int64_t dim) const {
  Shape result;
  result.dims_.reserve(dims_.size() + 1);
  result.dims_.push_back(dim);
  result.dims_.insert(result.dims_.end(), dims_.begin(), dims_.end());
  return result;
}

Shape Shape::DropOuter(int begin) const { return Shape(dims().subspan(static_cast<size_t>(begin))); }

std::string Shape::DebugString() const {
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
