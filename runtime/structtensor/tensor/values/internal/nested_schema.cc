#include "structtensor/tensor/values/internal/nested_schema.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/type_spec/field_name.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::values_internal {
namespace {

enum class Kind : uint8_t { kNothing, kBool, kNumber, kText, kTimestamp, kDuration, kDict };

Kind KindOf(const NestedValue& value) {
  if (value.get_if<bool>() != nullptr) return Kind::kBool;
  if (value.get_if<int64_t>() != nullptr || value.get_if<uint64_t>() != nullptr || value.get_if<double>() != nullptr) {
    return Kind::kNumber;
  }
  if (value.get_if<std::string>() != nullptr || value.get_if<NestedValue::Bytes>() != nullptr) return Kind::kText;
  if (const auto* time = value.get_if<NestedValue::Time>()) {
    return IsTimestamp(time->dtype) ? Kind::kTimestamp : Kind::kDuration;
  }
  return value.dict() != nullptr ? Kind::kDict : Kind::kNothing;
}

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kNothing:
      return "nothing";
    case Kind::kBool:
      return "booleans";
    case Kind::kNumber:
      return "numbers";
    case Kind::kText:
      return "strings";
    case Kind::kTimestamp:
      return "timestamps";
    case Kind::kDuration:
      return "durations";
    case Kind::kDict:
      return "dicts";
  }
  return "";
}

// What is known of one place of the schema from the values seen so far.
struct Seen {
  int list_depth = 0;               // the depth of the deepest list, also of an empty one
  int leaf_depth = -1;              // how many lists are around every scalar or dict; -1: there was none yet
  std::vector<int64_t> sizes;       // for each depth, how many elements its lists have; -1 if that differs
  std::vector<int> missing_depths;  // how many lists are around values that are missing, each number once
  std::string missing_place;        // of the first missing value
  Kind kind = Kind::kNothing;
  bool has_fraction = false;
  bool has_bytes = false;
  TimeUnit unit = TimeUnit::kSeconds;  // the finest of the times
  int64_t min = 0;                     // of the integers
  uint64_t max = 0;                    // of the integers that are not negative
  std::vector<std::string> names;
  std::vector<Seen> fields;
};

class Inference {
 public:
  explicit Inference(const InferOptions& options)
      : int64_is_the_most_(!options.dtype_is_given && IsInteger(options.int_dtype) && options.int_dtype != DType::kUint64) {}

