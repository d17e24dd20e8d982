#include "structtensor/tensor/values/structured_tensor.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/type_spec/field_name.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/internal/flat_fields.h"
#include "structtensor/tensor/values/internal/lazy.h"
#include "structtensor/tensor/values/shared/absent.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

struct StructuredTensor::Rep {
  // The flat rows. Values that differ only in their partitions share them.
  struct Content {
    int64_t flat_nrows;
    StructKind kind;
    Validity validity;
    Names names;
    values_internal::FlatFields flat_fields;
  };
  std::vector<RowPartition> row_partitions;
  bool scalar;
  DType shape_dtype;
  std::shared_ptr<const Content> content;
  values_internal::Lazy<StructuredTensorSpec> spec;

  // `dtype`: the dtype of partitions. It is used only if there are no partitions.
  Rep(std::vector<RowPartition> partitions, bool is_scalar, DType dtype, std::shared_ptr<const Content> shared_content)
      : row_partitions(std::move(partitions)),
        scalar(is_scalar),
        shape_dtype(row_partitions.empty() ? dtype : row_partitions.front().dtype()),
        content(std::move(shared_content)) {
    assert(row_partitions.empty() || row_partitions.back().nvals() == content->flat_nrows);
    assert(!scalar || (content->flat_nrows == 1 && row_partitions.empty()));
    assert(content->names->size() == content->flat_fields.size());
  }
};

namespace {

std::vector<Value> TakeValues(std::vector<Field>& fields) {
  std::vector<Value> values;
  values.reserve(fields.size());
  for (Field& field : fields) values.push_back(std::move(field.value));
  return values;
}

StructuredTensor::Names TakeNames(std::vector<Field>& fields) {
  auto names = std::make_shared<std::vector<std::string>>();
  names->reserve(fields.size());
  for (Field& field : fields) names->push_back(std::move(field.name));
  return names;
}

// The index of `name`, which is often `likely`. names.size() if there is no such name.
size_t FindName(const std::vector<std::string>& names, std::string_view name, size_t likely) {
  if (likely < names.size() && names[likely] == name) return likely;
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// The field that comparisons use. A scalar's flat fields have an axis of one row that is not visible, so it must not matter
// whether this axis is known to be uniform.
Value VisibleField(const StructuredTensor& structs, size_t i) {
  if (structs.rank() == 0) return structs.field_value(i);
  return values_internal::AbsentWhere(structs.validity(), structs.flat_field(i));
}

}  // namespace

absl::StatusOr<StructuredTensor> StructuredTensor::FromFields(int64_t nrows, std::vector<Field> fields) {
  if (nrows < 0) return absl::InvalidArgumentError(absl::StrCat("nrows is ", nrows, "; it must not be negative"));
  absl::flat_hash_set<std::string> seen;
  for (const Field& field : fields) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFieldName(field.name));
    if (!seen.insert(field.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("field ", field.name, " is given twice; names must be unique"));
    }
    if (field.value.extension() != nullptr && field.value.rank() == 0) {
      return absl::InvalidArgumentError(absl::StrCat("field ", ToAbsl(field.name), " is ", field.value.spec().DebugString(),
                                                     ", a value without rows; stack one for each of the ", nrows, " structs"));
    }
    if (field.value.rank() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("field ", field.name, " is a scalar; its first axis must be the ", nrows, " rows of the structs"));
    }
    if (field.value.nrows() != nrows) {
      return absl::InvalidArgumentError(
          absl::StrCat("field ", field.name, " has ", field.value.nrows(), " rows; the structs have ", nrows));
    }
  }
  return Create({}, nrows, std::move(fields));
}

StructuredTensor StructuredTensor::Create(std::vector<RowPartition> row_partitions, int64_t flat_nrows, Names names,
                                          std::vector<Value> flat_fields, StructKind kind, Validity validity) {
  auto content = std::make_shared<const Rep::Content>(
      Rep::Content{flat_nrows, kind, std::move(validity), std::move(names), std::move(flat_fields)});
  return StructuredTensor(std::make_shared<const Rep>(std::move(row_partitions), false, DType::kInt64, std::move(content)));
}

StructuredTensor StructuredTensor::CreateDeferred(std::vector<RowPartition> row_partitions, int64_t flat_nrows, Names names,
                                                  std::shared_ptr<const FieldSource> source, StructKind kind,
                                                  Validity validity) {
  const size_t num_fields = names->size();
  auto content = std::make_shared<const Rep::Content>(Rep::Content{flat_nrows, kind, std::move(validity), std::move(names),
                                                                   values_internal::FlatFields(std::move(source), num_fields)});
  return StructuredTensor(std::make_shared<const Rep>(std::move(row_partitions), false, DType::kInt64, std::move(content)));
}

StructuredTensor StructuredTensor::Create(std::vector<RowPartition> row_partitions, int64_t flat_nrows,
                                          std::vector<Field> flat_fields, StructKind kind, Validity validity) {
  Names names = TakeNames(flat_fields);
  return Create(std::move(row_partitions), flat_nrows, std::move(names), TakeValues(flat_fields), kind, std::move(validity));
}

