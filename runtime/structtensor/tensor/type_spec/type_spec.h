// TypeSpecs: the static half of a value. Two batches of the same schema differ in their values; their specs differ at most in
// the sizes that depend on data, which WithUnknownSizes() forgets.
//
// All specs are immutable, cheap to copy, compared and hashed by value.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_TYPE_SPEC_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_TYPE_SPEC_H_

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "structtensor/tensor/type_spec/dtype.h"
#include "structtensor/tensor/type_spec/extension_type_spec.h"
#include "structtensor/tensor/type_spec/shape.h"

#pragma GCC visibility push(default)

namespace structtensor {

class TypeSpec;
struct FieldSpec;

// The spec of a dense tensor. `nullable`: elements may be absent, that is, the tensor may carry a validity.
class TensorSpec {
 public:
  TensorSpec(Shape shape, DType dtype, bool nullable = false) : shape_(std::move(shape)), dtype_(dtype), nullable_(nullable) {}

  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  bool nullable() const { return nullable_; }

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const TensorSpec& spec) {
    return H::combine(std::move(h), spec.shape_, spec.dtype_, spec.nullable_);
  }

 private:
  Shape shape_;
  DType dtype_;
  bool nullable_;
};

// The spec of a row partition. Sizes that are not known statically are kUnknownDimension.
struct RowPartitionSpec {
  int64_t nrows = kUnknownDimension;
  int64_t nvals = kUnknownDimension;
  int64_t uniform_row_length = kUnknownDimension;  // unknown also if rows differ in length
  bool optional = false;                           // every row has 0 or 1 values: the form of an optional field
  DType dtype = DType::kInt64;                     // of row_splits: kInt32 or kInt64

  friend bool operator==(const RowPartitionSpec&, const RowPartitionSpec&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const RowPartitionSpec& spec) {
    return H::combine(std::move(h), spec.nrows, spec.nvals, spec.uniform_row_length, spec.optional, spec.dtype);
  }
};

// The spec of a ragged tensor: row partitions, outermost first, around a dense tensor of shape [nvals, inner...].
class RaggedTensorSpec {
 public:
  // Requires: row_partitions is not empty; flat_values has rank >= 1.
  RaggedTensorSpec(std::vector<RowPartitionSpec> row_partitions, TensorSpec flat_values);
  // The partitions have the sizes that the shape gives; shape may have unknown rank. No value has ragged_rank 0, but a spec
  // may: it becomes ragged under one more axis. Requires: 0 <= ragged_rank, ragged_rank < shape.rank() if known (or both 0);
  // row_splits_dtype is kInt32 or kInt64.
  RaggedTensorSpec(const Shape& shape, DType dtype, int ragged_rank, bool nullable = false,
                   DType row_splits_dtype = DType::kInt64);

  // [nrows, one dimension per partition..., inner...]
  const Shape& shape() const { return rep_->shape; }
  DType dtype() const { return rep_->flat_values.dtype(); }
  bool nullable() const { return rep_->flat_values.nullable(); }
  int ragged_rank() const { return static_cast<int>(rep_->row_partitions.size()); }
  const std::vector<RowPartitionSpec>& row_partitions() const { return rep_->row_partitions; }
  const TensorSpec& flat_values() const { return rep_->flat_values; }
  DType row_splits_dtype() const { return rep_->row_splits_dtype; }

  friend bool operator==(const RaggedTensorSpec& a, const RaggedTensorSpec& b);
  template <typename H>
  friend H AbslHashValue(H h, const RaggedTensorSpec& spec) {
    return H::combine(std::move(h), spec.rep_->row_partitions, spec.rep_->flat_values, spec.rep_->row_splits_dtype);
  }

 private:
  struct Rep {
    Shape shape;
    std::vector<RowPartitionSpec> row_partitions;
    TensorSpec flat_values;
    DType row_splits_dtype;
  };
  std::shared_ptr<const Rep> rep_;
};

// What a struct represents.
enum class StructKind : uint8_t {
  kStruct,
  kMapEntry,  // fields `key` and `value`; the innermost axis of structs is one map
};

