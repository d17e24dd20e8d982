#include "structtensor/io/column_files/internal/parquet_leaves.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
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
  bool has_values = true;   // false if no level has one
  bool all_present = true;  // true if all elements have one
  ParquetLevels zeros;      // a zero for each row: the first levels of all columns
};

// Elements [begin, end) of a list's values.
struct Elements {
  int64_t begin = 0;
  int64_t end = 0;
};

// Levels that are still to be written. A vector would set them to zero first.
std::shared_ptr<int16_t[]> NewLevels(int64_t count) {
  return std::shared_ptr<int16_t[]>(new int16_t[static_cast<size_t>(count)]);
}

// Which values are absent is often random, so the loops have no branches for it: the processor would mispredict them.
//
// Writes each level, plus one where it is `max` and its element is present. Levels from `element_definition` on have an
// element. Requires: `array` has nulls.
void AddPresence(const arrow::Array& array, std::span<const int16_t> levels, int16_t max, int16_t element_definition,
                 int16_t* out) {
  const uint8_t* const valid = array.null_bitmap_data();
  const int64_t end = array.offset() + array.length();
  int64_t element = array.offset();
  size_t i = 0;
  const auto add = [&](size_t count) {
    for (const size_t stop = i + count; i < stop; ++i) {
      // After the last element there may be no more bits. Such levels are less than `max`, so the bit does not matter.
      const bool present = arrow::bit_util::GetBit(valid, std::min(element, end - 1));
      out[i] = static_cast<int16_t>(levels[i] + (static_cast<int>(levels[i] == max) & static_cast<int>(present)));
      element += static_cast<int64_t>(levels[i] >= element_definition);
    }
  };
  // Most often, all lists have elements. Levels that all have one are handled eight at a time.
  using Eight [[gnu::vector_size(16)]] = int16_t;
  constexpr Eight kBits = {1, 2, 4, 8, 16, 32, 64, 128};
  while (i + 8 <= levels.size() && element + 16 <= end) {
    Eight in;
    std::memcpy(&in, &levels[i], sizeof(in));
    const auto without_element = std::bit_cast<std::array<uint64_t, 2>>(in < element_definition);
    if ((without_element[0] | without_element[1]) != 0) {
      add(8);
      continue;
    }
    uint16_t bits;  // of this element and those after it
    std::memcpy(&bits, valid + element / 8, sizeof(bits));
    const auto next_bits = static_cast<int16_t>((bits >> (element % 8)) & 0xff);
    const Eight sum = in - ((in == max) & ((next_bits & kBits) != 0));  // a lane that is true is -1
    std::memcpy(out + i, &sum, sizeof(sum));
    i += 8;
    element += 8;
  }
  add(levels.size() - i);
}

// Adds a level of definition that no value reaches.
Place AllNull(Place place) {
  ++place.max_definition;
  if (place.definition == nullptr) place.definition = place.zeros;
  place.has_values = place.all_present = false;
  return place;
}

// Adds a level of definition to the values that exist so far. `levels_without_nulls` has the levels of the node's siblings
// without nulls, which are the same. It is null until the first of them makes it.
Place WithNulls(const arrow::Array& array, Place place, ParquetLevels& levels_without_nulls) {
  const int64_t null_count = array.null_count();
  if (null_count == array.length()) return AllNull(std::move(place));  // also if there are no elements
  const auto max = place.max_definition++;
  if (place.definition == nullptr) place.definition = place.zeros;
  if (null_count == 0 && levels_without_nulls != nullptr) {
    place.definition = levels_without_nulls;
    return place;
  }

  std::shared_ptr<int16_t[]> definition = NewLevels(place.number_of_levels);
  int16_t* const out = definition.get();
  if (const int16_t* const in = place.definition.get(); null_count == 0) {
    for (int64_t i = 0; i < place.number_of_levels; ++i) out[i] = static_cast<int16_t>(in[i] + (in[i] == max ? 1 : 0));
    levels_without_nulls = definition;
  } else {
    AddPresence(array, std::span(in, static_cast<size_t>(place.number_of_levels)), max, place.element_definition, out);
    place.all_present = false;
  }
  place.definition = std::move(definition);
  return place;
}

constexpr int64_t kFilled = 8;  // levels that are written at a time

// Writes `count` copies of `level`, rounded up to a multiple of kFilled. Requires: memory for all of them. Lists are short, and
// the compiler turns kFilled copies into a single store.
void Fill(int16_t* levels, int64_t count, int16_t level) {
  for (int64_t i = 0; i < count; i += kFilled) std::fill_n(levels + i, kFilled, level);
}

