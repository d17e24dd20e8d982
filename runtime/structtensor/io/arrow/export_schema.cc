#include <memory>
#include <span>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/internal/children.h"
#include "structtensor/io/arrow/internal/layout.h"

namespace structtensor {
namespace {

using arrow_internal::Children;
using arrow_internal::FieldPath;

// A type with everything that its ArrowSchema points at.
struct SchemaParts {
  std::string format;
  std::string name;
  bool nullable = false;
  Children<ArrowSchema> children;
  Children<ArrowSchema> dictionary;  // the type of the dictionary's values, or none
};
using OwnedSchema = std::unique_ptr<SchemaParts>;

void ReleaseSchema(ArrowSchema* schema) {
  delete static_cast<SchemaParts*>(schema->private_data);
  schema->release = nullptr;
}

void Publish(OwnedSchema parts, ArrowSchema* out) {
  *out = {};
  out->format = parts->format.c_str();
  out->name = parts->name.c_str();
  out->flags = parts->nullable ? ARROW_FLAG_NULLABLE : 0;
  out->n_children = parts->children.size();
  out->children = parts->children.Pointers();
  if (parts->dictionary.size() > 0) out->dictionary = parts->dictionary.Pointers()[0];
  out->release = ReleaseSchema;
  out->private_data = parts.release();
}

OwnedSchema MakeSchema(std::string format, bool nullable = false) {
  auto schema = std::make_unique<SchemaParts>();
  schema->format = std::move(format);
  schema->nullable = nullable;
  return schema;
}

void AddChild(SchemaParts& parent, std::string name, OwnedSchema child) {
  child->name = std::move(name);
  Publish(std::move(child), parent.children.Add());
}

OwnedSchema ListOf(std::string format, std::string item_name, OwnedSchema item) {
  OwnedSchema list = MakeSchema(std::move(format));
  AddChild(*list, std::move(item_name), std::move(item));
  return list;
}

// Makes lists of `item`, the innermost lists first. Lists have a fixed size where the partitions say which.
OwnedSchema GroupBy(std::span<const RowPartitionSpec> partitions, bool of_structs, OwnedSchema item) {
  const size_t fixed_end = arrow_internal::FixedSizeListsEnd(partitions, of_structs);
  for (size_t i = partitions.size(); i > 0; --i) {
    const bool fixed = i <= fixed_end && arrow_internal::IsFixedSizeList(partitions[i - 1]);
    item = ListOf(fixed ? absl::StrCat("+w:", partitions[i - 1].uniform_row_length) : "+L", "item", std::move(item));
  }
  return item;
}

class SchemaExporter {
 public:
  absl::StatusOr<OwnedSchema> ExportStruct(const StructuredTensorSpec& structs, std::span<const ArrowLayout> layouts) {
    OwnedSchema schema = MakeSchema("+s", structs.nullable());
    const bool is_map = arrow_internal::IsMap(structs);
    for (const FieldSpec& field : structs.flat_fields()) {
      const FieldPath::Step step(path_, field.name);
      STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedSchema child, ExportField(field.spec, arrow_internal::LayoutOf(field.name, layouts)));
      if (is_map && schema->children.size() == 0) child->nullable = false;  // the key
      AddChild(*schema, field.name, std::move(child));
    }
    return schema;
  }

  // `layout`: the column's, or null.
  absl::StatusOr<OwnedSchema> ExportField(const TypeSpec& spec, const ArrowLayout* layout) {
    if (const TensorSpec* tensor = spec.tensor()) return ExportTensor(*tensor, layout);
    if (const RaggedTensorSpec* ragged = spec.ragged()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedSchema schema, ExportTensor(ragged->flat_values(), layout));
      return GroupBy(ragged->row_partitions(), false, std::move(schema));
    }
    if (const StructuredTensorSpec* structs = spec.structured()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedSchema schema, ExportStruct(*structs, arrow_internal::FieldsOf(layout)));
      std::span<const RowPartitionSpec> partitions = structs->row_partitions();
      if (arrow_internal::IsMap(*structs)) {
        schema->nullable = false;
        schema = ListOf("+m", "entries", std::move(schema));
        partitions = partitions.first(partitions.size() - 1);
      }
      return GroupBy(partitions, true, std::move(schema));
    }
    return path_.InvalidArgument(
        absl::StrCat("found ", spec.DebugString(), "; fields are tensors, ragged tensors or structured tensors"));
  }

 private:
  absl::StatusOr<OwnedSchema> ExportTensor(const TensorSpec& tensor, const ArrowLayout* layout) {
    const char* format = type_spec_internal::FactsOf(tensor.dtype()).arrow;
    if (format == nullptr) {
      return path_.InvalidArgument(absl::StrCat("Arrow has no type for ", ToAbsl(DTypeName(tensor.dtype())),
                                                "; convert the field to float before exporting it"));
    }
    OwnedSchema schema = MakeSchema(format, tensor.nullable());
    if (arrow_internal::HasDictionary(tensor, layout)) {
      schema->format = type_spec_internal::FactsOf(DType::kInt32).arrow;
      Publish(MakeSchema(format), schema->dictionary.Add());
    } else if (arrow_internal::HasFixedSize(tensor, layout)) {
      schema->format = absl::StrCat("w:", layout->fixed_size_bytes);
      schema->nullable = tensor.nullable() || layout->empty_is_null;
    }
    for (int axis = tensor.shape().rank() - 1; axis > 0; --axis) {
      const int64_t length = tensor.shape()[axis];
      if (length == kUnknownDimension) {
        return path_.InvalidArgument(absl::StrCat("axis ", axis, " of ", TypeSpec(tensor).DebugString(),
                                                  " has no known size, but a fixed-size list needs one; export the spec of a "
                                                  "batch, or make the axis ragged"));
      }
      schema = ListOf(absl::StrCat("+w:", length), "item", std::move(schema));
    }
    return schema;
  }

  FieldPath path_;
};

}  // namespace

absl::Status ExportSchema(const StructuredTensorSpec& spec, ArrowSchema* out, std::span<const ArrowLayout> layouts) {
  *out = {};
  if (spec.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("cannot export ", TypeSpec(spec).DebugString(),
                                                   " as a record batch: it has rank ", spec.rank(), ", expected 1"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedSchema schema, SchemaExporter().ExportStruct(spec, layouts));
  Publish(std::move(schema), out);
  return absl::OkStatus();
}

absl::Status ExportValueSchema(const TypeSpec& spec, ArrowSchema* out) {
  *out = {};
  if (!spec.shape().rank_known() || spec.shape().rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot export ", spec.DebugString(), " as an Arrow array: it has no rows; expected rank 1 or more"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(OwnedSchema schema, SchemaExporter().ExportField(spec, nullptr));
  Publish(std::move(schema), out);
  return absl::OkStatus();
}

}  // namespace structtensor
