// Structural operations on structured and ragged values, and what ragged tensors say about themselves.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "array_api.h"
#include "codec.h"
#include "op.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/dynamic_ragged_shape.h"
#include "structtensor/tensor/ops/axes.h"
#include "structtensor/tensor/ops/dense.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/row_partitions.h"
#include "structtensor/tensor/ops/shape_ops.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/split.h"
#include "structtensor/tensor/values/constant.h"

namespace structtensor::vectors {
namespace {

// The arguments of an operation by name; those that are missing or null have no value.
class Args {
 public:
  explicit Args(const Json& json) : json_(json) {}

  const Json* Find(const char* name) const {
    const Json* found = FindMember(json_, name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }

  absl::StatusOr<Value> GetValue(const char* name) const {
    const Json* json = Find(name);
    if (json == nullptr) return Malformed(json_, name);
    return DecodeValue(*json);
  }

  absl::StatusOr<std::optional<int64_t>> GetInt(const char* name) const {
    const Json* json = Find(name);
    if (json == nullptr) return std::nullopt;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> ints, GetInts(name));
    if (ints.size() != 1) return Malformed(*json, "an integer");
    return ints.front();
  }

  // A list of integers, or one.
  absl::StatusOr<std::vector<int64_t>> GetInts(const char* name) const {
    const Json* json = Find(name);
    if (json == nullptr) return std::vector<int64_t>();
    return DecodeInts(*json);
  }

  absl::StatusOr<std::optional<DType>> GetDType(const char* name) const {
    const Json* json = Find(name);
    if (json == nullptr) return std::nullopt;
    return DecodeDType(*json);
  }

  static absl::StatusOr<std::vector<int64_t>> DecodeInts(const Json& json) {
    if (const Json* content = FindMember(json, "$tensor"); content != nullptr) return DecodeInts(*content);
    if (json.is_number_integer()) return std::vector<int64_t>{json.get<int64_t>()};
    std::vector<int64_t> ints;
    if (!json.is_array()) return Malformed(json, "integers");
    for (const Json& item : json) {
      // None is an unknown size, as -1 does.
      if (!item.is_number_integer() && !item.is_null()) return Malformed(json, "integers");
      ints.push_back(item.is_null() ? -1 : item.get<int64_t>());
    }
    return ints;
  }

 private:
  const Json& json_;
};

absl::StatusOr<std::vector<Value>> DecodeValues(const Json& json) {
  std::vector<Value> values;
  for (const Json& item : json) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(item));
    values.push_back(value);
  }
  return values;
}

absl::StatusOr<Result> ToResult(const absl::StatusOr<Value>& value) {
  if (!value.ok()) return value.status();
  return *value;
}
absl::StatusOr<Result> ToResult(const absl::StatusOr<Tensor>& tensor) {
  if (!tensor.ok()) return tensor.status();
  return Value(*tensor);
}
absl::StatusOr<Result> ToResult(const absl::StatusOr<RaggedTensor>& ragged) {
  if (!ragged.ok()) return ragged.status();
  return Value(*ragged);
}
absl::StatusOr<Result> ToResult(const absl::StatusOr<std::vector<Value>>& values) {
  if (!values.ok()) return values.status();
  return *values;
}
Result ToResult(const std::vector<Tensor>& tensors) { return std::vector<Value>(tensors.begin(), tensors.end()); }

// Operations on one value.

absl::StatusOr<Result> DoGather(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value indices, args.GetValue("indices"));
  GatherOptions options;
  STRUCTTENSOR_ASSIGN_OR_RETURN(options.axis, args.GetInt("axis"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> batch_dims, args.GetInt("batch_dims"));
  options.batch_dims = batch_dims.value_or(0);
  options.bounds = RowBounds::kValues;  // as TensorFlow's kernels
  return ToResult(Gather(value, indices, options));
}

absl::StatusOr<Result> DoGatherNd(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value indices, args.GetValue("indices"));
  return ToResult(GatherNd(value, indices, RowBounds::kValues));
}

absl::StatusOr<Result> DoBooleanMask(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value mask, args.GetValue("mask"));
  return ToResult(BooleanMask(value, mask));
}

absl::StatusOr<Result> DoDynamicPartition(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value partitions, args.GetValue("partitions"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> count, args.GetInt("num_partitions"));
  if (!count) return absl::InvalidArgumentError("there is no num_partitions");
  return ToResult(DynamicPartition(value, partitions, *count));
}