// Adds the repetition of lists without elements.
Place Empty(Place place) {
  place.max_definition = place.element_definition = static_cast<int16_t>(place.max_definition + 1);
  ++place.max_repetition;
  place.all_present = true;
  if (place.definition == nullptr) place.definition = place.zeros;
  if (place.repetition == nullptr) place.repetition = place.zeros;
  place.has_values = false;
  return place;
}

// Adds the repetition of a list's elements. List i has the elements from begin_of(i) to begin_of(i + 1). Adds the elements that
// are in the lists to `runs`, in runs that are as long as possible.
template <typename BeginOf>
Place Repeated(const arrow::Array& lists, const Place& place, const BeginOf begin_of, std::vector<Elements>& runs) {
  // Absent lists rarely have elements, so this is nearly always exact.
  const int64_t elements = lists.length() == 0 ? 0 : begin_of(lists.length()) - begin_of(0);
  Place below = Empty(place);
  if (elements == 0) return below;
  below.has_values = place.has_values;

  const int16_t* const old_definition = below.definition.get();
  const int16_t* const old_repetition = below.repetition.get();
  const int64_t capacity = place.number_of_levels + elements + kFilled;
  std::shared_ptr<int16_t[]> new_definition = NewLevels(capacity);
  std::shared_ptr<int16_t[]> new_repetition = NewLevels(capacity);
  int16_t* definition = new_definition.get();
  int16_t* repetition = new_repetition.get();
  const int16_t old_max_definition = place.max_definition;
  const int16_t element_definition = place.element_definition;
  const int16_t max_definition = below.max_definition;
  const int16_t max_repetition = below.max_repetition;
  const int64_t last = lists.length() - 1;
  int64_t list = 0;
  Elements run;
  // Which lists are empty is often random, too. So there are branches only for more than one element, and where a run ends.
  for (int64_t i = 0; i < place.number_of_levels; ++i) {
    const int16_t definition_here = old_definition[i];
    const int64_t here = std::min(list, last);  // for levels after the last list, which are less than old_max_definition
    const int64_t begin = begin_of(here);
    const int64_t length = definition_here == old_max_definition ? begin_of(here + 1) - begin : 0;
    *definition = length == 0 ? definition_here : max_definition;
    *repetition = old_repetition[i];
    if (length > 1) {
      Fill(definition, length, max_definition);
      Fill(repetition + 1, length - 1, max_repetition);
    }
    definition += std::max<int64_t>(length, 1);
    repetition += std::max<int64_t>(length, 1);
    if (static_cast<int>(length != 0) & static_cast<int>(begin != run.end)) {
      if (run.begin != run.end) runs.push_back(run);
      run = {begin, begin};
    }
    run.end += length;
    list += static_cast<int64_t>(definition_here >= element_definition);
  }
  if (run.begin != run.end) runs.push_back(run);
  below.number_of_levels = definition - new_definition.get();
  below.definition = std::move(new_definition);
  below.repetition = std::move(new_repetition);
  return below;
}

// Where the elements of lists begin.
template <typename Lists>
auto OffsetsOf(const Lists& lists) {
  return [offsets = lists.raw_value_offsets()](int64_t i) { return int64_t{offsets[i]}; };
}

class LeafCollector {
 public:
  // `type` is the column's in the file: structs in the array may have fewer fields. `levels_without_nulls` belongs to the
  // node's parent (see WithNulls).
  arrow::Status Visit(const std::shared_ptr<arrow::Array>& array, const arrow::DataType& type, bool nullable, Place place,
                      ParquetLevels& levels_without_nulls) {
    if (nullable) place = WithNulls(*array, std::move(place), levels_without_nulls);
    switch (array->type_id()) {
      case arrow::Type::STRUCT: {
        const auto& structs = static_cast<const arrow::StructArray&>(*array);
        return VisitFields(
            structs.struct_type()->fields(), [&structs](int i) { return structs.field(i); }, type.fields(), place);
      }
      case arrow::Type::MAP:
      case arrow::Type::LIST: {
        const auto& lists = static_cast<const arrow::ListArray&>(*array);
        return VisitList(lists, type, OffsetsOf(lists), place);
      }
      case arrow::Type::LARGE_LIST: {
        const auto& lists = static_cast<const arrow::LargeListArray&>(*array);
        return VisitList(lists, type, OffsetsOf(lists), place);
      }
      case arrow::Type::FIXED_SIZE_LIST: {
        const auto& lists = static_cast<const arrow::FixedSizeListArray&>(*array);
        const int64_t size = lists.list_type()->list_size();
        return VisitList(
            lists, type, [begin = lists.offset() * size, size](int64_t i) { return begin + i * size; }, place);
      }
      default:
        if (array->num_fields() > 0)
          return arrow::Status::NotImplemented("Parquet columns of type ", array->type()->ToString());
        AddLeaf(array, std::move(place));
        return arrow::Status::OK();
    }
  }

