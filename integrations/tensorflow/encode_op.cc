// The operation StructtensorEncode: the columns of a structured tensor to serialized messages, by the engine.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "decode_options.h"
#include "op.h"
#include "structtensor/app/scan/message_decoder.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/messages/shared/native_times.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"
#include "tokens.h"

namespace structtensor::tensorflow {
namespace {

constexpr int kMaxDepth = 100;

// A column or structs, as the attribute `structure` describes them:
//   "column" name partitions          its row splits and its elements are the next inputs
//   "structs" name partitions fields  its row splits are the next inputs, and then come its fields
struct Node {
  std::string name;
  // Timestamps and durations are int64 in TensorFlow; nothing for columns that are no times.
  std::optional<DType> time_dtype;
  int64_t partitions = 0;
  bool is_column = false;
  std::vector<Node> fields;
};

absl::Status ParseFields(Tokens& tokens, int64_t count, int depth, Node& parent) {
  if (depth > kMaxDepth) return tokens.Wrong(absl::StrCat("has structs nested deeper than ", kMaxDepth, " levels"));
  for (int64_t i = 0; i < count; ++i) {
    Node node;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string kind, tokens.Text());
    node.is_column = kind == "column";
    if (!node.is_column && kind != "structs")
      return tokens.Wrong(absl::StrCat("has \"", kind, "\", which is not a kind of field"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(node.name, tokens.Text());
    STRUCTTENSOR_ASSIGN_OR_RETURN(node.partitions, tokens.Integer(0, kMaxDepth));
    if (!node.is_column) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t fields, tokens.Integer(0, 1 << 20));
      STRUCTTENSOR_RETURN_IF_ERROR(ParseFields(tokens, fields, depth + 1, node));
    }
    parent.fields.push_back(std::move(node));
  }
  return absl::OkStatus();
}

// Finds out which columns are times. `unit`: that of times whose field does not say another one.
void NoteTimes(const plan::MessagePlan& message, TimeUnit unit, Node& parent) {
  for (Node& node : parent.fields) {
    const plan::FieldPlan* const field = message.FindByColumnName(node.name);
    if (field == nullptr || field->message == nullptr) continue;
    const TimeUnit unit_of_field = messages_internal::NativeTimeUnit(*field, unit);
    if (!node.is_column) {
      NoteTimes(*field->message, unit, node);
    } else if (field->message->well_known == plan::WellKnown::kTimestamp) {
      node.time_dtype = TimestampDType(unit_of_field);
    } else if (field->message->well_known == plan::WellKnown::kDuration) {
      node.time_dtype = DurationDType(unit_of_field);
    }
  }
}

absl::StatusOr<DType> DTypeOf(TF_DataType type) {
  switch (type) {
    case TF_FLOAT:
      return DType::kFloat;
    case TF_DOUBLE:
      return DType::kDouble;
    case TF_INT32:
      return DType::kInt32;
    case TF_INT64:
      return DType::kInt64;
    case TF_BOOL:
      return DType::kBool;
    case TF_UINT32:
      return DType::kUint32;
    case TF_UINT64:
      return DType::kUint64;
    case TF_STRING:
      return DType::kBytes;
    default:
      return absl::InvalidArgumentError(absl::StrCat("elements of the type ", static_cast<int>(type),
                                                     " cannot be encoded; cast them to float, double, "
                                                     "int32, int64, uint32, uint64, bool or string"));
  }
}

// Builds the rows of the inputs.
class RowBuilder {
 public:
  RowBuilder(TF_OpKernelContext* context, int first_input) : context_(context), next_input_(first_input) {}

