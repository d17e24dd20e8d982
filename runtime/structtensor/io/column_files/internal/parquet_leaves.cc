#include "structtensor/io/column_files/internal/parquet_leaves.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <utility>

namespace structtensor::column_files_internal {
namespace {

// Where the values of a node are.
struct Place {
  ParquetLevels definition;
  ParquetLevels repetition;
  int64_t number_of_levels = 0;
  int16_t max_definition = 0;  // of a level with a value
  int16_t max_repetition = 0;
  // Levels with at least this definition have an element in arrays. Levels of absent and empty lists have none.
  int16_t element_definition = 0;
  bool has_values = true;  // false if no level has one
  ParquetLevels zeros;     // a zero for each row: the first levels of all columns
};

// Elements [begin, end) of a list's values.
struct Elements {
  int64_t begin = 0;
  int64_t end = 0;
};

// Adds a level of definition to the values that exist so far.
Place WithNulls(const arrow::Array& array, Place place) {
  const int64_t null_count = array.null_count();
  const auto max = place.max_definition++;
  if (place.definition == nullptr) place.definition = place.zeros;
  if (null_count == array.length()) {  // also if there are no elements
    place.has_values = false;
    return place;
  }

  auto definition = std::make_shared<std::vector<int16_t>>(static_cast<size_t>(place.number_of_levels));
  int16_t* const out = definition->data();
  if (const int16_t* const in = place.definition->data(); null_count == 0) {
    for (int64_t i = 0; i < place.number_of_levels; ++i) out[i] = static_cast<int16_t>(in[i] + (in[i] == max ? 1 : 0));
  } else {
    const uint8_t* const valid = array.null_bitmap_data();
    int64_t element = array.offset();
    for (int64_t i = 0; i < place.number_of_levels; ++i) {
      out[i] = in[i];
      if (in[i] < place.element_definition) continue;
      if (in[i] == max && arrow::bit_util::GetBit(valid, element)) ++out[i];
      ++element;
    }
  }
  place.definition = std::move(definition);
  return place;
}

// Adds the repetition of a list's elements. List i has `length_of(i)` elements, and `begin_of(i)` is its first one. Adds the
// elements that are in the lists to `runs`, in runs that are as long as possible.
template <typename BeginOf, typename LengthOf>
Place Repeated(const arrow::Array& lists, const Place& place, const BeginOf& begin_of, const LengthOf& length_of,
               std::vector<Elements>& runs) {
  Place below = place;
  below.max_definition = below.element_definition = static_cast<int16_t>(place.max_definition + 1);
  below.max_repetition = static_cast<int16_t>(place.max_repetition + 1);

  if (below.definition == nullptr) below.definition = place.zeros;
  if (below.repetition == nullptr) below.repetition = place.zeros;
  // Absent lists rarely have elements, so the sum is nearly always exact.
  int64_t elements = 0;
  for (int64_t i = 0; i < lists.length(); ++i) elements += length_of(i);
  if (elements == 0) {
    below.has_values = false;
    return below;
  }

  const int16_t* const old_definition = below.definition->data();
  const int16_t* const old_repetition = below.repetition->data();
  const auto capacity = static_cast<size_t>(place.number_of_levels + elements);
  auto new_definition = std::make_shared<std::vector<int16_t>>(capacity);
  auto new_repetition = std::make_shared<std::vector<int16_t>>(capacity);
  int16_t* definition = new_definition->data();
  int16_t* repetition = new_repetition->data();
  int64_t list = 0;
  for (int64_t i = 0; i < place.number_of_levels; ++i) {
    const int16_t definition_here = old_definition[i];
    const bool has_list = definition_here >= place.element_definition;
    const int64_t length = definition_here == place.max_definition ? length_of(list) : 0;
    if (length == 0) {
      *definition++ = definition_here;
      *repetition++ = old_repetition[i];
    } else {
      const int64_t begin = begin_of(list);
      if (!runs.empty() && runs.back().end == begin) {
        runs.back().end += length;
      } else {
        runs.push_back({begin, begin + length});
      }
      definition = std::fill_n(definition, length, below.max_definition);
      *repetition++ = old_repetition[i];
      repetition = std::fill_n(repetition, length - 1, below.max_repetition);
    }
    if (has_list) ++list;
  }
  below.number_of_levels = definition - new_definition->data();
  new_definition->resize(static_cast<size_t>(below.number_of_levels));
  new_repetition->resize(static_cast<size_t>(below.number_of_levels));
  below.definition = std::move(new_definition);
  below.repetition = std::move(new_repetition);
  return below;
}

class LeafCollector {
 public:
  arrow::Status Visit(const std::shared_ptr<arrow::Array>& array, bool nullable, Place place) {
    if (nullable) place = WithNulls(*array, std::move(place));
    switch (array->type_id()) {
      case arrow::Type::STRUCT: {
        const auto& structs = static_cast<const arrow::StructArray&>(*array);
        for (int i = 0; i < structs.num_fields(); ++i) {
          ARROW_RETURN_NOT_OK(Visit(structs.field(i), structs.struct_type()->field(i)->nullable(), place));
        }
        return arrow::Status::OK();
      }
      case arrow::Type::MAP:
      case arrow::Type::LIST: {
        const auto& lists = static_cast<const arrow::ListArray&>(*array);
        return VisitList(lists, *lists.list_type()->value_field(), place);
      }
      case arrow::Type::LARGE_LIST: {
        const auto& lists = static_cast<const arrow::LargeListArray&>(*array);
        return VisitList(lists, *lists.list_type()->value_field(), place);
      }
      case arrow::Type::FIXED_SIZE_LIST: {
        const auto& lists = static_cast<const arrow::FixedSizeListArray&>(*array);
        return VisitList(lists, *lists.list_type()->value_field(), place);
      }
      default:
        if (array->num_fields() > 0)
          return arrow::Status::NotImplemented("Parquet columns of type ", array->type()->ToString());
        leaves_.push_back({.definition = std::move(place.definition),
                           .repetition = std::move(place.repetition),
                           .number_of_levels = place.number_of_levels,
                           .max_definition = place.max_definition,
                           .max_repetition = place.max_repetition,
                           .element_definition = place.element_definition,
                           .values = array,
                           .has_values = place.has_values});
        return arrow::Status::OK();
    }
  }

