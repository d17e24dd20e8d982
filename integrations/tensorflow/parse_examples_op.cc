// The operation StructtensorParseExamples: serialized tf.Examples to columns, each feature by its key.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "columns.h"
#include "op.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/tf_example/feature_specs.h"
#include "structtensor/io/tf_example/parse_examples.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "tokens.h"

namespace structtensor::tensorflow {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 31;

absl::StatusOr<DType> ParseDType(Tokens& tokens) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string name, tokens.Text());
  if (name == "int64") return DType::kInt64;
  if (name == "int32") return DType::kInt32;  // for row splits
  if (name == "float") return DType::kFloat;
  if (name == "bytes") return DType::kBytes;
  if (name == "string") return DType::kString;
  return tokens.Wrong(absl::StrCat("has \"", name, "\", which is not a dtype of a feature"));
}

absl::StatusOr<std::vector<int64_t>> ParseIntegers(Tokens& tokens) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t count, tokens.Integer(0, 1 << 20));
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < count; ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t integer, tokens.Integer(0, kMaxSize));
    integers.push_back(integer);
  }
  return integers;
}

// Reads a number of values (-1 for no default), and then the values. The tensor has `shape`, if the values fill it.
absl::StatusOr<std::optional<Tensor>> ParseDefault(Tokens& tokens, DType dtype, const Shape& shape) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t count, tokens.Integer(-1, kMaxSize));
  if (count < 0) return std::optional<Tensor>();
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<std::string> strings;
  for (int64_t i = 0; i < count; ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::string text, tokens.Text());
    int64_t integer = 0;
    double number = 0;
    if (dtype == DType::kInt64) {
      if (!absl::SimpleAtoi(text, &integer)) return tokens.Wrong(absl::StrCat("has \"", text, "\", which is not int64"));
      integers.push_back(integer);
    } else if (dtype == DType::kFloat) {
      if (!absl::SimpleAtod(text, &number)) return tokens.Wrong(absl::StrCat("has \"", text, "\", which is not a number"));
      floats.push_back(static_cast<float>(number));
    } else {
      strings.push_back(std::move(text));
    }
  }
  Tensor values = dtype == DType::kInt64   ? Tensor::FromVector(std::move(integers))
                  : dtype == DType::kFloat ? Tensor::FromVector(std::move(floats))
                                           : Tensor::FromVector(strings, dtype);
  if (shape.num_elements() == values.size_elements()) values = values.Reshape(shape);
  return std::optional<Tensor>(std::move(values));
}

absl::StatusOr<RaggedFeaturePartition> ParsePartition(Tokens& tokens) {
  constexpr const char* kKinds[] = {"RowSplits", "RowLengths", "RowStarts", "RowLimits", "ValueRowIds", "UniformRowLength"};
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string kind, tokens.Text());
  RaggedFeaturePartition partition;
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kind != kKinds[i]) continue;
    partition.kind = static_cast<RaggedFeaturePartition::Kind>(i);
    if (partition.kind == RaggedFeaturePartition::Kind::kUniformRowLength) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(partition.uniform_row_length, tokens.Integer(0, kMaxSize));
    } else {
      STRUCTTENSOR_ASSIGN_OR_RETURN(partition.key, tokens.Text());
    }
    return partition;
  }
  return tokens.Wrong(absl::StrCat("has \"", kind, "\", which is not a partition"));
}

