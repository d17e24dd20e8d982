// The part of indexing that knows structs: which pieces of the key are for their axes, and where the rest of the key goes.
// Selections are always made in a field: the pieces for the axes of the structs, followed by the rest of the key, are applied
// to the field. So other fields are never touched.
#include "structtensor/tensor/values/index.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/values/internal/index_axes.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

const Key& Whole() {
  static const Key& whole = *new Key(Key::All());
  return whole;
}

// Whether the piece goes from structs to their fields or values.
bool LeavesStructs(const Key* piece) {
  return piece->kind() == Key::Kind::kName || piece->kind() == Key::Kind::kFields || piece->kind() == Key::Kind::kMapKey;
}

int NumAxes(std::span<const Key* const> pieces) {
  int num_axes = 0;
  for (const Key* piece : pieces) num_axes += piece->kind() == Key::Kind::kEllipsis ? 0 : piece->num_axes();
  return num_axes;
}

// Whether the map's keys have the type of the piece.
bool CanBeKey(const Tensor& keys, const Key& piece) {
  if (keys.rank() != 1) return false;
  return piece.map_text() != nullptr ? IsStringLike(keys.dtype()) : IsInteger(keys.dtype()) || keys.dtype() == DType::kBool;
}

// The place right after the last entry of `row` with the key, as the last entry of a key counts. row.begin if no entry has the
// key.
int64_t FindAfter(const Tensor& keys, RowRange row, const Key& piece) {
  int64_t i = row.end;
  if (piece.map_text() != nullptr) {
    while (i > row.begin && !(keys.is_valid(i - 1) && keys.string_at(i - 1) == *piece.map_text())) --i;
    return i;
  }
  return VisitStoredType(keys.dtype(), [&]<typename T>() {
    const std::span<const T> values = keys.values<T>();
    while (i > row.begin) {
      if constexpr (std::numeric_limits<T>::is_integer) {
        if (keys.is_valid(i - 1) && piece.IsMapKey(values[static_cast<size_t>(i - 1)])) break;
      }
      --i;
    }
    return i;
  });
}

class Indexer {
 public:
  Indexer(std::span<const Key> all_keys, AxesBeforeNames axes_before_names)
      : axes_(all_keys), axes_before_names_(axes_before_names) {}