// The spec of a structured tensor of rank n: max(n - 1, 0) row partitions, outermost first, and the specs of the fields.
// Structs of different ranks have a common spec, which no value has: its shape has unknown rank, it has no partitions, and its
// fields are as a reader sees them.
class StructuredTensorSpec {
 public:
  // `fields` are flat: each has a leading axis of the innermost rows (of size 1 if shape is scalar). If `row_partitions` is
  // empty, the partitions get the sizes that the shape gives. `nullable`: structs may be absent. `shape_dtype` is the dtype of
  // row_partitions, if there are any, and of partitions that are added later. Requires: row_partitions is empty or has
  // shape.rank() - 1 elements, all of one dtype; field names are unique.
  StructuredTensorSpec(Shape shape, std::vector<FieldSpec> fields, StructKind kind = StructKind::kStruct, bool nullable = false,
                       std::vector<RowPartitionSpec> row_partitions = {}, DType shape_dtype = DType::kInt64);

  int rank() const { return shape().rank(); }  // requires shape().rank_known()
  const Shape& shape() const;
  StructKind kind() const;
  bool nullable() const;
  const std::vector<RowPartitionSpec>& row_partitions() const;
  DType shape_dtype() const;
  // How many innermost rows the flat fields have: 1 for a scalar, kUnknownDimension if not known statically.
  int64_t flat_nrows() const;

  // In schema order, flat, as they were given.
  std::span<const FieldSpec> flat_fields() const;
  // Null if there is no such field. The pointer lives as long as this spec or a copy of it.
  const FieldSpec* FindFlatField(std::string_view name) const;
  // The spec of field i as it is stored, with this spec's shape in front: the spec of StructuredTensor::field_value(i), but for
  // its nullability. The fields of nullable structs are nullable when they are read from a value.
  TypeSpec field_spec(size_t i) const;

  // Fields may be in any order, as in TensorFlow; hashes agree. Cost: O(fields), or O(fields log fields) if the order differs.
  friend bool operator==(const StructuredTensorSpec& a, const StructuredTensorSpec& b);
  template <typename H>
  friend H AbslHashValue(H h, const StructuredTensorSpec& spec);

 private:
  struct Rep;
  // The fields that comparisons use: flat, but those of a scalar without their axis of one row, which is not visible.
  std::vector<FieldSpec> VisibleFields() const;

  std::shared_ptr<const Rep> rep_;
};

// One of the specs above.
class TypeSpec {
 public:
  TypeSpec(TensorSpec spec) : spec_(std::move(spec)) {}            // NOLINT: a TensorSpec is a TypeSpec
  TypeSpec(RaggedTensorSpec spec) : spec_(std::move(spec)) {}      // NOLINT
  TypeSpec(StructuredTensorSpec spec) : spec_(std::move(spec)) {}  // NOLINT
  TypeSpec(RowPartitionSpec spec) : spec_(spec) {}                 // NOLINT
  // Requires: spec is not null.
  template <typename Spec>
  requires std::convertible_to<Spec*, const ExtensionTypeSpec*> TypeSpec(std::shared_ptr<Spec> spec)  // NOLINT
      : spec_(std::in_place_type<std::shared_ptr<const ExtensionTypeSpec>>, std::move(spec)) {}

  // The spec if it is of that kind, else null. The pointer lives as long as this TypeSpec.
  const TensorSpec* tensor() const { return std::get_if<TensorSpec>(&spec_); }
  const RaggedTensorSpec* ragged() const { return std::get_if<RaggedTensorSpec>(&spec_); }
  const StructuredTensorSpec* structured() const { return std::get_if<StructuredTensorSpec>(&spec_); }
  const RowPartitionSpec* row_partition() const { return std::get_if<RowPartitionSpec>(&spec_); }
  const ExtensionTypeSpec* extension() const {
    const auto* spec = std::get_if<std::shared_ptr<const ExtensionTypeSpec>>(&spec_);
    return spec == nullptr ? nullptr : spec->get();
  }

  // The shape that values show; [nrows] for a row partition, [] for an extension type whose values have no rows.
  Shape shape() const;
  // The name of the values' type: "Tensor", "RaggedTensor", "StructuredTensor", "RowPartition", or the extension type's name.
  std::string_view value_type() const;