  // `fields`: those of the rows of a batch, or of structs. `array_of` returns their arrays. `all_fields`: those of the file.
  template <typename ArrayOf>
  arrow::Status VisitFields(const arrow::FieldVector& fields, const ArrayOf& array_of, const arrow::FieldVector& all_fields,
                            const Place& place) {
    ParquetLevels levels_without_nulls;
    size_t next = 0;
    for (const std::shared_ptr<arrow::Field>& field : all_fields) {
      if (next < fields.size() && fields[next]->name() == field->name()) {
        ARROW_RETURN_NOT_OK(
            Visit(array_of(static_cast<int>(next)), *field->type(), field->nullable(), place, levels_without_nulls));
        ++next;
      } else {
        ARROW_RETURN_NOT_OK(AddEmpty(*field, place));
      }
    }
    return next == fields.size() ? arrow::Status::OK() : arrow::Status::Invalid("no column ", fields[next]->name());
  }

  std::vector<ParquetLeaf>& leaves() { return leaves_; }

 private:
  void AddLeaf(std::shared_ptr<arrow::Array> array, Place place) {
    leaves_.push_back({.definition = std::move(place.definition),
                       .repetition = std::move(place.repetition),
                       .number_of_levels = place.number_of_levels,
                       .max_definition = place.max_definition,
                       .max_repetition = place.max_repetition,
                       .element_definition = place.element_definition,
                       .values = std::move(array),
                       .has_values = place.has_values,
                       .all_present = place.all_present});
  }

  // Adds the leaves of a field that is absent, or has lists without elements.
  arrow::Status AddEmpty(const arrow::Field& field, Place place) {
    if (field.nullable()) place = AllNull(std::move(place));
    switch (field.type()->id()) {
      case arrow::Type::STRUCT:
        for (const std::shared_ptr<arrow::Field>& below : field.type()->fields()) {
          ARROW_RETURN_NOT_OK(AddEmpty(*below, place));
        }
        return arrow::Status::OK();
      case arrow::Type::MAP:
      case arrow::Type::LIST:
      case arrow::Type::LARGE_LIST:
      case arrow::Type::FIXED_SIZE_LIST:
        return AddEmpty(*static_cast<const arrow::BaseListType&>(*field.type()).value_field(), Empty(std::move(place)));
      default:
        if (place.has_values) return arrow::Status::Invalid("column ", field.name(), " has no values, and cannot be absent");
        AddLeaf(nullptr, std::move(place));
        return arrow::Status::OK();
    }
  }

  template <typename Lists, typename BeginOf>
  arrow::Status VisitList(const Lists& lists, const arrow::DataType& type, const BeginOf& begin_of, const Place& place) {
    std::vector<Elements> runs;
    const Place below = Repeated(lists, place, begin_of, runs);
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> values, ValuesIn(runs, *lists.values()));
    ParquetLevels levels_without_nulls;
    const arrow::Field& element = *static_cast<const arrow::BaseListType&>(type).value_field();
    return Visit(values, *element.type(), element.nullable(), below, levels_without_nulls);
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

arrow::Result<std::vector<ParquetLeaf>> ParquetLeavesOf(const arrow::RecordBatch& batch, const arrow::Schema& schema) {
  LeafCollector collector;
  Place top;
  top.number_of_levels = batch.num_rows();
  std::shared_ptr<int16_t[]> zeros = NewLevels(batch.num_rows());
  std::fill_n(zeros.get(), batch.num_rows(), int16_t{0});
  top.zeros = std::move(zeros);
  ARROW_RETURN_NOT_OK(collector.VisitFields(
      batch.schema()->fields(), [&batch](int i) { return batch.column(i); }, schema.fields(), top));
  return std::move(collector.leaves());
}

}  // namespace structtensor::column_files_internal