absl::StatusOr<Result> DoStackDynamicPartitions(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value partitions, args.GetValue("partitions"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> count, args.GetInt("num_partitions"));
  if (!count) return absl::InvalidArgumentError("there is no num_partitions");
  return ToResult(StackDynamicPartitions(value, partitions, *count));
}

absl::StatusOr<Result> DoExpandDims(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  return ToResult(ExpandDims(value, axis.value_or(0)));
}

absl::StatusOr<Result> DoIdentity(const Value& value, const Args&) { return Identity(value); }

absl::StatusOr<Result> DoMergeDims(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> outer, args.GetInt("outer_axis"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> inner, args.GetInt("inner_axis"));
  return ToResult(MergeDims(value, outer.value_or(0), inner.value_or(0)));
}

absl::StatusOr<Result> DoOnesLike(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<DType> dtype, args.GetDType("dtype"));
  return ToResult(OnesLike(value, dtype));
}

absl::StatusOr<Result> DoPartitionOuterDimension(const Value& value, const Args& args) {
  const Json* json = args.Find("row_partition");
  if (json == nullptr) return absl::InvalidArgumentError("there is no row_partition");
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, DecodeRowPartition(*json));
  return ToResult(PartitionOuterDimension(value, partition));
}

absl::StatusOr<Result> DoRank(const Value& value, const Args&) { return Value(Rank(value)); }

absl::StatusOr<Result> DoRepeat(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> repeats, args.GetInts("repeats"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  return ToResult(Repeat(value, repeats, axis.value_or(0)));
}

absl::StatusOr<Result> DoReverse(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, args.GetInts("axis"));
  return ToResult(Reverse(value, axes));
}

absl::StatusOr<Result> DoRoll(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> shifts, args.GetInts("shift"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> axes, args.GetInts("axis"));
  if (args.Find("axis") == nullptr) axes = {0};
  return ToResult(Roll(value, shifts, axes));
}

// Of a dense tensor a vector, of all else a DynamicRaggedShape.
absl::StatusOr<Result> DoShape(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<DType> out_type, args.GetDType("out_type"));
  const DType dtype = out_type.value_or(DType::kInt32);
  STRUCTTENSOR_ASSIGN_OR_RETURN(DynamicRaggedShape shape, DynamicRaggedShape::FromValue(value));
  if (value.tensor() == nullptr) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(shape, shape.WithDtype(dtype));
    return shape;
  }
  const std::span<const int64_t> dims = value.tensor()->shape().dims();
  if (dtype == DType::kInt64) return Value(Tensor::FromVector(std::vector<int64_t>(dims.begin(), dims.end())));
  return Value(Tensor::FromVector(std::vector<int32_t>(dims.begin(), dims.end())));
}

absl::StatusOr<Result> DoSize(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<DType> out_type, args.GetDType("out_type"));
  return ToResult(Size(value, out_type.value_or(DType::kInt32)));
}

absl::StatusOr<Result> DoSlice(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> begin, args.GetInts("begin"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> size, args.GetInts("size"));
  return ToResult(Slice(value, begin, size));
}

// "sizes", or tf.split's "num_or_size_splits": sizes, or into how many equal parts.
absl::StatusOr<SortOrder> DecodeSortOrder(const Args& args) {
  const Json* direction = args.Find("direction");
  if (direction == nullptr || *direction == "ASCENDING") return SortOrder::kAscending;
  if (*direction == "DESCENDING") return SortOrder::kDescending;
  return Malformed(*direction, "ASCENDING or DESCENDING");
}

absl::StatusOr<Result> DoSort(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const SortOrder order, DecodeSortOrder(args));
  return ToResult(Sort(value, axis.value_or(-1), order));
}

absl::StatusOr<Result> DoArgsort(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const SortOrder order, DecodeSortOrder(args));
  return ToResult(Argsort(value, axis.value_or(-1), order));
}

absl::StatusOr<Result> DoSplit(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  const char* name = args.Find("sizes") != nullptr ? "sizes" : "num_or_size_splits";
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, args.GetInts(name));
  if (args.Find(name) != nullptr && args.Find(name)->is_number()) {
    return ToResult(SplitEvenly(value, sizes.front(), axis.value_or(0)));
  }
  return ToResult(Split(value, sizes, axis.value_or(0)));
}

absl::StatusOr<Result> DoSqueeze(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, args.GetInts("axis"));
  return ToResult(Squeeze(value, axes));
}

absl::StatusOr<Result> DoTile(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> multiples, args.GetInts("multiples"));
  return ToResult(Tile(value, multiples));
}

absl::StatusOr<Result> DoUnstack(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  return ToResult(Unstack(value, axis.value_or(0)));
}