  std::vector<ParquetLeaf>& leaves() { return leaves_; }

 private:
  template <typename Lists>
  arrow::Status VisitList(const Lists& lists, const arrow::Field& value_field, const Place& place) {
    std::vector<Elements> runs;
    const Place below = Repeated(
        lists, place, [&lists](int64_t i) { return int64_t{lists.value_offset(i)}; },
        [&lists](int64_t i) { return int64_t{lists.value_length(i)}; }, runs);
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> values, ValuesIn(runs, *lists.values()));
    return Visit(values, value_field.nullable(), below);
  }

  // Leaves out values that are in no list, or in an absent list.
  static arrow::Result<std::shared_ptr<arrow::Array>> ValuesIn(const std::vector<Elements>& runs, const arrow::Array& values) {
    if (runs.size() == 1) return values.Slice(runs[0].begin, runs[0].end - runs[0].begin);
    if (runs.empty()) return values.Slice(0, 0);
    arrow::ArrayVector parts;
    parts.reserve(runs.size());
    for (const Elements& run : runs) parts.push_back(values.Slice(run.begin, run.end - run.begin));
    return arrow::Concatenate(parts);
  }

  std::vector<ParquetLeaf> leaves_;
};

}  // namespace

arrow::Result<std::vector<ParquetLeaf>> ParquetLeavesOf(const arrow::RecordBatch& batch) {
  LeafCollector collector;
  Place top;
  top.number_of_levels = batch.num_rows();
  top.zeros = std::make_shared<const std::vector<int16_t>>(static_cast<size_t>(batch.num_rows()), int16_t{0});
  for (int i = 0; i < batch.num_columns(); ++i) {
    ARROW_RETURN_NOT_OK(collector.Visit(batch.column(i), batch.schema()->field(i)->nullable(), top));
  }
  return std::move(collector.leaves());
}

}  // namespace structtensor::column_files_internal