  absl::StatusOr<StructuredTensor> Rows(const Node& root, int64_t nrows) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(root, nrows, ""));
    return StructuredTensor::FromFields(nrows, std::move(fields));
  }

 private:
  absl::StatusOr<std::vector<Field>> Fields(const Node& node, int64_t nrows, const std::string& path) {
    std::vector<Field> fields;
    for (const Node& each : node.fields) {
      const std::string each_path = path.empty() ? each.name : absl::StrCat(path, ".", each.name);
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value value, OfField(each, nrows, each_path));
      fields.push_back({each.name, std::move(value)});
    }
    return fields;
  }

  absl::StatusOr<Value> OfField(const Node& node, int64_t nrows, const std::string& path) {
    std::vector<RowPartition> partitions;
    for (int64_t i = 0; i < node.partitions; ++i) {
      absl::StatusOr<RowPartition> partition = Partition(nrows);
      if (!partition.ok()) return AtPath(path, partition.status());
      nrows = partition->nvals();
      partitions.push_back(*std::move(partition));
    }
    if (node.is_column) {
      absl::StatusOr<Tensor> elements = Elements(nrows, node.time_dtype);
      if (!elements.ok()) return AtPath(path, elements.status());
      if (partitions.empty()) return Value(*std::move(elements));
      STRUCTTENSOR_ASSIGN_OR_RETURN(RaggedTensor ragged,
                                    RaggedTensor::FromRowPartitions(std::move(partitions), *std::move(elements)));
      return Value(std::move(ragged));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(node, nrows, path));
    return Value(StructuredTensor::Create(std::move(partitions), nrows, std::move(fields)));
  }

  static absl::Status AtPath(const std::string& path, const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  }

  absl::StatusOr<Input> Next() { return Input::Of(context_, next_input_++); }

  absl::StatusOr<RowPartition> Partition(int64_t nrows) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Input input, Next());
    if (input.type() != TF_INT64 || input.rank() != 1 || input.size_elements() != nrows + 1) {
      return absl::InvalidArgumentError(absl::StrCat("the row splits of ", nrows, " rows are ", nrows + 1,
                                                     " numbers of int64; found ", input.size_elements(),
                                                     " elements in a tensor of rank ", input.rank()));
    }
    return RowPartition::FromRowSplits(Numbers<int64_t>(input));
  }

  absl::StatusOr<Tensor> Elements(int64_t count, std::optional<DType> time_dtype) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Input input, Next());
    if (input.rank() != 1 || input.size_elements() != count) {
      return absl::InvalidArgumentError(absl::StrCat("expected a vector of ", count, " elements, one for each row; found ",
                                                     input.size_elements(), " elements in a tensor of rank ", input.rank()));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(DType dtype, DTypeOf(input.type()));
    if (dtype == DType::kBytes) return Strings(input);
    if (dtype == DType::kInt64) dtype = time_dtype.value_or(dtype);
    return VisitStoredType(dtype, [&]<typename T>() { return Tensor::FromBuffer(Numbers<T>(input), dtype); });
  }

  // Shares the memory of the tensor.
  template <typename T>
  static Buffer<T> Numbers(const Input& input) {
    return Buffer<T>(input.owner(), static_cast<const T*>(input.data()), static_cast<size_t>(input.size_elements()));
  }

  static absl::StatusOr<Tensor> Strings(const Input& input) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string_view> strings, input.Strings());
    std::vector<int32_t> offsets = {0};
    offsets.reserve(strings.size() + 1);
    size_t total_bytes = 0;
    for (const std::string_view string : strings) {
      total_bytes += string.size();
      if (total_bytes > 0x7fffffff)
        return absl::ResourceExhaustedError("the strings exceed 2 GiB; encode fewer rows at a time");
      offsets.push_back(static_cast<int32_t>(total_bytes));
    }
    std::vector<char> bytes;
    bytes.reserve(total_bytes);
    for (const std::string_view string : strings) bytes.insert(bytes.end(), string.begin(), string.end());
    return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)),
                               DType::kBytes);
  }

  TF_OpKernelContext* const context_;
  int next_input_;
};