StructuredTensor::StructuredTensor() : StructuredTensor(Create({}, 0, std::vector<Field>())) {}

StructuredTensor StructuredTensor::CreateScalar(std::vector<Field> flat_fields, StructKind kind, Validity validity) {
  return Create({}, 1, std::move(flat_fields), kind, std::move(validity)).Row(0);
}

int StructuredTensor::rank() const { return rep_->scalar ? 0 : static_cast<int>(rep_->row_partitions.size()) + 1; }

Shape StructuredTensor::shape() const {
  if (rank() == 0) return Shape();
  std::vector<int64_t> dims = {nrows()};
  for (const RowPartition& partition : rep_->row_partitions) {
    dims.push_back(partition.uniform_row_length().value_or(kUnknownDimension));
  }
  return Shape(dims);
}

int64_t StructuredTensor::nrows() const {
  return rep_->row_partitions.empty() ? flat_nrows() : rep_->row_partitions.front().nrows();
}
int64_t StructuredTensor::flat_nrows() const { return rep_->content->flat_nrows; }
StructKind StructuredTensor::kind() const { return rep_->content->kind; }
const std::vector<RowPartition>& StructuredTensor::row_partitions() const { return rep_->row_partitions; }
DType StructuredTensor::shape_dtype() const { return rep_->shape_dtype; }
const Validity& StructuredTensor::validity() const { return rep_->content->validity; }
const std::vector<std::string>& StructuredTensor::field_names() const { return *rep_->content->names; }
const Value& StructuredTensor::flat_field(size_t i) const { return rep_->content->flat_fields[i]; }
bool StructuredTensor::may_have_values(size_t i) const { return rep_->content->flat_fields.may_have_values(i); }

const Value* StructuredTensor::FindFlatField(std::string_view name) const {
  const std::vector<std::string>& names = field_names();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &flat_field(i);
  }
  return nullptr;
}

Value StructuredTensor::WithShapeInFront(Value flat) const {
  if (rank() == 0) return flat.Row(0);
  for (auto partition = row_partitions().rbegin(); partition != row_partitions().rend(); ++partition) {
    flat = structtensor::WithOuterPartition(*partition, flat);
  }
  return flat;
}

Value StructuredTensor::field_value(size_t i) const {
  return WithShapeInFront(values_internal::AbsentWhere(validity(), flat_field(i)));
}

Value StructuredTensor::stored_field_value(size_t i) const { return WithShapeInFront(flat_field(i)); }

absl::StatusOr<Value> StructuredTensor::field_value(std::string_view text) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Path path, Path::Parse(text));
  if (path.empty()) return absl::InvalidArgumentError("the field path is empty; it must name a field, as in a.b");
  Value value = *this;
  for (size_t i = 0; i < path.size(); ++i) {
    const auto where = [&] { return i == 0 ? std::string("the value itself") : path.Prefix(i).ToString(); };
    const StructuredTensor* structs = value.structured();
    if (structs == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": ", where(), " is ",
                                                     value.spec().DebugString(), ", which has no fields"));
    }
    if (path[i].kind() != Path::Step::Kind::kField) {
      return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": expected names of fields only, found ",
                                                     path[i].ToString(), " after ", where(),
                                                     "; Select (tensor/struct_ops/select.h) reads elements and keys"));
    }
    const std::vector<std::string>& names = structs->field_names();
    const size_t field = static_cast<size_t>(std::find(names.begin(), names.end(), path[i].text()) - names.begin());
    if (field == names.size()) {
      return absl::NotFoundError(absl::StrCat("field path ", path.ToString(), ": there is no field ", path[i].ToString(),
                                              i == 0 ? "" : absl::StrCat(" in ", where()), "; ", structs->DescribeFields(),
                                              base_internal::DidYouMean(base_internal::SimilarNames(path[i].text(), names))));
    }
    // `structs` is part of `value`, so the field is taken before it replaces the value.
    Value inner = structs->field_value(field);
    value = std::move(inner);
  }
  return value;
}

std::string StructuredTensor::DescribeFields() const {
  constexpr size_t kMaxShown = 10;
  const std::vector<std::string>& names = field_names();
  if (names.empty()) return "it has no fields";
  std::string text = names.size() == 1 ? "its only field is " : "its fields are ";
  for (size_t i = 0; i < names.size() && i < kMaxShown; ++i) absl::StrAppend(&text, i > 0 ? ", " : "", names[i]);
  if (names.size() > kMaxShown) absl::StrAppend(&text, " and ", names.size() - kMaxShown, " more");
  return text;
}

const StructuredTensorSpec& StructuredTensor::spec() const {
  return rep_->spec.Get([this] {
    std::vector<FieldSpec> fields;
    fields.reserve(num_fields());
    for (size_t i = 0; i < num_fields(); ++i) fields.push_back({field_names()[i], flat_field(i).spec()});
    std::vector<RowPartitionSpec> partitions;
    for (const RowPartition& partition : row_partitions()) partitions.push_back(partition.spec());
    return StructuredTensorSpec(shape(), std::move(fields), kind(), nullable(), std::move(partitions), shape_dtype());
  });
}

