// A tensor of structs: what a batch of messages becomes. Include value.h to read its fields.
#ifndef STRUCTTENSOR_TENSOR_VALUES_STRUCTURED_TENSOR_H_
#define STRUCTTENSOR_TENSOR_VALUES_STRUCTURED_TENSOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/validity.h"

#pragma GCC visibility push(default)

namespace structtensor {

class Key;
class Value;
struct Field;

// For decoders: makes the fields of a struct when they are first read.
class FieldSource {
 public:
  virtual ~FieldSource() = default;
  // Returns flat field i, the same value each time. Several threads may call this at once, also for the same field: then one of
  // the results is used.
  virtual Value MakeField(size_t i) const = 0;
  // False if the field is known to have no value: it is absent in all rows, or all its rows are empty.
  virtual bool MayHaveValues(size_t /*i*/) const { return true; }
};

// Structs of one schema in an array of rank n >= 0. All fields share the outer n axes. These axes are stored once, so they
// always agree: n - 1 row partitions, outermost first. Every field is stored *flat*, with one leading axis for the innermost
// rows.
//
//   rank 2: [[{x:1}, {x:2}], [], [{x:3}]]     row_partitions: [row_splits 0 2 2 3]    flat field x: [1, 2, 3]
//   field_value("x") puts the partitions back in front: ragged [[1, 2], [], [3]]
//
// Rank 1 has no partitions: flat and wrapped fields are the same. Rank 0 is one struct: its flat fields have one row, its field
// values are that row. The entries of maps are structs of kind kMapEntry.
//
// Structs may be absent (a message that was not set): see validity(). What is in an absent struct is absent, too: field_value()
// and all operations show absent elements there, and empty rows of ragged fields, whatever the flat fields have stored.
class StructuredTensor {
 public:
  using Names = std::shared_ptr<const std::vector<std::string>>;

  // Rank 1, without rows and fields.
  StructuredTensor();

  // Returns the structured tensor of rank 1 with these fields, in this order.
  // Errors: InvalidArgument if a field is a scalar or does not have nrows rows, or a name is empty or comes twice (the message
  //   names it).
  static absl::StatusOr<StructuredTensor> FromFields(int64_t nrows, std::vector<Field> fields);

  // For decoders: structs of any rank >= 1, from parts that fit by construction. Names are shared between batches.
  // Shapes: row_partitions [rank - 1], the last one with nvals == flat_nrows; names and flat_fields of equal length, each field
  // with flat_nrows rows; validity, if it has bits, one for each of flat_nrows.
  // Requires: these shapes; rows of ragged fields are empty in absent structs. Other values there may be anything: they are
  //   absent when they are read, unless they are of an extension type.
  static StructuredTensor Create(std::vector<RowPartition> row_partitions, int64_t flat_nrows, Names names,
                                 std::vector<Value> flat_fields, StructKind kind = StructKind::kStruct, Validity validity = {});
  static StructuredTensor Create(std::vector<RowPartition> row_partitions, int64_t flat_nrows, std::vector<Field> flat_fields,
                                 StructKind kind = StructKind::kStruct, Validity validity = {});
  // With fields that `source` makes. Requires: names and source are not null; the fields fit as for Create.
  static StructuredTensor CreateDeferred(std::vector<RowPartition> row_partitions, int64_t flat_nrows, Names names,
                                         std::shared_ptr<const FieldSource> source, StructKind kind = StructKind::kStruct,
                                         Validity validity = {});
  // One struct, from fields of one row each. Requires: flat_fields have exactly one row.
  static StructuredTensor CreateScalar(std::vector<Field> flat_fields, StructKind kind = StructKind::kStruct,
                                       Validity validity = {});

  int rank() const;
  // [nrows, kUnknownDimension or the uniform row length for each partition]; [] for rank 0.
  Shape shape() const;
  // The size of axis 0; 1 for rank 0.
  int64_t nrows() const;
  // How many structs there are in all: the rows of the flat fields.
  int64_t flat_nrows() const;
  StructKind kind() const;
  const std::vector<RowPartition>& row_partitions() const;
  // The dtype of the row partitions, also of those that operations add later: kInt64 or kInt32.
  DType shape_dtype() const;
  // Which of the flat rows are present.
  bool nullable() const { return validity().has_bits(); }
  const Validity& validity() const;

