// The values of one feature, row after row.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_COLUMNS_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_COLUMNS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/io/tf_example/internal/feature_stream.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::tf_example_internal {

// The kind of list in a Feature; the value is the field's number.
enum class FeatureKind : uint8_t { kNone = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

// The kind for kInt64, kFloat, kBytes and kString; kNone for other dtypes.
FeatureKind KindOf(DType dtype);
// "an int64_list", ...
std::string_view KindName(FeatureKind kind);
// The kind that the first byte of a Feature gives. *known is false if no Feature begins with this byte.
FeatureKind KindOf(std::string_view feature, bool* known);

enum class ListProblem : uint8_t { kNone, kDamaged, kNotUtf8, kTooManyBytes };
// "the list of values is damaged", ...
std::string_view TextOf(ListProblem problem);

// Which function's rules to follow: tf.io.parse_example and tf.io.parse_sequence_example notice different damage.
enum class ListRules : uint8_t { kExample, kSequenceExample };

class FeatureColumn {
 public:
  explicit FeatureColumn(DType dtype) : dtype_(dtype), kind_(KindOf(dtype)) {}

  DType dtype() const { return dtype_; }
  FeatureKind kind() const { return kind_; }
  int64_t size() const;
  // Makes room for this many elements in all.
  void Reserve(int64_t elements);

  // Appends the values of the list at the position of `stream`: the length of an Int64List, FloatList or BytesList, then the
  // list. After a problem, do not use the column any more.
  ListProblem AppendList(FeatureStream& stream, ListRules rules);
  // Appends all elements. Requires: `values` has this dtype.
  ListProblem AppendTensor(const Tensor& values);
  // Appends elements [begin, end) of a column of the same dtype.
  ListProblem AppendFrom(const FeatureColumn& other, int64_t begin, int64_t end);

  std::span<const int64_t> int64s() const { return int64s_; }

  // All values, as a vector, or in `shape`, which has as many elements.
  Tensor Finish() &&;
  Tensor Finish(Shape shape) &&;

 private:
  ListProblem AppendBytesList(FeatureStream& stream);
  ListProblem AppendFloatList(FeatureStream& stream, ListRules rules);
  ListProblem AppendInt64List(FeatureStream& stream);
  ListProblem AppendPackedInt64s(FeatureStream& stream);
  ListProblem AppendString(std::string_view bytes);

  DType dtype_;
  FeatureKind kind_;
  std::vector<int64_t> int64s_;
  std::vector<float> floats_;
  std::vector<int32_t> string_offsets_ = {0};
  std::vector<char> string_bytes_;
};

}  // namespace structtensor::tf_example_internal

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_COLUMNS_H_