absl::StatusOr<Result> DoWithShapeDtype(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<DType> dtype, args.GetDType("dtype"));
  if (!dtype) return absl::InvalidArgumentError("there is no dtype");
  return ToResult(WithShapeDtype(value, *dtype));
}

absl::StatusOr<Result> DoZerosLike(const Value& value, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<DType> dtype, args.GetDType("dtype"));
  return ToResult(ZerosLike(value, dtype));
}

// Operations on several values.

absl::StatusOr<Result> DoConcat(const std::vector<Value>& values, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  return ToResult(Concat(values, axis.value_or(0)));
}

absl::StatusOr<Result> DoStack(const std::vector<Value>& values, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, args.GetInt("axis"));
  return ToResult(Stack(values, axis.value_or(0)));
}

absl::StatusOr<Result> DoWhere(const std::vector<Value>& values, const Args& args) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value condition, args.GetValue("cond"));
  if (values.size() != 2) return absl::InvalidArgumentError("where chooses between two values");
  return ToResult(Where(condition, values[0], values[1]));
}

using Unary = absl::StatusOr<Result> (*)(const Value&, const Args&);
using Nary = absl::StatusOr<Result> (*)(const std::vector<Value>&, const Args&);

// The names are those of "op"; some have another one as "api" of tf_op.
const std::map<std::string, Unary>& UnaryOps() {
  static const auto& ops = *new std::map<std::string, Unary>{{"argsort", DoArgsort},
                                                             {"boolean_mask", DoBooleanMask},
                                                             {"dynamic_partition", DoDynamicPartition},
                                                             {"expand_dims", DoExpandDims},
                                                             {"gather", DoGather},
                                                             {"gather_nd", DoGatherNd},
                                                             {"identity", DoIdentity},
                                                             {"merge_dims", DoMergeDims},
                                                             {"ones_like", DoOnesLike},
                                                             {"partition_outer_dimension", DoPartitionOuterDimension},
                                                             {"rank_op", DoRank},
                                                             {"repeat", DoRepeat},
                                                             {"reverse", DoReverse},
                                                             {"roll", DoRoll},
                                                             {"shape_op", DoShape},
                                                             {"size", DoSize},
                                                             {"slice", DoSlice},
                                                             {"sort", DoSort},
                                                             {"split", DoSplit},
                                                             {"squeeze", DoSqueeze},
                                                             {"stack_dynamic_partitions", DoStackDynamicPartitions},
                                                             {"tile", DoTile},
                                                             {"unstack", DoUnstack},
                                                             {"with_shape_dtype", DoWithShapeDtype},
                                                             {"zeros_like", DoZerosLike}};
  return ops;
}

const std::map<std::string, Nary>& NaryOps() {
  static const auto& ops = *new std::map<std::string, Nary>{{"concat", DoConcat}, {"stack", DoStack}, {"where", DoWhere}};
  return ops;
}

absl::StatusOr<Result> Apply(const std::string& op, const Json& input, const Args& args) {
  if (const auto unary = UnaryOps().find(op); unary != UnaryOps().end()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(input));
    return unary->second(value, args);
  }
  if (const auto nary = NaryOps().find(op); nary != NaryOps().end()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Value> values, DecodeValues(input));
    return nary->second(values, args);
  }
  return absl::NotFoundError("no structural operation is called " + op);
}

// Methods and properties of ragged tensors.

Json ToPy(const Value& value) { return EncodeNested(ToNestedValue(value)); }

absl::StatusOr<Result> RaggedToTensor(const RaggedTensor& ragged, const Args& kwargs) {
  ToTensorOptions options;
  if (const Json* json = kwargs.Find("default_value"); json != nullptr) {
    // A Python number becomes one of the dtype of the values.
    const Json typed = json->is_object() ? *json : Json{{"$tensor", *json}, {"dtype", DTypeText(ragged.dtype())}};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value default_value, DecodeValue(typed));
    options.default_value = *default_value.tensor();
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, kwargs.GetInts("shape"));
  options.shape = shape;
  return ToResult(ToTensor(ragged, options));
}

absl::StatusOr<Result> RaggedMergeDims(const Value& value, const Json& positional, const Args& kwargs) {
  if (positional.is_array() && positional.size() == 2) {
    return ToResult(MergeDims(value, positional[0].get<int64_t>(), positional[1].get<int64_t>()));
  }
  return DoMergeDims(value, kwargs);
}

