#include "spec_text.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "codec.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/extension_types/components.h"

namespace structtensor::vectors {
namespace {

std::string SizeText(int64_t size) { return size == kUnknownDimension ? "None" : absl::StrCat(size); }

std::string PartitionText(const RowPartitionSpec& partition) {
  return absl::StrCat("RowPartition(nrows=", SizeText(partition.nrows), ", nvals=", SizeText(partition.nvals),
                      ", uniform_row_length=", SizeText(partition.uniform_row_length), ", dtype=", DTypeText(partition.dtype),
                      ")");
}

bool IsDense(const RowPartitionSpec& partition) {
  return partition.nrows != kUnknownDimension && partition.uniform_row_length != kUnknownDimension;
}

// By name, since TensorFlow's order changes from run to run.
std::map<std::string, TypeSpec> SortedFields(const StructuredTensorSpec& spec) {
  std::map<std::string, TypeSpec> fields;
  for (size_t i = 0; i < spec.flat_fields().size(); ++i) fields.emplace(spec.flat_fields()[i].name, spec.field_spec(i));
  return fields;
}

std::string StructText(const StructuredTensorSpec& spec, ListedPartitions listed) {
  std::string text = absl::StrCat("Structured(shape=", spec.shape().DebugString(),
                                  ", shape_dtype=", DTypeText(spec.shape_dtype()), ", row_partitions=[");
  const auto& partitions = spec.row_partitions();
  const bool list = listed == ListedPartitions::kAll || !std::all_of(partitions.begin(), partitions.end(), IsDense);
  for (size_t i = 0; list && i < partitions.size(); ++i)
    absl::StrAppend(&text, i > 0 ? ", " : "", PartitionText(partitions[i]));
  text += "], fields={";
  bool first = true;
  for (const auto& [name, field] : SortedFields(spec)) {
    absl::StrAppend(&text, first ? "" : ", ", name, ": ", TensorFlowText(field, listed));
    first = false;
  }
  return text + "})";
}

// Text form of protocol buffers: each message is written by a function that is given the printer.
class ProtoPrinter {
 public:
  using Content = std::function<void()>;

  void Message(std::string_view name, const Content& content) {
    Line(absl::StrCat(ToAbsl(name), " {"));
    indent_ += 2;
    content();
    indent_ -= 2;
    Line("}");
  }
  void Scalar(std::string_view name, const std::string& value) { Line(absl::StrCat(ToAbsl(name), ": ", value)); }
  std::string TakeText() { return std::move(text_); }

  void Shape(std::string_view name, const structtensor::Shape& shape) {
    Message(name, [&] {
      if (!shape.rank_known()) Scalar("unknown_rank", "true");
      for (const int64_t dim : shape.dims()) {
        Message("dim", [&] {
          if (dim != 0) Scalar("size", absl::StrCat(dim));
        });
      }
    });
  }
  void Size(int64_t size) {
    Values([&] { Shape("tensor_shape_value", structtensor::Shape({size})); });
  }
  void Values(const Content& content) { Message("values", content); }

  // A pair of a name and what `content` writes.
  void Attribute(const char* name, const Content& content) {
    Values([&] {
      Message("tuple_value", [&] {
        Values([&] { Scalar("string_value", absl::StrCat("\"", name, "\"")); });
        Values(content);
      });
    });
  }

  void Tensor(const TensorSpec& spec) {
    Message("tensor_spec_value", [&] {
      Shape("shape", spec.shape());
      Scalar("dtype", DTypeName(spec.dtype()));
    });
  }

  // What all specs but those of tensors have around their state.
  void SpecContent(const char* type_class, const char* name, size_t num_flat_components, const Content& state) {
    Scalar("type_spec_class", type_class);
    Message("type_state", [&] { Message("tuple_value", state); });
    Scalar("type_spec_class_name", absl::StrCat("\"", name, "\""));
    Scalar("num_flat_components", absl::StrCat(num_flat_components));
  }

  void Partition(const RowPartitionSpec& spec) {
    Message("type_spec_value", [&] {
      SpecContent("ROW_PARTITION_SPEC", "RowPartitionSpec", 1, [&] {
        Size(spec.nrows);
        Size(spec.nvals);
        Size(spec.uniform_row_length);
        Values([&] { Scalar("tensor_dtype_value", DTypeName(spec.dtype)); });
      });
    });
  }

