#include "structtensor/core/encode/abi/fields.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace structtensor::encode_internal {

template <typename Kind>
uint8_t* WriteVarints(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag) {
  const auto* values = static_cast<const typename Kind::Type*>(column.values);
  for (uint32_t i = elements.end; i-- > elements.begin;) p = WriteVarint(WriteVarint(p, Kind::ToWire(values[i])), tag);
  return p;
}

#define STRUCTTENSOR_INSTANTIATE(prefix, Kind) \
  template uint8_t* WriteVarints<Kind>(uint8_t*, const EncodeColumn&, Elements, uint32_t);
STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_INSTANTIATE, ~)
#undef STRUCTTENSOR_INSTANTIATE

template <typename Bits>
uint8_t* WriteFixed(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag) {
  const auto* values = static_cast<const Bits*>(column.values);
  for (uint32_t i = elements.end; i-- > elements.begin;) {
    p -= sizeof(Bits);
    std::memcpy(p, &values[i], sizeof(Bits));
    p = WriteVarint(p, tag);
  }
  return p;
}
template uint8_t* WriteFixed<uint32_t>(uint8_t*, const EncodeColumn&, Elements, uint32_t);
template uint8_t* WriteFixed<uint64_t>(uint8_t*, const EncodeColumn&, Elements, uint32_t);

uint8_t* WritePackedFixed(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag, uint32_t value_bytes) {
  const size_t size_bytes = size_t{elements.end - elements.begin} * value_bytes;
  p = WriteBytes(p, static_cast<const char*>(column.values) + size_t{elements.begin} * value_bytes, size_bytes);
  return WriteVarint(WriteVarint(p, size_bytes), tag);
}

uint8_t* WriteStrings(uint8_t* p, const EncodeColumn& column, Elements elements, uint32_t tag) {
  for (uint32_t i = elements.end; i-- > elements.begin;) {
    uint8_t* const end = p;
    p = WriteString(p, column, i);
    p = WriteVarint(WriteVarint(p, static_cast<uint64_t>(end - p)), tag);
  }
  return p;
}

uint8_t* MessageSetItem(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column, uint32_t i, uint32_t row,
                        EncodeContext* context, uint32_t number) {
  p = WriteTag<Tag(1, wire_internal::kEgroup)>(p);
  p = WriteMessage(p, encode, column, i, row, context, ConstantTag<Tag(3, wire_internal::kLen)>());
  p = WriteTag<Tag(2, wire_internal::kVarint)>(WriteVarint(p, number));
  return WriteTag<Tag(1, wire_internal::kSgroup)>(p);
}

namespace {

// A written map entry: its bytes and its key in a form to sort by.
struct Entry {
  const uint8_t* begin;
  const uint8_t* end;
  uint64_t number;
  std::string_view text;
};

// Returns a number that compares as unsigned in the order of the keys' values: the sign bit of signed integers is flipped.
uint64_t SortableNumber(const EncodeColumn& keys, const plan::FieldPlan& field, uint32_t i) {
  switch (field.element) {
    case plan::Element::kBool:
      return static_cast<const uint8_t*>(keys.values)[i];
    case plan::Element::kInt32:
      return static_cast<uint64_t>(int64_t{static_cast<const int32_t*>(keys.values)[i]}) ^ uint64_t { 1 } << 63;
    case plan::Element::kUint32:
      return static_cast<const uint32_t*>(keys.values)[i];
    case plan::Element::kInt64:
      return static_cast<const uint64_t*>(keys.values)[i] ^ uint64_t { 1 } << 63;
    default:
      return static_cast<const uint64_t*>(keys.values)[i];
  }
}

bool IsSigned(const plan::FieldPlan& field) {
  return field.element == plan::Element::kInt32 || field.element == plan::Element::kInt64;
}

}  // namespace

// Columns can be read in one order only. So the entries are written in that order and then moved to their places.
uint8_t* WriteSortedEntries(uint8_t* p, plan::EncodeFunction encode, const EncodeColumn& column, Elements elements,
                            uint32_t tag, EncodeContext* context) {
  const plan::FieldPlan& key_field = column.child->plan->fields[0];
  const EncodeColumn& keys = At(column.child, key_field.column_offset);
  uint8_t* const end = p;
  std::vector<Entry> entries;
  for (uint32_t i = elements.end; i-- > elements.begin;) {
    Entry entry{nullptr, p, IsSigned(key_field) ? uint64_t{1} << 63 : 0, {}};
    uint8_t* const entry_end = p;
    p = encode(p, column.child, i, context);
    p = WriteVarint(WriteVarint(p, static_cast<uint64_t>(entry_end - p)), tag);
    entry.begin = p;
    if (keys.values != nullptr) {
      if (key_field.element == plan::Element::kString) {
        entry.text = {keys.bytes + keys.offsets[i], static_cast<size_t>(keys.offsets[i + 1] - keys.offsets[i])};
      } else {
        entry.number = SortableNumber(keys, key_field, i);
      }
    }
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.number != b.number ? a.number < b.number : a.text < b.text; });
  std::string sorted;
  sorted.reserve(static_cast<size_t>(end - p));
  for (const Entry& entry : entries) sorted.append(entry.begin, entry.end);
  std::memcpy(p, sorted.data(), sorted.size());
  return p;
}

}  // namespace structtensor::encode_internal