  // Whether some value has both specs. Types, dtypes, ragged ranks, field names (in any order) and kinds must be equal. Sizes
  // may be unknown on one side. Elements or structs may be absent on one side only. Source for the three functions:
  // tf.TypeSpec, is_compatible_with, is_subtype_of, most_specific_compatible_type.
  bool IsCompatibleWith(const TypeSpec& other) const;
  // Whether every value of this spec also has spec `other`.
  bool IsSubtypeOf(const TypeSpec& other) const;
  // The narrowest spec that both are subtypes of, in the field order of this spec; nullopt if there is none. The result is
  // equal if the two specs are swapped.
  std::optional<TypeSpec> MostSpecificCompatibleType(const TypeSpec& other) const;

  // The same spec without the sizes that depend on data: the size of axis 0, of ragged dimensions, and the nrows and nvals of
  // partitions. Uniform dimensions stay, except optional ones, which are uniform by chance. Equal for all batches of one
  // schema.
  TypeSpec WithUnknownSizes() const;

  // One line: "TensorSpec([3], int64)", "StructuredTensorSpec([3], {'a': TensorSpec([3], int64), ...})".
  std::string DebugString() const;
  // For people: one field a line, indented by depth. An optional dimension is written "0..1".
  //   struct [2]
  //     title: string [2]
  //     ingredients: struct [2, None]
  //       name: string [2, None]
  std::string TreeString() const;

  friend bool operator==(const TypeSpec& a, const TypeSpec& b);
  template <typename H>
  friend H AbslHashValue(H h, const TypeSpec& spec) {
    if (const ExtensionTypeSpec* extension = spec.extension()) return H::combine(std::move(h), extension->Hash());
    h = H::combine(std::move(h), spec.spec_.index());
    return std::visit([&h](const auto& alternative) { return H::combine(std::move(h), alternative); }, spec.spec_);
  }

 private:
  std::variant<TensorSpec, RaggedTensorSpec, StructuredTensorSpec, RowPartitionSpec, std::shared_ptr<const ExtensionTypeSpec>>
      spec_;
};

struct FieldSpec {
  std::string name;
  TypeSpec spec;

  friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const FieldSpec& field) {
    return H::combine(std::move(h), field.name, field.spec);
  }
};

// The spec of a value whose rows are rows of `inner`, grouped by `partition`: [nrows, row length, inner.shape[1:]...]. A dense
// inner stays dense if the partition is uniform and not optional. Requires: inner is not a row partition and has rank >= 1.
TypeSpec WithOuterPartition(const RowPartitionSpec& partition, const TypeSpec& inner);

struct StructuredTensorSpec::Rep {
  Shape shape;
  StructKind kind;
  bool nullable;
  std::vector<RowPartitionSpec> row_partitions;
  std::vector<FieldSpec> fields;
  DType shape_dtype;
};

inline const Shape& StructuredTensorSpec::shape() const { return rep_->shape; }
inline StructKind StructuredTensorSpec::kind() const { return rep_->kind; }
inline bool StructuredTensorSpec::nullable() const { return rep_->nullable; }
inline const std::vector<RowPartitionSpec>& StructuredTensorSpec::row_partitions() const { return rep_->row_partitions; }
inline DType StructuredTensorSpec::shape_dtype() const { return rep_->shape_dtype; }
inline std::span<const FieldSpec> StructuredTensorSpec::flat_fields() const { return rep_->fields; }

template <typename H>
H AbslHashValue(H h, const StructuredTensorSpec& spec) {
  if (spec.rep_->shape.rank_known() && spec.rank() == 0) {
    const std::vector<FieldSpec> fields = spec.VisibleFields();
    h = H::combine_unordered(std::move(h), fields.begin(), fields.end());
  } else {
    h = H::combine_unordered(std::move(h), spec.rep_->fields.begin(), spec.rep_->fields.end());
  }
  return H::combine(std::move(h), spec.rep_->shape, spec.rep_->kind, spec.rep_->nullable, spec.rep_->row_partitions,
                    spec.rep_->shape_dtype);
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_TYPE_SPEC_H_