  // `depth` lists of this place are around `value`; `total_depth` counts the lists and dicts of all places.
  absl::Status See(const NestedValue& value, Seen& seen, int depth, int total_depth, const NestedPath* path) {
    if (value.list() == nullptr) return SeeLeaf(value, seen, depth, total_depth, path);
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDepth(total_depth, path));
    if (seen.leaf_depth != -1 && depth >= seen.leaf_depth) {
      return NestedError(path, absl::StrCat("found a list, but values before it are ", KindName(seen.kind),
                                            " at this depth; all must be nested equally deep"));
    }
    seen.list_depth = std::max(seen.list_depth, depth + 1);
    SeeSize(static_cast<int64_t>(value.list()->size()), seen, static_cast<size_t>(depth));
    int64_t index = 0;
    for (const NestedValue& element : *value.list()) {
      const NestedPath step{path, nullptr, index++};
      STRUCTTENSOR_RETURN_IF_ERROR(See(element, seen, depth + 1, total_depth + 1, &step));
    }
    return absl::OkStatus();
  }

 private:
  static void SeeSize(int64_t size, Seen& seen, size_t depth) {
    if (depth >= seen.sizes.size()) seen.sizes.resize(depth + 1, size);
    if (seen.sizes[depth] != size) seen.sizes[depth] = kUnknownDimension;
  }

  // The type of a missing value is that of the values in the same place.
  static absl::Status SeeNothing(Seen& seen, int depth, const NestedPath* path) {
    if (seen.leaf_depth != -1 && depth > seen.leaf_depth) {
      return NestedError(path, absl::StrCat("found a list, but values before it are ", KindName(seen.kind),
                                            " at this depth; all must be nested equally deep"));
    }
    if (seen.missing_depths.empty()) seen.missing_place = NestedPlace(path);
    if (std::find(seen.missing_depths.begin(), seen.missing_depths.end(), depth) == seen.missing_depths.end()) {
      seen.missing_depths.push_back(depth);
    }
    return absl::OkStatus();
  }

  // Python's integers have no limit, but those of an inferred field are int64. Larger integers would behave differently in
  // computations, as uint64 or as fractions. So the caller must ask for that.
  absl::Status CheckInteger(uint64_t integer, const NestedPath* path) const {
    if (!int64_is_the_most_ || std::in_range<int64_t>(integer)) return absl::OkStatus();
    return NestedError(
        path, absl::StrCat("the integer ", integer, " does not fit in int64; give a spec of uint64, or write a fraction"));
  }

  static absl::Status CheckDepth(int total_depth, const NestedPath* path) {
    if (total_depth < kMaxNestedDepth) return absl::OkStatus();
    return NestedError(path, absl::StrCat("more than ", kMaxNestedDepth, " lists and dicts are inside each other"));
  }

  absl::Status SeeLeaf(const NestedValue& value, Seen& seen, int depth, int total_depth, const NestedPath* path) {
    const Kind kind = KindOf(value);
    if (kind == Kind::kNothing) return SeeNothing(seen, depth, path);
    if (seen.leaf_depth != -1 && kind != seen.kind) {
      return NestedError(path, absl::StrCat("found ", DescribeNested(value), ", but values before it are ", KindName(seen.kind),
                                            "; all must be of one type"));
    }
    if (depth < seen.list_depth || (seen.leaf_depth != -1 && depth != seen.leaf_depth)) {
      return NestedError(path,
                         absl::StrCat("found ", DescribeNested(value), " in ", depth, " lists, but values before it are in ",
                                      std::max(seen.list_depth, seen.leaf_depth), "; all must be nested equally deep"));
    }
    const bool first = seen.leaf_depth == -1;
    seen.leaf_depth = depth;
    seen.kind = kind;
    if (kind == Kind::kDict) return SeeDict(*value.dict(), seen, first, total_depth, path);
    if (const int64_t* integer = value.get_if<int64_t>()) {
      seen.min = std::min(seen.min, *integer);
      if (*integer > 0) seen.max = std::max(seen.max, static_cast<uint64_t>(*integer));
    } else if (const uint64_t* unsigned_integer = value.get_if<uint64_t>()) {
      STRUCTTENSOR_RETURN_IF_ERROR(CheckInteger(*unsigned_integer, path));
      seen.max = std::max(seen.max, *unsigned_integer);
    } else if (value.get_if<double>() != nullptr) {
      seen.has_fraction = true;
    } else if (value.get_if<NestedValue::Bytes>() != nullptr) {
      seen.has_bytes = true;
    } else if (const auto* time = value.get_if<NestedValue::Time>()) {
      seen.unit = std::max(seen.unit, TimeUnitOf(time->dtype));
    }
    return absl::OkStatus();
  }

  absl::Status SeeDict(const NestedValue::Dict& dict, Seen& seen, bool first, int total_depth, const NestedPath* path) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDepth(total_depth, path));
    if (first) {
      for (const auto& [name, value] : dict) {
        if (!IsFieldName(name)) {
          return NestedError(path, "the name of a key is empty; every field needs a name");
        }
        if (std::find(seen.names.begin(), seen.names.end(), name) != seen.names.end()) {
          return NestedError(path, absl::StrCat("key '", name, "' is given twice"));
        }
        seen.names.push_back(name);
      }
      seen.fields.resize(seen.names.size());
    }
    std::vector<bool> given(seen.names.size());
    for (size_t i = 0; i < dict.size(); ++i) {
      const auto& [name, value] = dict[i];
      // Most dicts have their keys in the same order.
      size_t field = i < seen.names.size() && seen.names[i] == name ? i : 0;
      while (field < seen.names.size() && seen.names[field] != name) ++field;
      if (field == seen.names.size()) {
        return NestedError(path, absl::StrCat("key '", name, "' is missing in the dicts before; all need the same keys"));
      }
      if (given[field]) return NestedError(path, absl::StrCat("key '", name, "' is given twice"));
      given[field] = true;
      const NestedPath step{path, &name, 0};
      STRUCTTENSOR_RETURN_IF_ERROR(See(value, seen.fields[field], 0, total_depth + 1, &step));
    }
    const size_t missing = static_cast<size_t>(std::find(given.begin(), given.end(), false) - given.begin());
    if (missing < given.size()) {
      return NestedError(path,
                         absl::StrCat("key '", seen.names[missing],
                                      "' is missing; the dicts before have it, and all need the same keys (or a spec that says "
                                      "what replaces a missing one)"));
    }
    return absl::OkStatus();
  }

  const bool int64_is_the_most_;
};

// The smallest and largest integer of an integer dtype.
std::pair<int64_t, uint64_t> IntegerRange(DType dtype) {
  return VisitStoredType(dtype, []<typename T>() -> std::pair<int64_t, uint64_t> {
    if constexpr (std::numeric_limits<T>::is_integer) {
      return {static_cast<int64_t>(std::numeric_limits<T>::min()), static_cast<uint64_t>(std::numeric_limits<T>::max())};
    } else {
      return {0, 0};
    }
  });
}