absl::Status SetOption(const std::string& option, TensorEncodeOptions& options) {
  const size_t equals = option.find('=');
  const std::string name = option.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
  if (value != "true" && value != "false") {
    return absl::InvalidArgumentError(absl::StrCat("option ", name, ": ", value, " is neither true nor false"));
  }
  bool* const flag = name == "sort_map_keys"            ? &options.sort_map_keys
                     : name == "unknown_fields"         ? &options.unknown_fields
                     : name == "ignore_extra_fields"    ? &options.ignore_extra_fields
                     : name == "allow_missing_required" ? &options.allow_missing_required
                                                        : nullptr;
  if (flag == nullptr) return absl::InvalidArgumentError(absl::StrCat("there is no option ", name));
  *flag = value == "true";
  return absl::OkStatus();
}

class EncodeKernel {
 public:
  static absl::StatusOr<EncodeKernel> Create(TF_OpKernelConstruction* context) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string descriptor_set, StringAttribute(context, "descriptor_set"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string message, StringAttribute(context, "message"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string> structure, StringListAttribute(context, "structure"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string> options, StringListAttribute(context, "options"));
    auto state = std::make_shared<State>();
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Schema schema, Schema::FromDescriptorSet(descriptor_set));
    STRUCTTENSOR_ASSIGN_OR_RETURN(state->plan, schema.PlanOf(message));
    std::vector<std::string> decode_options;
    for (const std::string& option : options) {
      if (option.starts_with("timestamps=")) {
        decode_options.push_back(option);
      } else {
        STRUCTTENSOR_RETURN_IF_ERROR(SetOption(option, state->options));
      }
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowOptions decoding, ParseDecodeOptions(decode_options));
    Tokens tokens("structure", structure);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t fields, tokens.Integer(0, 1 << 20));
    STRUCTTENSOR_RETURN_IF_ERROR(ParseFields(tokens, fields, 0, state->root));
    if (!tokens.empty()) return tokens.Wrong("goes on after its last field");
    NoteTimes(*state->plan, decoding.tensor.timestamps, state->root);
    return EncodeKernel(std::move(state));
  }

  absl::Status Compute(TF_OpKernelContext* context) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Input nrows, Input::Of(context, 0));
    if (nrows.type() != TF_INT64 || nrows.size_elements() != 1) {
      return absl::InvalidArgumentError("nrows must be a single int64");
    }
    const int64_t count = *static_cast<const int64_t*>(nrows.data());
    if (count < 0 || count > 0x7fffffff) {
      return absl::InvalidArgumentError(absl::StrCat("nrows is ", count, "; it must be in [0, 2^31)"));
    }
    RowBuilder builder(context, 1);
    STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor rows, builder.Rows(state_->root, count));
    // The encoder is cheap to make, and the strings use its memory.
    STRUCTTENSOR_ASSIGN_OR_RETURN(TensorEncoder encoder, TensorEncoder::Create(*state_->plan, state_->options));
    STRUCTTENSOR_ASSIGN_OR_RETURN(EncodedBatch encoded, encoder.Encode(rows));
    const auto batch = std::make_shared<const EncodedBatch>(std::move(encoded));
    return OutputStrings(context, 0, static_cast<int64_t>(batch->size()), std::make_shared<const Kept>(Kept{state_, batch}),
                         [&](int64_t i) { return (*batch)[static_cast<size_t>(i)]; });
  }

 private:
  struct State {
    std::shared_ptr<const plan::MessagePlan> plan;
    TensorEncodeOptions options;
    Node root;
  };
  // The objects that own the bytes of the strings.
  struct Kept {
    std::shared_ptr<const State> state;
    std::shared_ptr<const EncodedBatch> batch;
  };

  explicit EncodeKernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

const bool kEncodeRegistered = RegisterOp({
    .name = "StructtensorEncode",
    .inputs = {"nrows: int64", "columns: Tin"},
    .outputs = {"serialized: string"},
    .attributes = {"descriptor_set: string", "message: string", "structure: list(string)", "options: list(string) >= 0",
                   "Tin: list(type) >= 0"},
    .infer_shapes = InferVectors,
    .create = CreateKernel<EncodeKernel>,
    .compute = Compute<EncodeKernel>,
    .destroy = DestroyKernel<EncodeKernel>,
});

}  // namespace
}  // namespace structtensor::tensorflow