  absl::StatusOr<Value> Select(const Value& value, const values_internal::KeyPieces& pieces) const {
    if (pieces.empty()) return value;
    if (value.structured() != nullptr) return SelectStructs(*value.structured(), pieces);
    const auto named = std::find_if(pieces.begin(), pieces.end(), LeavesStructs);
    if (named != pieces.end()) {
      return axes_.Invalid(absl::StrCat((*named)->DebugString(), " selects a field, but the value is ",
                                        value.spec().DebugString(),
                                        ", which has no fields; a list of names selects several fields"));
    }
    const int num_axes = NumAxes(pieces);
    if (num_axes > value.rank()) {
      return axes_.Invalid(
          absl::StrCat("it selects from ", num_axes, " axes of ", value.spec().DebugString(), ", which has ", value.rank()));
    }
    if (value.tensor() == nullptr || HasEllipsis(pieces)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const values_internal::KeyPieces expanded, ExpandEllipsis(pieces, value.rank()));
      return axes_.Select(value, expanded);
    }
    return axes_.Select(value, pieces);
  }

 private:
  static bool HasEllipsis(std::span<const Key* const> pieces) {
    return std::any_of(pieces.begin(), pieces.end(), [](const Key* piece) { return piece->kind() == Key::Kind::kEllipsis; });
  }

  // Replaces the ellipsis by as many whole axes as a value of rank `rank` has left. Requires: NumAxes(pieces) <= rank.
  absl::StatusOr<values_internal::KeyPieces> ExpandEllipsis(std::span<const Key* const> pieces, int rank) const {
    values_internal::KeyPieces expanded;
    bool seen = false;
    for (const Key* piece : pieces) {
      if (piece->kind() != Key::Kind::kEllipsis) {
        expanded.push_back(piece);
        continue;
      }
      if (seen) return axes_.Invalid("there are two ellipses; an index can have only one");
      seen = true;
      expanded.insert(expanded.end(), static_cast<size_t>(rank - NumAxes(pieces)), &Whole());
    }
    return expanded;
  }

  absl::StatusOr<Value> SelectStructs(const StructuredTensor& structs, const values_internal::KeyPieces& pieces) const {
    const int rank = structs.rank();
    if (rank == 0 && pieces[0]->is_whole()) return SelectAllFields(structs, {pieces.begin() + 1, pieces.end()});
    const auto leaves = std::find_if(pieces.begin(), pieces.end(), LeavesStructs);
    const std::span<const Key* const> front(pieces.data(), static_cast<size_t>(leaves - pieces.begin()));
    const int num_axes = NumAxes(front) + (leaves != pieces.end() && (*leaves)->kind() == Key::Kind::kMapKey ? 1 : 0);
    if (num_axes > rank || (rank == 0 && !front.empty())) return TooManyPieces(structs, front);
    const values_internal::KeyPieces after(leaves == pieces.end() ? pieces.end() : leaves + 1, pieces.end());
    STRUCTTENSOR_ASSIGN_OR_RETURN(values_internal::KeyPieces axis_pieces,
                                  ExpandEllipsis(front, rank - (num_axes - NumAxes(front))));
    if (leaves == pieces.end()) return SelectAxes(structs, axis_pieces);
    if (num_axes < rank && !HasEllipsis(front)) {
      if (axes_before_names_ == AxesBeforeNames::kWritten) {
        return axes_.Invalid(absl::StrCat((*leaves)->name() != nullptr ? "field " : "", (*leaves)->DebugString(),
                                          " is given before axis ", num_axes, " of structs of shape ",
                                          structs.shape().DebugString(), " is indexed; write ':' for each whole axis"));
      }
      axis_pieces.insert(axis_pieces.end(), static_cast<size_t>(rank - num_axes), &Whole());
    }
    switch ((*leaves)->kind()) {
      case Key::Kind::kFields:
        return SelectFields(structs, *(*leaves)->fields(), axis_pieces, after);
      case Key::Kind::kMapKey:
        return SelectMapKey(structs, **leaves, axis_pieces, after);
      default:
        return SelectField(structs, *(*leaves)->name(), axis_pieces, after);
    }
  }

  absl::Status TooManyPieces(const StructuredTensor& structs, std::span<const Key* const> front) const {
    size_t first = 0;
    for (int num_axes = 0; first + 1 < front.size(); ++first) {
      num_axes += front[first]->num_axes();
      if (num_axes > structs.rank()) break;
    }
    return axes_.Invalid(absl::StrCat(front.empty() ? "the map key" : front[first]->DebugString(),
                                      " is given where the name of a field is expected: structs of shape ",
                                      structs.shape().DebugString(), " have no axis ", structs.rank()));
  }

  absl::StatusOr<size_t> FindField(const StructuredTensor& structs, const std::string& name) const {
    const std::vector<std::string>& names = structs.field_names();
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
    return absl::NotFoundError(
        axes_.Text(absl::StrCat("there is no field '", name, "'; ", structs.DescribeFields(), InsteadOfName(structs, name))));
  }

  // Returns advice for an unknown field name: the key of a map entry, the steps of a path, or a similar name.
  static std::string InsteadOfName(const StructuredTensor& structs, const std::string& name) {
    const std::vector<std::string>& names = structs.field_names();
    if (structs.kind() == StructKind::kMapEntry) return absl::StrCat("; MapKey('", name, "') selects the entry with that key");
    const size_t dot = name.find('.');
    if (dot != std::string::npos && std::find(names.begin(), names.end(), name.substr(0, dot)) != names.end()) {
      return absl::StrCat("; each piece of a key is one name: '", absl::StrJoin(absl::StrSplit(name, '.'), "', '"), "'");
    }
    return base_internal::DidYouMean(base_internal::SimilarNames(name, names));
  }

  // st[D1, ..., Dn, name, rest...] is field[D1, ..., Dn, rest...].
  absl::StatusOr<Value> SelectField(const StructuredTensor& structs, const std::string& name, values_internal::KeyPieces pieces,
                                    const values_internal::KeyPieces& after) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t field, FindField(structs, name));
    pieces.insert(pieces.end(), after.begin(), after.end());
    return Select(structs.field_value(field), pieces);
  }

  absl::StatusOr<Value> SelectFields(const StructuredTensor& structs, const std::vector<std::string>& names,
                                     values_internal::KeyPieces pieces, const values_internal::KeyPieces& after) const {
    std::vector<Field> fields;
    fields.reserve(names.size());
    for (const std::string& name : names) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t field, FindField(structs, name));
      const auto same_name = [&](const Field& other) { return other.name == name; };
      if (std::any_of(fields.begin(), fields.end(), same_name)) {
        return axes_.Invalid(absl::StrCat("field '", name, "' is named twice; names must be unique"));
      }
      fields.push_back({name, structs.flat_field(field)});
    }
    pieces.insert(pieces.end(), after.begin(), after.end());
    return Select(structs.WithFlatFields(std::move(fields)), pieces);
  }

  // For a scalar struct: {field: field[pieces]}.
  absl::StatusOr<Value> SelectAllFields(const StructuredTensor& structs, const values_internal::KeyPieces& pieces) const {
    if (pieces.empty()) return structs;
    std::vector<Field> fields;
    fields.reserve(structs.num_fields());
    for (size_t i = 0; i < structs.num_fields(); ++i) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value selected, Select(structs.field_value(i), pieces));
      if (selected.rank() == 0 && selected.extension() != nullptr) {
        return axes_.Invalid(absl::StrCat("field '", structs.field_names()[i],
                                          "' would become a scalar of an extension type, which a struct cannot hold"));
      }
      fields.push_back({structs.field_names()[i], values_internal::WithAxisOfOne(selected)});
    }
    return structs.WithFlatFields(std::move(fields));
  }

  absl::StatusOr<Value> SelectAxes(const StructuredTensor& structs, const values_internal::KeyPieces& pieces) const {
    if (structs.num_fields() == 0 && !structs.nullable() && static_cast<int>(pieces.size()) == structs.rank()) {
      const auto stays_known = [](const Key* piece) { return piece->is_whole() || piece->index() != nullptr; };
      if (std::all_of(pieces.begin(), pieces.end(), stays_known)) return SelectWithoutFields(structs, pieces);
    }
    return axes_.Select(structs, pieces);
  }

  // For structs without fields. Each piece is a whole axis or an integer. Integers after the last whole axis just remove their
  // axes.
  absl::StatusOr<Value> SelectWithoutFields(const StructuredTensor& structs, const values_internal::KeyPieces& pieces) const {
    size_t rank = pieces.size();
    while (rank > 0 && pieces[rank - 1]->index() != nullptr) --rank;
    if (rank == 0) return structs.WithFlatRows({}, 1, {}).Row(0);
    const std::vector<RowPartition>& partitions = structs.row_partitions();
    std::vector<RowPartition> outer(partitions.begin(), partitions.begin() + static_cast<std::ptrdiff_t>(rank) - 1);
    const int64_t flat_nrows = outer.empty() ? structs.nrows() : outer.back().nvals();
    return axes_.Select(structs.WithFlatRows(std::move(outer), flat_nrows, {}), {pieces.data(), rank});
  }

  // `pieces` are for the axes before the axis of the entries.
  absl::StatusOr<Value> SelectMapKey(const StructuredTensor& structs, const Key& piece,
                                     const values_internal::KeyPieces& pieces, const values_internal::KeyPieces& after) const {
    const Value* key_field = structs.FindFlatField("key");
    const Value* value_field = structs.FindFlatField("value");
    if (structs.kind() != StructKind::kMapEntry || key_field == nullptr || value_field == nullptr ||
        key_field->tensor() == nullptr) {
      return axes_.Invalid(absl::StrCat(piece.DebugString(), " is used on an axis of ", structs.spec().shape().DebugString(),
                                        " structs that are not entries of a map"));
    }
    if (!CanBeKey(*key_field->tensor(), piece)) {
      return axes_.Invalid(absl::StrCat(piece.DebugString(), " is used for a map with keys of ",
                                        ToAbsl(DTypeName(key_field->tensor()->dtype()))));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value selected, axes_.Select(structs, pieces));
    const Value value = ValuesUnderKey(*selected.structured(), piece);
    values_internal::KeyPieces rest(static_cast<size_t>(selected.rank()), &Whole());
    rest.insert(rest.end(), after.begin(), after.end());
    return Select(value, rest);
  }

  // The values of the entries with the key of `piece`. They have the axes of `entries`; the innermost axis becomes optional.
  static Value ValuesUnderKey(const StructuredTensor& entries, const Key& piece) {
    const Tensor& keys = *entries.FindFlatField("key")->tensor();
    const std::vector<RowPartition>& partitions = entries.row_partitions();
    const auto row_of = [&](int64_t i) { return partitions.empty() ? RowRange{0, entries.nrows()} : partitions.back().row(i); };
    const int64_t nrows = partitions.empty() ? 1 : partitions.back().nrows();
    values_internal::RowPieces taken;
    std::vector<int64_t> row_splits;
    row_splits.reserve(static_cast<size_t>(nrows) + 1);
    row_splits.push_back(0);
    for (int64_t i = 0; i < nrows; ++i) {
      const RowRange row = row_of(i);
      const int64_t after = FindAfter(keys, row, piece);
      if (after > row.begin && entries.validity().is_valid(after - 1)) taken.Append(after - 1, after);
      row_splits.push_back(taken.nrows());
    }
    // No entry is taken twice, so the result cannot be too big.
    Value value = *values_internal::TakePieces(*entries.FindFlatField("value"), taken);
    if (partitions.empty()) return value;
    value = WithOuterPartition(
        RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(row_splits)), RowPartition::Optional::kYes)
            .WithDtype(partitions.back().dtype()),
        value);
    for (size_t i = partitions.size() - 1; i-- > 0;) value = WithOuterPartition(partitions[i], value);
    return value;
  }

  values_internal::AxisIndexer axes_;
  AxesBeforeNames axes_before_names_;
};

}  // namespace

absl::StatusOr<Value> Index(const Value& value, std::span<const Key> keys, AxesBeforeNames axes) {
  values_internal::KeyPieces pieces;
  for (const Key& key : keys) {
    if (key.slice() != nullptr && key.slice()->step == 0) {
      return values_internal::AxisIndexer(keys).Invalid(absl::StrCat("slice ", key.DebugString(), " has a step of 0"));
    }
    pieces.push_back(&key);
  }
  return Indexer(keys, axes).Select(value, pieces);
}

absl::StatusOr<Value> Index(const Value& value, std::initializer_list<Key> keys, AxesBeforeNames axes) {
  return Index(value, std::span<const Key>(keys.begin(), keys.size()), axes);
}

}  // namespace structtensor