  size_t num_fields() const { return field_names().size(); }
  const std::vector<std::string>& field_names() const;
  // Field i with one leading axis of flat_nrows() rows, as it is stored: rows of absent structs can have any values. The
  // reference lives as long as this value or a copy of it. Columns of decoded batches are made at the first call; several
  // threads may call this at once.
  const Value& flat_field(size_t i) const;
  // False if flat field i is known to have no value: it is absent in all rows, or all its rows are empty. This is known of
  // columns of decoded batches that no data reached, until an operation makes new fields of them. Does not make the column.
  bool may_have_values(size_t i) const;
  // By name; null if there is no such field. Cost: O(number of fields).
  const Value* FindFlatField(std::string_view name) const;

  // Returns the field at `path`, with the shape of this value in front. The path has names of fields as
  // core/field_path/field_path.h writes them ("a.b.c", "a.[pkg.ext]"). Fields of nullable structs are nullable: elements are
  // absent where a struct around them is.
  // Errors: NotFound if there is no such field; InvalidArgument if a step goes into a field without fields or is not a name, or
  //   the path is empty or malformed. The message has the whole path and the fields of the struct where it failed.
  // Cost: O(number of partitions), no data is copied. If structs on the way are nullable, O(elements / 8) for their presence.
  absl::StatusOr<Value> field_value(std::string_view path) const;
  // The field by position. Requires: i < num_fields().
  Value field_value(size_t i) const;
  // The flat field by position, with the shape of this value in front: also the values that are stored for absent structs.
  // Its spec is spec().field_spec(i). Requires: i < num_fields().
  Value stored_field_value(size_t i) const;

  // For messages: "its fields are a, b, c", shortened if there are many.
  std::string DescribeFields() const;

  // Computed at the first call, for which all fields are read, then kept.
  const StructuredTensorSpec& spec() const;

  // Rows [begin, end) of axis 0, sharing memory. Requires: rank() >= 1, 0 <= begin <= end <= nrows(). Cost: O(number of
  // columns).
  StructuredTensor SliceRows(int64_t begin, int64_t end) const;
  // Row i without axis 0; its rank is rank() - 1. Requires: rank() >= 1, 0 <= i < nrows().
  StructuredTensor Row(int64_t i) const;

  // Selects like the RFC's st[key...]; index.h has the key pieces and errors.
  absl::StatusOr<Value> Index(std::span<const Key> keys) const;

  // Other structs with the same names, kind and shape_dtype: what operations on rows return.
  // Shapes, requires: as Create; as many flat_fields as this has. The result has rank row_partitions.size() + 1; for a scalar,
  // take its Row(0).
  StructuredTensor WithFlatRows(std::vector<RowPartition> row_partitions, int64_t flat_nrows, std::vector<Value> flat_fields,
                                Validity validity = {}) const;
  // The same structs with other fields. Fields that are kept from this are shared, not copied.
  // Requires: each field has flat_nrows() rows; names are unique. Cost: O(number of fields).
  StructuredTensor WithFlatFields(std::vector<Field> flat_fields) const;
  // The same flat rows under other partitions, for operations that only move axes. Its rank is row_partitions.size() + 1.
  // Requires: row_partitions fit as in Create. Cost: O(rank).
  StructuredTensor WithRowPartitions(std::vector<RowPartition> row_partitions) const;
  // With that dtype as shape_dtype() and in row partitions; fields stay as they are. Requires: as RowPartition::WithDtype.
  StructuredTensor WithShapeDtype(DType dtype) const;

  // The same structs under one more axis: row i is the rows `partition.row(i)` of axis 0 of this one.
  // Requires: rank() >= 1, partition.nvals() == nrows().
  StructuredTensor WithOuterPartition(const RowPartition& partition) const;
  // Without the outermost partition: axes 0 and 1 become one. Requires: rank() >= 2.
  StructuredTensor MergeOuterAxes() const;

 private:
  struct Rep;
  explicit StructuredTensor(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  // A flat field with the axes of this value in front.
  Value WithShapeInFront(Value flat) const;
  // Flat rows `rows` of all fields under those partitions.
  StructuredTensor SliceFlat(std::vector<RowPartition> row_partitions, RowRange rows, bool scalar) const;

  std::shared_ptr<const Rep> rep_;
};

// Equal shape, rows, kind and presence, and equal fields in any order. What absent structs have stored does not count.
bool operator==(const StructuredTensor& a, const StructuredTensor& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_STRUCTURED_TENSOR_H_