Tensor Counts(std::span<const int64_t> counts, DType dtype) {
  if (dtype == DType::kInt64) return Tensor::FromVector(std::vector<int64_t>(counts.begin(), counts.end()));
  return Tensor::FromVector(std::vector<int32_t>(counts.begin(), counts.end()));
}

Value Count(int64_t count, DType dtype) { return Counts({&count, 1}, dtype).Reshape(Shape()); }

// All of it, or the sizes of some axes.
absl::StatusOr<Result> RaggedBoundingShape(const Value& value, const Args& kwargs, DType dtype) {
  const Shape shape = BoundingShape(value);
  const Json* axis = kwargs.Find("axis");
  if (axis == nullptr) return Value(Counts(shape.dims(), dtype));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, kwargs.GetInts("axis"));
  std::vector<int64_t> sizes;
  for (int64_t wanted : axes) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int known, ops_internal::ResolveAxis(wanted, shape.rank()));
    sizes.push_back(shape[known]);
  }
  return axis->is_number() ? Count(sizes.front(), dtype) : Value(Counts(sizes, dtype));
}

// Of an inner axis, under the partitions in front of it.
absl::StatusOr<Result> RaggedRowLengths(const Value& value, const Args& kwargs) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, kwargs.GetInt("axis"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int known, ops_internal::ResolveAxis(axis.value_or(1), value.rank()));
  if (known == 0) return absl::OutOfRangeError("axis 0 has no rows in it; their number is nrows");
  STRUCTTENSOR_ASSIGN_OR_RETURN(ops_internal::AxisStack stack, ops_internal::SplitAtAxis(value, known));
  const Tensor lengths = RowLengthsTensor(stack.partitions.back());
  stack.partitions.pop_back();
  return ops_internal::JoinAxes({std::move(stack.partitions), lengths, stack.num_ragged});
}

absl::StatusOr<Result> RaggedMethod(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  const std::string method = test.args.at("method");
  const Json nothing = Json::object();
  const Json* found_kwargs = FindMember(test.args, "kwargs");
  const Json* found_args = FindMember(test.args, "args");
  const Args kwargs(found_kwargs == nullptr ? nothing : *found_kwargs);
  if (method == "to_list") return ToPy(value);
  if (value.ragged() == nullptr) return Malformed(test.input, "a ragged tensor");
  const RaggedTensor& ragged = *value.ragged();
  const RowPartition& partition = ragged.row_partition(0);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<DType> out_type, kwargs.GetDType("out_type"));
  const DType count_dtype = out_type.value_or(partition.dtype());
  if (method == "bounding_shape") return RaggedBoundingShape(value, kwargs, count_dtype);
  if (method == "merge_dims") return RaggedMergeDims(value, found_args == nullptr ? nothing : *found_args, kwargs);
  if (method == "nested_row_lengths") return ToResult(NestedRowLengths(ragged));
  if (method == "nested_value_rowids") return ToResult(NestedValueRowids(ragged));
  if (method == "nrows") return Count(ragged.nrows(), count_dtype);
  if (method == "row_lengths") return RaggedRowLengths(value, kwargs);
  if (method == "row_limits") return Value(RowLimitsTensor(partition));
  if (method == "row_starts") return Value(RowStartsTensor(partition));
  if (method == "to_sparse") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const SparseParts parts, ToSparse(ragged));
    return SparseResult{parts.indices, parts.values, parts.dense_shape};
  }
  if (method == "to_tensor") return RaggedToTensor(ragged, kwargs);
  if (method == "value_rowids") return Value(ValueRowidsTensor(partition));
  if (method == "with_row_splits_dtype") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, DecodeDType(found_args->at(0)));
    return ToResult(WithShapeDtype(value, dtype));
  }
  return absl::NotFoundError("no method of ragged tensors is called " + method);
}

absl::StatusOr<Result> RaggedProperty(const Case& test) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, DecodeValue(test.input));
  const std::string property = test.args.at("prop");
  if (value.ragged() == nullptr) return Malformed(test.input, "a ragged tensor");
  const RaggedTensor& ragged = *value.ragged();
  const std::optional<int64_t> length = ragged.row_partition(0).uniform_row_length();
  if (property == "flat_values") return Value(ragged.flat_values());
  if (property == "nested_row_splits") return ToResult(NestedRowSplits(ragged));
  if (property == "ragged_rank") return Json(ragged.ragged_rank());
  if (property == "row_splits") return Value(RowSplitsTensor(ragged.row_partition(0)));
  if (property == "uniform_row_length") return length ? Json(*length) : Json();
  if (property == "values") return ragged.values();
  return absl::NotFoundError("no property of ragged tensors is called " + property);
}

