#include "structtensor/tensor/math/one_hot.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

absl::Status Invalid(std::string_view what) { return absl::InvalidArgumentError(absl::StrCat("OneHot(): ", ToAbsl(what))); }

absl::StatusOr<DType> DTypeOfResult(const OneHotOptions& options) {
  std::optional<DType> dtype = options.dtype;
  for (const std::optional<Tensor>* value : {&options.on_value, &options.off_value}) {
    if (!value->has_value()) continue;
    if ((*value)->rank() != 0 || !(*value)->is_valid(0)) {
      return Invalid(
          absl::StrCat("a value is ", TypeSpec((*value)->spec()).DebugString(), "; on_value and off_value must be scalars"));
    }
    if (dtype && *dtype != (*value)->dtype()) {
      return Invalid(absl::StrCat("a value is ", ToAbsl(DTypeName((*value)->dtype())), ", but ", ToAbsl(DTypeName(*dtype)),
                                  " is wanted; all must be of one dtype"));
    }
    dtype = (*value)->dtype();
  }
  return dtype.value_or(DType::kFloat);
}

absl::StatusOr<Tensor> ValueOr(const std::optional<Tensor>& value, int32_t number, DType dtype) {
  if (value) return value->Contiguous();
  if (IsStringLike(dtype)) return Invalid("for strings, on_value and off_value must both be given");
  return CastTensor(Tensor::Scalar(number), dtype);
}

// The result consists of blocks, one for each row in front of the new axis. A block has `depth` layers of `inner` elements.
struct Layout {
  int64_t outer;
  int64_t depth;
  int64_t inner;
  Shape shape;
};

absl::StatusOr<Layout> MakeLayout(const Value& indices, const Tensor& flat, int64_t depth, int64_t axis) {
  if (depth < 0) return Invalid(absl::StrCat("depth is ", depth, "; it must not be negative"));
  const int ragged_rank = indices.ragged() == nullptr ? 0 : indices.ragged()->ragged_rank();
  const int rank = indices.rank() + 1;
  const int first = ragged_rank == 0 ? 0 : ragged_rank + 1;
  if (axis != -1 && (axis < first || axis >= rank)) {
    return Invalid(absl::StrCat("axis is ", axis, "; it must be -1 or in [", first, ", ", rank, "), after all ragged axes"));
  }
  const size_t place = static_cast<size_t>(axis == -1 ? flat.rank() : axis - ragged_rank);
  const Shape flat_shape = flat.shape();
  std::vector<int64_t> dims(flat_shape.dims().begin(), flat_shape.dims().end());
  const bool empty = flat.size_elements() == 0;
  int64_t inner = 1;
  for (size_t i = place; i < dims.size() && !empty; ++i) inner *= dims[i];
  const int64_t outer = empty ? 0 : flat.size_elements() / inner;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(place), depth);
  return Layout{outer, depth, inner, Shape(dims)};
}

template <typename T>
absl::StatusOr<std::vector<int64_t>> IndicesAs64(const Tensor& flat) {
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(flat.size_elements()));
  const std::span<const T> values = flat.values<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    const bool counts = flat.is_valid(static_cast<int64_t>(i)) && std::in_range<int64_t>(values[i]);
    indices.push_back(counts ? static_cast<int64_t>(values[i]) : -1);
  }
  return indices;
}

absl::StatusOr<std::vector<int64_t>> ReadIndices(const Tensor& flat) {
  if (!IsInteger(flat.dtype())) return math_internal::WrongDType("OneHot", flat.dtype(), "indices must be integers");
  return VisitStoredType(flat.dtype(), [&]<typename T>() -> absl::StatusOr<std::vector<int64_t>> {
    if constexpr (std::numeric_limits<T>::is_integer) {
      return IndicesAs64<T>(flat);
    } else {
      return std::vector<int64_t>();
    }
  });
}

// Fills the result with `off`, and with `on` at the indices.
template <typename T>
absl::StatusOr<NewBuffer<T>> FillBlocks(const Layout& layout, const std::vector<int64_t>& indices, T on, T off) {
  int64_t size = 0;
  if (__builtin_mul_overflow(static_cast<int64_t>(indices.size()), layout.depth, &size)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("OneHot(): ", indices.size(), " vectors of ", layout.depth, " elements are more than int64 can count"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> out, NewBuffer<T>::Allocate(size));
  std::fill_n(out.data(), out.size_elements(), off);
  for (int64_t block = 0; block < layout.outer; ++block) {
    for (int64_t i = 0; i < layout.inner; ++i) {
      const int64_t index = indices[static_cast<size_t>(block * layout.inner + i)];
      if (index >= 0 && index < layout.depth) out.data()[(block * layout.depth + index) * layout.inner + i] = on;
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<Value> OneHot(const Value& indices, int64_t depth, const OneHotOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, math_internal::FlatValues("OneHot", indices));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> list, ReadIndices(flat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Layout layout, MakeLayout(indices, flat, depth, options.axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, DTypeOfResult(options));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor on, ValueOr(options.on_value, 1, dtype));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor off, ValueOr(options.off_value, 0, dtype));
  if (IsStringLike(dtype)) {
    const Tensor both = Tensor::FromVector({std::string(off.string_at(0)), std::string(on.string_at(0))}, dtype);
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows, FillBlocks<int64_t>(layout, list, 1, 0));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value taken,
                                  values_internal::TakeRowsChecked(both, {rows.data(), rows.size_elements()}));
    return math_internal::WithFlatValues(indices, taken.tensor()->Reshape(layout.shape));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor result, VisitStoredType(dtype, [&]<typename T>() -> absl::StatusOr<Tensor> {
                                  STRUCTTENSOR_ASSIGN_OR_RETURN(
                                      NewBuffer<T> out,
                                      FillBlocks<T>(layout, list, on.values<T>().front(), off.values<T>().front()));
                                  return Tensor::FromBuffer(std::move(out).Finish(), layout.shape, dtype);
                                }));
  return math_internal::WithFlatValues(indices, std::move(result));
}

}  // namespace structtensor