StructuredTensor StructuredTensor::SliceFlat(std::vector<RowPartition> row_partitions, RowRange rows, bool scalar) const {
  if (rows == RowRange{0, flat_nrows()}) {
    return StructuredTensor(std::make_shared<const Rep>(std::move(row_partitions), scalar, shape_dtype(), rep_->content));
  }
  std::vector<Value> flat_fields;
  flat_fields.reserve(num_fields());
  for (size_t i = 0; i < num_fields(); ++i) flat_fields.push_back(flat_field(i).SliceRows(rows.begin, rows.end));
  auto content = std::make_shared<const Rep::Content>(
      Rep::Content{rows.size(), kind(), validity().Slice(rows.begin), rep_->content->names, std::move(flat_fields)});
  return StructuredTensor(std::make_shared<const Rep>(std::move(row_partitions), scalar, shape_dtype(), std::move(content)));
}

StructuredTensor StructuredTensor::SliceRows(int64_t begin, int64_t end) const {
  assert(rank() >= 1 && 0 <= begin && begin <= end && end <= nrows());
  std::vector<RowPartition> sliced;
  RowRange rows{begin, end};
  for (const RowPartition& partition : row_partitions()) {
    RowRange values{0, 0};
    sliced.push_back(partition.SliceRows(rows.begin, rows.end, &values));
    rows = values;
  }
  return SliceFlat(std::move(sliced), rows, false);
}

StructuredTensor StructuredTensor::Row(int64_t i) const {
  assert(rank() >= 1 && 0 <= i && i < nrows());
  if (rank() == 1) return SliceFlat({}, {i, i + 1}, true);
  const RowRange values = row_partitions().front().row(i);
  return MergeOuterAxes().SliceRows(values.begin, values.end);
}

absl::StatusOr<Value> StructuredTensor::Index(std::span<const Key> keys) const { return structtensor::Index(*this, keys); }

StructuredTensor StructuredTensor::WithFlatRows(std::vector<RowPartition> row_partitions, int64_t flat_nrows,
                                                std::vector<Value> flat_fields, Validity validity) const {
  auto content = std::make_shared<const Rep::Content>(
      Rep::Content{flat_nrows, kind(), std::move(validity), rep_->content->names, std::move(flat_fields)});
  return StructuredTensor(std::make_shared<const Rep>(std::move(row_partitions), false, shape_dtype(), std::move(content)));
}

StructuredTensor StructuredTensor::WithFlatFields(std::vector<Field> flat_fields) const {
  Names names = TakeNames(flat_fields);
  auto content = std::make_shared<const Rep::Content>(
      Rep::Content{flat_nrows(), kind(), validity(), std::move(names), TakeValues(flat_fields)});
  return StructuredTensor(std::make_shared<const Rep>(row_partitions(), rep_->scalar, shape_dtype(), std::move(content)));
}

StructuredTensor StructuredTensor::WithRowPartitions(std::vector<RowPartition> row_partitions) const {
  return StructuredTensor(std::make_shared<const Rep>(std::move(row_partitions), false, shape_dtype(), rep_->content));
}

StructuredTensor StructuredTensor::WithShapeDtype(DType dtype) const {
  std::vector<RowPartition> partitions;
  partitions.reserve(row_partitions().size());
  for (const RowPartition& partition : row_partitions()) partitions.push_back(partition.WithDtype(dtype));
  return StructuredTensor(std::make_shared<const Rep>(std::move(partitions), rep_->scalar, dtype, rep_->content));
}

StructuredTensor StructuredTensor::WithOuterPartition(const RowPartition& partition) const {
  assert(rank() >= 1 && partition.nvals() == nrows());
  std::vector<RowPartition> partitions = {partition};
  partitions.insert(partitions.end(), row_partitions().begin(), row_partitions().end());
  return SliceFlat(std::move(partitions), {0, flat_nrows()}, false);
}

StructuredTensor StructuredTensor::MergeOuterAxes() const {
  assert(rank() >= 2);
  return SliceFlat({row_partitions().begin() + 1, row_partitions().end()}, {0, flat_nrows()}, false);
}

bool operator==(const StructuredTensor& a, const StructuredTensor& b) {
  if (a.rank() != b.rank() || a.flat_nrows() != b.flat_nrows() || a.kind() != b.kind() || a.num_fields() != b.num_fields() ||
      a.row_partitions() != b.row_partitions()) {
    return false;
  }
  for (int64_t i = 0; (a.nullable() || b.nullable()) && i < a.flat_nrows(); ++i) {
    if (a.validity().is_valid(i) != b.validity().is_valid(i)) return false;
  }
  for (size_t i = 0; i < a.num_fields(); ++i) {
    const size_t j = FindName(b.field_names(), a.field_names()[i], i);
    if (j == b.num_fields() || !(VisibleField(a, i) == VisibleField(b, j))) return false;
  }
  return true;
}

}  // namespace structtensor