absl::StatusOr<DType> DTypeOfSeen(const Seen& seen, const InferOptions& options, const NestedPath* path) {
  switch (seen.kind) {
    case Kind::kBool:
      return DType::kBool;
    case Kind::kText:
      return seen.has_bytes ? DType::kBytes : DType::kString;
    case Kind::kTimestamp:
      return TimestampDType(seen.unit);
    case Kind::kDuration:
      return DurationDType(seen.unit);
    case Kind::kNothing:
    case Kind::kDict:
      return options.float_dtype;
    case Kind::kNumber:
      break;
  }
  if (seen.has_fraction || options.dtype_is_given) return options.float_dtype;
  for (const DType dtype : {options.int_dtype, DType::kInt64}) {
    if (!IsInteger(dtype)) return dtype;  // the caller wants integers as floating point numbers
    const auto [min, max] = IntegerRange(dtype);
    if (min <= seen.min && seen.max <= max) return dtype;
  }
  return NestedError(path,
                     absl::StrCat("integers from ", seen.min, " to ", seen.max, " fit in no dtype; write fractions instead"));
}

// Says how the lists of a schema become axes. `first`: the first axis whose lists are rows of an axis before it; an outermost
// list has no rows beside it.
void SetAxes(const Seen& seen, bool dense_axes, size_t first, NestedSchema& schema) {
  const auto size_of = [&](size_t axis) {
    const bool some_missing =
        std::find(seen.missing_depths.begin(), seen.missing_depths.end(), static_cast<int>(axis)) != seen.missing_depths.end();
    return some_missing ? kUnknownDimension : seen.sizes[axis];
  };
  // The axes of elements are dense from the innermost one outward.
  size_t num_partitions = schema.axes.size();
  if (!schema.is_struct) {
    if (dense_axes) {
      while (num_partitions > 0 && size_of(num_partitions - 1) != kUnknownDimension) --num_partitions;
    }
    if (num_partitions <= first) num_partitions = 0;
  }
  for (size_t axis = 0; axis < schema.axes.size(); ++axis) {
    schema.axes[axis].partition = axis < num_partitions;
    if (dense_axes && (axis >= first || axis >= num_partitions)) schema.axes[axis].size = size_of(axis);
  }
}

// `in_scalar`: the structs around are scalars, so the outermost list is axis 0.
absl::StatusOr<NestedSchema> SchemaOfSeen(const Seen& seen, const InferOptions& options, bool in_scalar,
                                          const NestedPath* path) {
  if (!seen.missing_depths.empty()) {
    if (seen.leaf_depth == -1) {
      return absl::InvalidArgumentError(absl::StrCat(
          seen.missing_place, ": found no value, so the type cannot be inferred; give a spec with a nullable field"));
    }
    const int deepest = *std::max_element(seen.missing_depths.begin(), seen.missing_depths.end());
    if (deepest > seen.leaf_depth) {
      return absl::InvalidArgumentError(absl::StrCat(seen.missing_place, ": found nothing in ", deepest,
                                                     " lists, but other values are in ", seen.leaf_depth,
                                                     "; all must be nested equally deep"));
    }
  }
  NestedSchema schema;
  schema.axes.resize(static_cast<size_t>(std::max(seen.leaf_depth, seen.list_depth)));
  schema.is_struct = seen.kind == Kind::kDict;
  schema.may_be_deeper = seen.leaf_depth == -1;
  schema.nullable =
      std::find(seen.missing_depths.begin(), seen.missing_depths.end(), seen.leaf_depth) != seen.missing_depths.end();
  SetAxes(seen, options.dense_axes, in_scalar ? 1 : 0, schema);
  if (!schema.is_struct) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(schema.dtype, DTypeOfSeen(seen, options, path));
    return schema;
  }
  schema.names = seen.names;
  schema.fields.reserve(seen.fields.size());
  for (size_t i = 0; i < seen.fields.size(); ++i) {
    const NestedPath step{path, &seen.names[i], 0};
    STRUCTTENSOR_ASSIGN_OR_RETURN(NestedSchema field,
                                  SchemaOfSeen(seen.fields[i], options, in_scalar && schema.axes.empty(), &step));
    schema.fields.push_back(std::move(field));
  }
  return schema;
}

void AddDenseAxes(const Shape& shape, int first, NestedSchema& schema) {
  for (int axis = first; axis < shape.rank(); ++axis) {
    NestedAxis dense;
    dense.partition = false;
    dense.size = shape[axis];
    schema.axes.push_back(dense);
  }
}