absl::StatusOr<FeatureSpec> ParseFeature(Tokens& tokens) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string kind, tokens.Text());
  STRUCTTENSOR_ASSIGN_OR_RETURN(const DType dtype, ParseDType(tokens));
  if (kind == "FixedLenFeature" || kind == "FixedLenSequenceFeature") {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, ParseIntegers(tokens));
    const Shape shape{std::span<const int64_t>(sizes)};
    if (kind == "FixedLenFeature") {
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::optional<Tensor> values, ParseDefault(tokens, dtype, shape));
      return FixedLenFeature{.shape = shape, .dtype = dtype, .default_value = std::move(values)};
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t allow_missing, tokens.Integer(0, 1));
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::optional<Tensor> values, ParseDefault(tokens, dtype, Shape()));
    return FixedLenSequenceFeature{
        .shape = shape, .dtype = dtype, .allow_missing = allow_missing != 0, .default_value = std::move(values)};
  }
  if (kind == "VarLenFeature") return VarLenFeature{.dtype = dtype};
  if (kind == "RaggedFeature") {
    RaggedFeature feature{.dtype = dtype};
    STRUCTTENSOR_ASSIGN_OR_RETURN(feature.value_key, tokens.Text());
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t count, tokens.Integer(0, 100));
    for (int64_t i = 0; i < count; ++i) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(RaggedFeaturePartition partition, ParsePartition(tokens));
      feature.partitions.push_back(std::move(partition));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(feature.row_splits_dtype, ParseDType(tokens));
    return feature;
  }
  if (kind != "SparseFeature") return tokens.Wrong(absl::StrCat("has \"", kind, "\", which is not a kind of feature"));
  SparseFeature feature{.dtype = dtype};
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t count, tokens.Integer(0, 100));
  for (int64_t i = 0; i < count; ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::string key, tokens.Text());
    feature.index_keys.push_back(std::move(key));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(feature.value_key, tokens.Text());
  STRUCTTENSOR_ASSIGN_OR_RETURN(feature.size, ParseIntegers(tokens));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t already_sorted, tokens.Integer(0, 1));
  feature.already_sorted = already_sorted != 0;
  return feature;
}

// The features of the attribute. Each is a name, and then what ParseFeature() reads.
absl::StatusOr<FeatureSpecs> ParseFeatures(const std::vector<std::string>& strings) {
  Tokens tokens("features", strings);
  FeatureSpecs specs;
  while (!tokens.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::string name, tokens.Text());
    STRUCTTENSOR_ASSIGN_OR_RETURN(FeatureSpec spec, ParseFeature(tokens));
    specs.emplace_back(std::move(name), std::move(spec));
  }
  return specs;
}

class ParseExamplesKernel {
 public:
  static absl::StatusOr<ParseExamplesKernel> Create(TF_OpKernelConstruction* context) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string> features, StringListAttribute(context, "features"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<TF_DataType> types, TypeListAttribute(context, "Tout"));
    STRUCTTENSOR_ASSIGN_OR_RETURN(FeatureSpecs specs, ParseFeatures(features));
    ParseExamplesKernel kernel(std::move(specs));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Column> columns, kernel.Parse({}));
    bool same = columns.size() == types.size();
    for (size_t i = 0; same && i < types.size(); ++i) same = TensorFlowDType(columns[i].dtype()) == types[i];
    if (same) return kernel;
    return absl::InvalidArgumentError(
        absl::StrCat("StructtensorParseExamples: Tout has ", types.size(), " types, which are not those of the ",
                     columns.size(), " columns of the features; call structtensor.tf.parse_examples(), which knows them"));
  }

  absl::Status Compute(TF_OpKernelContext* context) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Input serialized, Input::Of(context, 0));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<std::string_view> messages, serialized.Strings());
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Column> columns, Parse(messages));
    for (size_t i = 0; i < columns.size(); ++i) {
      STRUCTTENSOR_RETURN_IF_ERROR(OutputColumn(context, static_cast<int>(i), columns[i]));
    }
    return absl::OkStatus();
  }

 private:
  explicit ParseExamplesKernel(FeatureSpecs specs) : specs_(std::move(specs)) {}

  absl::StatusOr<std::vector<Column>> Parse(std::span<const std::string_view> messages) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor rows, ParseExamples(messages, specs_));
    return ColumnsOf(rows, /*absent_is_default=*/false);
  }

  FeatureSpecs specs_;
};

const bool kParseExamplesRegistered = RegisterOp({
    .name = "StructtensorParseExamples",
    .inputs = {"serialized: string"},
    .outputs = {"columns: Tout"},
    .attributes = {"features: list(string) >= 0", "Tout: list(type) >= 0"},
    .infer_shapes = InferNothing,
    .create = CreateKernel<ParseExamplesKernel>,
    .compute = Compute<ParseExamplesKernel>,
    .destroy = DestroyKernel<ParseExamplesKernel>,
});

}  // namespace
}  // namespace structtensor::tensorflow
