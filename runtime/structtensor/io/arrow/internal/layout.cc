#include "structtensor/io/arrow/internal/layout.h"

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"

namespace structtensor::arrow_internal {

bool IsMap(const StructuredTensorSpec& structs) {
  if (structs.kind() != StructKind::kMapEntry || structs.row_partitions().empty() || structs.flat_fields().size() != 2) {
    return false;
  }
  const FieldSpec& key = structs.flat_fields()[0];
  const TensorSpec* key_spec = key.spec.tensor();
  return key.name == "key" && structs.flat_fields()[1].name == "value" && key_spec != nullptr && key_spec->shape().rank() == 1;
}

size_t FixedSizeListsEnd(std::span<const RowPartitionSpec> partitions, bool of_structs) {
  size_t end = partitions.size();
  while (!of_structs && end > 0 && IsFixedSizeList(partitions[end - 1])) --end;
  return end;
}

bool IsFixedSizeList(const RowPartitionSpec& partition) { return !partition.optional && partition.uniform_row_length > 0; }

bool HasDictionary(const TensorSpec& tensor, const ArrowLayout* layout) {
  return layout != nullptr && !layout->dictionary_names.empty() && tensor.dtype() == DType::kString;
}

bool HasFixedSize(const TensorSpec& tensor, const ArrowLayout* layout) {
  return layout != nullptr && layout->fixed_size_bytes > 0 && tensor.dtype() == DType::kBytes;
}

std::string FieldPath::At(std::string_view problem) const {
  std::string path;
  for (const std::string_view name : names_) AppendField(name, path);
  return absl::StrCat(path.empty() ? "the batch" : "field ", path, ": ", ToAbsl(problem));
}

absl::Status FieldPath::InvalidArgument(std::string_view problem) const { return absl::InvalidArgumentError(At(problem)); }
absl::Status FieldPath::OutOfRange(std::string_view problem) const { return absl::OutOfRangeError(At(problem)); }
absl::Status FieldPath::ResourceExhausted(std::string_view problem) const { return absl::ResourceExhaustedError(At(problem)); }
absl::Status FieldPath::Of(const absl::Status& status) const {
  return absl::Status(status.code(), At({status.message().data(), status.message().size()}));
}

}  // namespace structtensor::arrow_internal