  void RaggedShape(const StructuredTensorSpec& spec) {
    Message("type_spec_value", [&] {
      SpecContent("EXTENSION_TYPE_SPEC", "tf.DynamicRaggedShape.Spec", 1 + spec.row_partitions().size(), [&] {
        Attribute("_row_partitions", [&] {
          Message("tuple_value", [&] {
            for (const RowPartitionSpec& partition : spec.row_partitions()) Values([&] { Partition(partition); });
          });
        });
        const int64_t inner_rank = spec.rank() == 0 ? 0 : 1;
        Attribute("_inner_shape", [&] { Tensor(TensorSpec(structtensor::Shape({inner_rank}), spec.shape_dtype())); });
        Attribute("_static_inner_shape", [&] {
          Shape("tensor_shape_value", spec.rank() == 0 ? structtensor::Shape() : structtensor::Shape({spec.flat_nrows()}));
        });
      });
    });
  }

  void StructContent(const StructuredTensorSpec& spec) {
    SpecContent("EXTENSION_TYPE_SPEC", "tf.StructuredTensor.Spec", FlattenComposites(Nest<TypeSpec>(TypeSpec(spec))).size(),
                [&] {
                  Attribute("_fields", [&] {
                    Message("dict_value", [&] {
                      for (const auto& [name, field] : SortedFields(spec)) {
                        Message("fields", [&, &name = name, &field = field] {
                          Scalar("key", absl::StrCat("\"", name, "\""));
                          Message("value", [&] { Spec(field); });
                        });
                      }
                    });
                  });
                  Attribute("_ragged_shape", [&] { RaggedShape(spec); });
                });
  }

  void Spec(const TypeSpec& spec) {
    if (spec.tensor() != nullptr) return Tensor(*spec.tensor());
    Message("type_spec_value", [&] {
      if (spec.structured() != nullptr) return StructContent(*spec.structured());
      const RaggedTensorSpec& ragged = *spec.ragged();
      SpecContent("RAGGED_TENSOR_SPEC", "RaggedTensorSpec", 1 + ragged.row_partitions().size(), [&] {
        Values([&] { Shape("tensor_shape_value", ragged.shape()); });
        Values([&] { Scalar("tensor_dtype_value", DTypeName(ragged.dtype())); });
        Values([&] { Scalar("int64_value", absl::StrCat(ragged.ragged_rank())); });
        Values([&] { Scalar("tensor_dtype_value", DTypeName(ragged.row_splits_dtype())); });
      });
    });
  }

 private:
  static std::string DTypeName(DType dtype) {
    if (dtype == DType::kFloat) return "DT_FLOAT";
    if (dtype == DType::kDouble) return "DT_DOUBLE";
    return absl::StrCat("DT_", absl::AsciiStrToUpper(DTypeText(dtype)));
  }
  void Line(const std::string& line) { absl::StrAppend(&text_, std::string(indent_, ' '), line, "\n"); }

  std::string text_;
  size_t indent_ = 0;
};

}  // namespace

std::string TensorFlowText(const TypeSpec& spec, ListedPartitions listed) {
  if (const TensorSpec* tensor = spec.tensor()) {
    return absl::StrCat("Tensor(shape=", tensor->shape().DebugString(), ", dtype=", DTypeText(tensor->dtype()), ")");
  }
  if (const RaggedTensorSpec* ragged = spec.ragged()) {
    return absl::StrCat("Ragged(shape=", ragged->shape().DebugString(), ", dtype=", DTypeText(ragged->dtype()),
                        ", ragged_rank=", ragged->ragged_rank(), ", row_splits_dtype=", DTypeText(ragged->row_splits_dtype()),
                        ")");
  }
  if (const StructuredTensorSpec* structs = spec.structured()) return StructText(*structs, listed);
  if (const RowPartitionSpec* partition = spec.row_partition()) return PartitionText(*partition);
  return spec.extension()->DebugString();
}

std::string TensorFlowProtoText(const StructuredTensorSpec& spec) {
  ProtoPrinter printer;
  printer.StructContent(spec);
  return printer.TakeText();
}

}  // namespace structtensor::vectors