void AddPartitions(const std::vector<RowPartitionSpec>& row_partitions, NestedSchema& schema) {
  for (const RowPartitionSpec& partition : row_partitions) {
    NestedAxis axis;
    axis.size = partition.uniform_row_length;
    axis.nvals = partition.nvals;
    axis.optional = partition.optional;
    axis.dtype = partition.dtype;
    schema.axes.push_back(axis);
  }
}

// `first_axis`: the first axis of the spec that is written as a list. It is 1 for flat fields, whose axis 0 is the structs.
absl::StatusOr<NestedSchema> SchemaOfSpec(const TypeSpec& spec, int first_axis, int depth, const NestedPath* path) {
  if (depth > kMaxNestedDepth) return NestedError(path, "the spec is too deep");
  if (spec.extension() != nullptr || spec.row_partition() != nullptr) {
    return NestedError(path, absl::StrCat("a constant cannot become ", spec.DebugString()));
  }
  const Shape shape = spec.shape();
  if (!shape.rank_known()) return NestedError(path, "the rank of the spec must be known");
  NestedSchema schema;
  const StructuredTensorSpec* structs = spec.structured();
  const RaggedTensorSpec* ragged = spec.ragged();
  const int ragged_rank = ragged != nullptr ? ragged->ragged_rank() : 0;
  if (first_axis == 0 && shape.rank() > 0) AddDenseAxes(shape.Outer(1), 0, schema);
  if (structs == nullptr) {
    const TensorSpec& flat = ragged != nullptr ? ragged->flat_values() : *spec.tensor();
    if (ragged != nullptr) AddPartitions(ragged->row_partitions(), schema);
    AddDenseAxes(shape, ragged_rank + 1, schema);
    schema.dtype = flat.dtype();
    schema.nullable = flat.nullable();
    return schema;
  }
  AddPartitions(structs->row_partitions(), schema);
  schema.is_struct = true;
  schema.nullable = structs->nullable();
  schema.kind = structs->kind();
  schema.shape_dtype = structs->shape_dtype();
  for (const FieldSpec& field : structs->flat_fields()) {
    const NestedPath step{path, &field.name, 0};
    STRUCTTENSOR_ASSIGN_OR_RETURN(NestedSchema field_schema, SchemaOfSpec(field.spec, 1, depth + 1, &step));
    schema.names.push_back(field.name);
    schema.fields.push_back(std::move(field_schema));
  }
  return schema;
}

}  // namespace

std::string NestedPlace(const NestedPath* path) {
  std::vector<const NestedPath*> steps;
  for (; path != nullptr; path = path->parent) steps.push_back(path);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if ((*step)->name != nullptr) {
      AppendField(*(*step)->name, text);
    } else {
      absl::StrAppend(&text, "[", (*step)->index, "]");
    }
  }
  return text.empty() ? "the whole value" : text;
}

absl::Status NestedError(const NestedPath* path, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(NestedPlace(path), ": ", ToAbsl(what)));
}

std::string DescribeNested(const NestedValue& value) {
  if (value.list() != nullptr) return absl::StrCat("a list of ", value.list()->size());
  if (value.dict() != nullptr) return "a dict";
  if (const bool* boolean = value.get_if<bool>()) return *boolean ? "true" : "false";
  if (const int64_t* integer = value.get_if<int64_t>()) return absl::StrCat("the integer ", *integer);
  if (const uint64_t* integer = value.get_if<uint64_t>()) return absl::StrCat("the integer ", *integer);
  if (const double* number = value.get_if<double>()) return absl::StrCat("the number ", *number);
  if (value.get_if<std::string>() != nullptr) return "a text";
  if (const auto* time = value.get_if<NestedValue::Time>()) {
    std::string text;  // in quotation marks
    AppendJson(Tensor::FromVector(std::vector<int64_t>{time->count}, time->dtype), 0, text);
    return absl::StrCat(IsTimestamp(time->dtype) ? "the time " : "the duration ", text.substr(1, text.size() - 2));
  }
  return value.is_none() ? "nothing" : "bytes";
}

absl::StatusOr<NestedSchema> InferSchema(const NestedValue& nested, const InferOptions& options) {
  Seen seen;
  STRUCTTENSOR_RETURN_IF_ERROR(Inference(options).See(nested, seen, 0, 0, nullptr));
  return SchemaOfSeen(seen, options, true, nullptr);
}

absl::StatusOr<NestedSchema> SchemaOfSpec(const TypeSpec& spec) { return SchemaOfSpec(spec, 0, 0, nullptr); }

}  // namespace structtensor::values_internal
