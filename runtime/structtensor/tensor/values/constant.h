// Values from nested values, and back.
#ifndef STRUCTTENSOR_TENSOR_VALUES_CONSTANT_H_
#define STRUCTTENSOR_TENSOR_VALUES_CONSTANT_H_

#include <optional>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/nested_value.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

struct ConstantOptions {
  // The dtypes of inferred fields. Integers that don't fit in int_dtype make their field int64. A field with only empty lists
  // gets float_dtype. Defaults: 64 bits.
  DType int_dtype = DType::kInt64;
  DType float_dtype = DType::kDouble;
  std::optional<DType> dtype = {};  // of lists of numbers or strings. Default: inferred.
  // Whether lists of one length in lists become dense axes of tensors and uniform axes of structs. Else they are ragged, as of
  // tf.experimental.StructuredTensor.from_pyval.
  bool dense_axes = true;
  // The spec of the result. Default: it is inferred.
  std::optional<TypeSpec> spec = {};
};

// Returns the value that `nested` describes:
//   {"a": 1, "b": [1, 2]}               a scalar struct; a list of scalars is a dense vector
//   [[1, 2], [3, 4]]                    a dense tensor of shape [2, 2]: the lists have one length
//   [[1], [2, 3]]                       a ragged tensor
//   [{"b": [1, 2]}, {"b": []}]          structs of shape [2] with a ragged field
//   [[{"x": 1}, {"x": 2}]]              structs of shape [1, 2]
//   [[{"x": 1}], []]                    structs with a ragged axis
// An axis of a tensor is dense if its lists have one length and all axes inside of it are dense.
// A value that is None is absent, or an empty list where other values are lists; its type is that of the other values.
// Inferred: booleans, integers, floating point numbers (with integers among them), strings, bytes (with strings among them),
// timestamps, and durations, each in the finest unit among them.
// Fields are in the order in which they first appear.
// Numbers and units of time are converted if nothing is lost except the precision of a fraction: an integer that would lose
// digits as a floating point number is an error. Integers are counts of a unit of time where a dtype or a spec says so.
// With a spec, booleans are converted, too, to 0 or 1. Axes become dense or ragged as the spec says. Fields are in the order of
// the spec. Nothing, or a missing key, becomes an empty row of a ragged axis or an absent element or struct.
// Errors: InvalidArgument, with the path ("a.b[3]: ..."), if types or depths are mixed, a key is missing, unknown, given twice
//   or empty, a number does not fit (an inferred integer: in int64, unless int_dtype is kUint64 or a floating point type) or
//   would lose digits, no value says the type of a place, or `nested` is deeper than kMaxNestedDepth or does not have the
//   spec's shape; ResourceExhausted if the strings of a field exceed 2 GiB.
// Cost: O(size of nested).
// Source: the RFC "StructuredTensor", sections "Struct Tensor Encoding" and "Nested Python Dictionaries".
absl::StatusOr<Value> Constant(const NestedValue& nested, const ConstantOptions& options = {});

// How deep lists and dicts may be nested.
inline constexpr int kMaxNestedDepth = 100;

struct RaggedConstantOptions {
  DType int_dtype = DType::kInt64;
  DType float_dtype = DType::kDouble;
  std::optional<DType> dtype = {};  // Default: inferred.
  // How many axes after axis 0 are ragged; the axes after them are dense. Default: all axes that are not in inner_shape.
  std::optional<int> ragged_rank = {};
  // The shape of an element of the flat values. Default: a scalar, or the axes that ragged_rank leaves.
  std::optional<Shape> inner_shape = {};
  DType row_splits_dtype = DType::kInt64;
};

// Returns the ragged tensor of nested lists of scalars; a dense tensor if no axis is ragged.
// Errors: as Constant; InvalidArgument if ragged_rank is negative or more than the lists allow, or dense axes have rows of
//   different lengths or differ from inner_shape.
// Source: tf.ragged.constant.
absl::StatusOr<Value> RaggedConstant(const NestedValue& nested, const RaggedConstantOptions& options = {});

struct TensorConstantOptions {
  DType int_dtype = DType::kInt64;
  DType float_dtype = DType::kDouble;
  std::optional<DType> dtype = {};  // Default: inferred.
  // Default: the shape of the lists. Else the elements get this shape; one element fills it. Unknown rank is like the default.
  std::optional<Shape> shape = {};
};

// Returns the dense tensor of nested lists of scalars.
// Errors: as Constant; InvalidArgument if lists on one axis differ in length, shape is not fully known, or the number of
//   elements is not the number that shape has.
// Source: tf.constant.
absl::StatusOr<Tensor> TensorConstant(const NestedValue& nested, const TensorConstantOptions& options = {});

// Returns the value as nested lists, dicts and scalars: absent elements and structs as nothing, map entries as dicts of key and
// value, integers as int64 if they fit. Extension types become their components, as in AppendJson(). For tests and small
// values.
NestedValue ToNestedValue(const Value& value);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_CONSTANT_H_
