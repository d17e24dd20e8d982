// Type annotations of the fields of extension types, in Python's words, and the values they allow.
#ifndef STRUCTTENSOR_TESTS_VECTORS_FIELD_ANNOTATION_H_
#define STRUCTTENSOR_TESTS_VECTORS_FIELD_ANNOTATION_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "field_value.h"
#include "structtensor/type_spec/dtype.h"

namespace structtensor {

// A parsed annotation. Plain data.
//
//   int  float  str  bytes  bool  None              exactly that (a bool is an int)
//   tf.Tensor                                       a tensor, or what becomes one: scalars and nested lists of them
//   tf.RaggedTensor  tf.StructuredTensor            a value of that kind
//   tf.TensorShape                                  a shape, a list of dimensions and None, an integer, or None
//   tf.DType                                        a dtype, or its name
//   Tuple[A, B]  Tuple[A, ...]  Tuple[()]           a tuple or list, of A and B, of any number of A, of nothing
//   Mapping[K, V]                                   a dict; K is str, int, float, bytes or bool
//   Union[A, B]  Optional[A]                        the first that the value can be converted to
//
// `typing.` may be in front; `tuple` is Tuple.
struct FieldAnnotation {
  enum class Kind {
    kNone,
    kBool,
    kInt,
    kFloat,
    kStr,
    kBytes,
    kTensor,
    kRaggedTensor,
    kStructuredTensor,
    kShape,
    kDType,
    kTuple,    // of options[i] each
    kTupleOf,  // of options[0], any number
    kMapping,  // from options[0] to options[1]
    kUnion,    // of options
  };

  Kind kind = Kind::kNone;
  std::vector<FieldAnnotation> options;
};

// Errors: InvalidArgument, with `field` and the offset, if the text is something else, or more than 100 brackets deep.
// Source: tensorflow/python/framework/extension_type_field.py, as for the rest.
absl::StatusOr<FieldAnnotation> ParseFieldAnnotation(std::string_view text, std::string_view field);

struct FieldConversionOptions {
  // Of tensors that are made from numbers. Defaults: 64 bits.
  DType int_dtype = DType::kInt64;
  DType float_dtype = DType::kDouble;
};

// The value as a field of that annotation keeps it: lists that are to be tuples become tuples, numbers tensors, and so on.
// Errors: InvalidArgument if it is none; the message starts with the path, as in "f['a'][1]: ...".
absl::StatusOr<FieldValue> ConvertField(const FieldAnnotation& annotation, const FieldValue& value, std::string_view field,
                                        const FieldConversionOptions& options = {});

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_VECTORS_FIELD_ANNOTATION_H_