// Factories of ragged tensors.

absl::StatusOr<std::vector<Buffer<int64_t>>> DecodeNestedInts(const Json& json) {
  std::vector<Buffer<int64_t>> nested;
  for (const Json& item : json) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> ints, Args::DecodeInts(item));
    nested.push_back(Buffer<int64_t>::FromVector(std::move(ints)));
  }
  return nested;
}

absl::StatusOr<RowPartition> MakePartition(const std::string& method, const Value& values, const Json& json,
                                           const Args& kwargs) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> ints, Args::DecodeInts(json));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> nrows, kwargs.GetInt("nrows"));
  const int64_t nvals = values.rank() == 0 ? 0 : values.nrows();
  const int64_t first = ints.empty() ? 0 : ints.front();
  Buffer<int64_t> buffer = Buffer<int64_t>::FromVector(std::move(ints));
  if (method == "from_row_splits") return RowPartition::FromRowSplits(std::move(buffer));
  if (method == "from_row_lengths") return RowPartition::FromRowLengths(std::move(buffer));
  if (method == "from_row_starts") return RowPartition::FromRowStarts(buffer, nvals);
  if (method == "from_row_limits") return RowPartition::FromRowLimits(buffer);
  if (method == "from_value_rowids") return RowPartition::FromValueRowids(std::move(buffer), nrows);
  if (method == "from_uniform_row_length") return RowPartition::FromUniformRowLength(first, nrows, nvals);
  return absl::NotFoundError("no factory of ragged tensors is called " + method);
}

absl::StatusOr<Result> MakeFromTensor(const Value& values, const Args& kwargs) {
  FromTensorOptions options;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<int64_t> ragged_rank, kwargs.GetInt("ragged_rank"));
  options.ragged_rank = static_cast<int>(ragged_rank.value_or(1));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<DType> dtype, kwargs.GetDType("row_splits_dtype"));
  options.row_splits_dtype = dtype.value_or(DType::kInt64);
  if (const Json* json = kwargs.Find("padding"); json != nullptr) {
    const Json typed = json->is_object() ? *json : Json{{"$tensor", *json}, {"dtype", DTypeText(values.tensor()->dtype())}};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value padding, DecodeValue(typed));
    options.padding = *padding.tensor();
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, kwargs.GetInts("lengths"));
  if (kwargs.Find("lengths") != nullptr) options.lengths = lengths;
  return ToResult(FromTensor(*values.tensor(), options));
}

absl::StatusOr<Result> MakeRagged(const Case& test) {
  const std::string method = test.args.at("method");
  const Json& args = test.args.at("args");
  const Json nothing = Json::object();
  const Json* found_kwargs = FindMember(test.args, "kwargs");
  const Args kwargs(found_kwargs == nullptr ? nothing : *found_kwargs);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value values, DecodeValue(args.at(0)));
  if (method == "from_tensor") return MakeFromTensor(values, kwargs);
  if (method == "from_nested_row_splits" || method == "from_nested_row_lengths") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Buffer<int64_t>> nested, DecodeNestedInts(args.at(1)));
    const auto make = method == "from_nested_row_splits" ? &FromNestedRowSplits : &FromNestedRowLengths;
    return ToResult(make(*values.tensor(), nested));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const RowPartition partition, MakePartition(method, values, args.at(1), kwargs));
  return ToResult(FromRowPartition(values, partition));
}

}  // namespace

absl::StatusOr<Result> ArrayApi(const std::string& api, const Case& test) {
  std::string op = api;
  if (api == "ragged.boolean_mask" || api == "ragged.stack_dynamic_partitions") op = api.substr(api.find('.') + 1);
  if (api == "rank" || api == "shape") op = api + "_op";
  if (UnaryOps().count(op) == 0 && NaryOps().count(op) == 0) return absl::NotFoundError("tf." + api + " moves no values");
  const Json nothing = Json::object();
  const Json* kwargs = FindMember(test.args, "kwargs");
  return Apply(op, test.input, Args(kwargs == nullptr ? nothing : *kwargs));
}

void RegisterArrayOps(Registry& registry) {
  const auto apply = [](const Case& test) { return Apply(test.op, test.input, Args(test.args)); };
  for (const auto& [name, op] : UnaryOps()) registry[name] = apply;
  for (const auto& [name, op] : NaryOps()) registry[name] = apply;
  registry["rt_method"] = RaggedMethod;
  registry["rt_prop"] = RaggedProperty;
  registry["rt_from"] = MakeRagged;
}

}  // namespace structtensor::vectors
