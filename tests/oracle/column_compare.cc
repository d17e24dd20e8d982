#include "column_compare.h"

#include <google/protobuf/descriptor.h>

#include <cstring>
#include <map>

#include "oracle.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;

// The bytes of one value as its column holds it. Floating point is compared by its bits.
template <typename T>
std::string Bits(T value) {
  std::string bits(sizeof(T), '\0');
  std::memcpy(bits.data(), &value, sizeof(T));
  return bits;
}

// Value `index` of a repeated field, or the value of a singular one (index -1).
std::string ValueOf(const pb::Message& message, const FieldDescriptor* field, int index) {
  const pb::Reflection& r = *message.GetReflection();
  const bool one = index < 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Bits<int32_t>(one ? r.GetInt32(message, field) : r.GetRepeatedInt32(message, field, index));
    case FieldDescriptor::CPPTYPE_INT64:
      return Bits<int64_t>(one ? r.GetInt64(message, field) : r.GetRepeatedInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_UINT32:
      return Bits<uint32_t>(one ? r.GetUInt32(message, field) : r.GetRepeatedUInt32(message, field, index));
    case FieldDescriptor::CPPTYPE_UINT64:
      return Bits<uint64_t>(one ? r.GetUInt64(message, field) : r.GetRepeatedUInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Bits<double>(one ? r.GetDouble(message, field) : r.GetRepeatedDouble(message, field, index));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Bits<float>(one ? r.GetFloat(message, field) : r.GetRepeatedFloat(message, field, index));
    case FieldDescriptor::CPPTYPE_BOOL:
      return Bits<uint8_t>((one ? r.GetBool(message, field) : r.GetRepeatedBool(message, field, index)) ? 1 : 0);
    case FieldDescriptor::CPPTYPE_ENUM:
      return Bits<int32_t>(one ? r.GetEnumValue(message, field) : r.GetRepeatedEnumValue(message, field, index));
    case FieldDescriptor::CPPTYPE_STRING:
      return one ? r.GetString(message, field) : r.GetRepeatedString(message, field, index);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "";
  }
  return "";
}

std::string ActualValue(const ColumnView& view, const void* values, const int32_t* offsets, uint32_t i) {
  if (view.is_text()) return std::string(view.bytes + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i]));
  const size_t size_bytes = plan::ElementSizeBytes(view.field->element);
  return std::string(static_cast<const char*>(values) + i * size_bytes, size_bytes);
}

std::string Zero(const ColumnView& view) {
  return view.is_text() ? std::string() : std::string(plan::ElementSizeBytes(view.field->element), '\0');
}

std::string Show(const std::string& value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "<";
  for (const char c : value.substr(0, 40)) {
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return out + (value.size() > 40 ? "...>" : ">");
}

// Compares the columns of one node. Each method returns "" for equal.
class NodeComparer {
 public:
  NodeComparer(OracleSchema& schema, const pb::Descriptor* type, const std::vector<ExpectedRow>& rows, const NodeView& node,
               const std::string& path)
      : schema_(schema), type_(type), rows_(rows), node_(node), path_(path) {}

  std::string Compare() {
    if (node_.plan().full_name != type_->full_name())
      return At("", -1, "the plan is of " + std::string(node_.plan().full_name));
    if (node_.nrows() != rows_.size()) {
      return At("", -1, std::to_string(node_.nrows()) + " rows, expected " + std::to_string(rows_.size()));
    }
    size_t columns_of_fields = 0;
    for (size_t i = 0; i < node_.plan().fields.size(); ++i) {
      const plan::FieldPlan& field = node_.plan().fields[i];
      std::string difference;
      if (field.cardinality == plan::Cardinality::kOneofCase) {
        difference = CompareOneofCase(node_.column(i));
      } else {
        ++columns_of_fields;
        const FieldDescriptor* descriptor = Find(field);
        if (descriptor == nullptr) return At(field.name, -1, "the message type has no such field");
        difference = descriptor->is_repeated() ? CompareRepeated(i, descriptor) : CompareSingular(i, descriptor);
      }
      if (!difference.empty()) return difference;
    }
    std::vector<const FieldDescriptor*> extensions;
    schema_.pool().FindAllExtensions(type_, &extensions);
    const size_t expected_columns = static_cast<size_t>(type_->field_count()) + extensions.size();
    if (columns_of_fields != expected_columns) {
      return At("", -1, std::to_string(columns_of_fields) + " columns for " + std::to_string(expected_columns) + " fields");
    }
    return "";
  }

 private:
  std::string At(std::string_view field, int64_t row, const std::string& problem) const {
    const std::string place = row < 0 ? "" : "message " + std::to_string(rows_[static_cast<size_t>(row)].message_index) + ", ";
    return place + "field " + PathOf(field) + (row < 0 ? "" : " (row " + std::to_string(row) + ")") + ": " + problem;
  }
  std::string PathOf(std::string_view field) const {
    return path_ + (path_.empty() || field.empty() ? "" : ".") + std::string(field);
  }

  const FieldDescriptor* Find(const plan::FieldPlan& field) const {
    if (field.name.front() != '[') return type_->FindFieldByName(std::string(field.name));
    const FieldDescriptor* extension =
        schema_.pool().FindExtensionByName(std::string(field.name.substr(1, field.name.size() - 2)));
    return extension != nullptr && extension->containing_type() == type_ ? extension : nullptr;
  }

  // A singular value in each row that has it: where it is present, and what it is.
  std::string CompareOneofCase(const ColumnView& view) const {
    const std::string name(view.field->name.substr(0, view.field->name.rfind("_case")));
    const pb::OneofDescriptor* oneof = type_->FindOneofByName(name);
    if (oneof == nullptr) return At(view.field->name, -1, "the message type has no oneof " + name);
    std::vector<std::string> values;
    for (const ExpectedRow& row : rows_) {
      const FieldDescriptor* member =
          row.message == nullptr ? nullptr : row.message->GetReflection()->GetOneofFieldDescriptor(*row.message, oneof);
      values.push_back(Bits<int32_t>(member == nullptr ? 0 : member->number()));
    }
    return CompareImplicit(view, values);
  }

  std::string CompareSingular(size_t index, const FieldDescriptor* descriptor) {
    const ColumnView view = node_.column(index);
    if (descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return CompareSingularMessage(index, descriptor, view);
    std::vector<std::string> values;
    std::vector<bool> present;
    for (const ExpectedRow& row : rows_) {
      const bool has = row.message != nullptr && row.message->GetReflection()->HasField(*row.message, descriptor);
      present.push_back(has);
      values.push_back(has ? ValueOf(*row.message, descriptor, -1) : Zero(view));
    }
    const bool implicit = !descriptor->has_presence() || type_->options().map_entry();
    if ((view.field->presence == plan::Presence::kImplicit) != implicit) return At(view.field->name, -1, "presence differs");
    if (implicit) return CompareImplicit(view, values);
    std::string difference = ComparePresence(view, present);
    return difference.empty() ? CompareValues(view, values) : difference;
  }

  // No bitmap; which rows came with a value is the wire's affair, as long as the others hold zero.
  std::string CompareImplicit(const ColumnView& view, const std::vector<std::string>& values) const {
    if (view.validity != nullptr) return At(view.field->name, -1, "has validity though it has no presence");
    for (uint32_t i = 1; i < view.nvals; ++i) {
      if (view.value_rowids[i - 1] >= view.value_rowids[i]) return At(view.field->name, -1, "value_rowids do not ascend");
    }
    return CompareValues(view, values);
  }

  std::string ComparePresence(const ColumnView& view, const std::vector<bool>& present) const {
    std::vector<uint32_t> rowids;
    for (uint32_t row = 0; row < present.size(); ++row) {
      if (present[row]) rowids.push_back(row);
      if (view.has(row) != present[row])
        return At(view.field->name, row, present[row] ? "absent, expected a value" : "present, expected none");
    }
    if ((view.validity == nullptr) != (rowids.size() == present.size())) {
      return At(view.field->name, -1, "validity must be null exactly if all rows are present");
    }
    if (std::vector<uint32_t>(view.value_rowids, view.value_rowids + view.nvals) != rowids) {
      return At(view.field->name, -1, "value_rowids differ");
    }
    return "";
  }

  // Dense values, and the compact ones against them.
  std::string CompareValues(const ColumnView& view, const std::vector<std::string>& values) const {
    if (view.nrows != values.size()) return At(view.field->name, -1, "number of rows");
    for (uint32_t row = 0; row < values.size(); ++row) {
      const std::string actual = ActualValue(view, view.values, view.offsets, row);
      if (actual != values[row]) return At(view.field->name, row, Show(actual) + ", expected " + Show(values[row]));
    }
    if (view.is_text() && (view.offsets[0] != 0 || view.compact_offsets[0] != 0))
      return At(view.field->name, -1, "offsets start above 0");
    std::vector<bool> stored(values.size());
    for (uint32_t i = 0; i < view.nvals; ++i) {
      const uint32_t row = view.value_rowids[i];
      if (row >= values.size()) return At(view.field->name, -1, "value_rowids beyond the rows");
      stored[row] = true;
      const std::string actual = ActualValue(view, view.compact_values, view.compact_offsets, i);
      if (actual != values[row])
        return At(view.field->name, row, "compact " + Show(actual) + ", expected " + Show(values[row]));
    }
    for (uint32_t row = 0; row < values.size(); ++row) {
      if (!stored[row] && values[row] != Zero(view)) return At(view.field->name, row, "missing among the compact values");
    }
    return "";
  }

  std::string CompareSingularMessage(size_t index, const FieldDescriptor* descriptor, const ColumnView& view) {
    std::vector<bool> present;
    std::vector<ExpectedRow> below;
    const bool in_map_entry = type_->options().map_entry();
    for (const ExpectedRow& row : rows_) {
      const bool has =
          row.message != nullptr && (in_map_entry || row.message->GetReflection()->HasField(*row.message, descriptor));
      present.push_back(has);
      below.push_back({has ? &row.message->GetReflection()->GetMessage(*row.message, descriptor) : nullptr, row.message_index});
    }
    if (in_map_entry) {
      if (view.validity != nullptr) return At(view.field->name, -1, "has validity though every map entry has a value");
    } else if (const std::string difference = ComparePresence(view, present); !difference.empty()) {
      return difference;
    }
    if (view.opaque) return CompareOpaque(view, below);
    return CompareBelow(index, descriptor, below);
  }

  std::string CompareRepeated(size_t index, const FieldDescriptor* descriptor) {
    const ColumnView view = node_.column(index);
    const bool is_message = descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if ((view.field->cardinality == plan::Cardinality::kMap) != descriptor->is_map())
      return At(view.field->name, -1, "a map or not?");
    std::vector<ExpectedRow> below;
    std::vector<std::string> values;
    int64_t nvals = 0;
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      if (view.row_splits[i] != nvals) {
        return At(view.field->name, i,
                  "row_splits " + std::to_string(view.row_splits[i]) + ", expected " + std::to_string(nvals));
      }
      const ExpectedRow& row = rows_[i];
      if (row.message == nullptr) continue;
      if (descriptor->is_map()) {
        const std::string difference = AddMapEntries(index, descriptor, i, below);
        if (!difference.empty()) return difference;
        nvals = static_cast<int64_t>(below.size());
        continue;
      }
      const int size = row.message->GetReflection()->FieldSize(*row.message, descriptor);
      nvals += size;
      for (int k = 0; k < size; ++k) {
        if (is_message) {
          below.push_back({&row.message->GetReflection()->GetRepeatedMessage(*row.message, descriptor, k), row.message_index});
        } else {
          values.push_back(ValueOf(*row.message, descriptor, k));
        }
      }
    }
    if (view.row_splits[rows_.size()] != nvals || view.nvals != nvals) {
      return At(view.field->name, -1,
                std::to_string(view.nvals) + " elements, row_splits end at " + std::to_string(view.row_splits[rows_.size()]) +
                    ", expected " + std::to_string(nvals));
    }
    if (view.opaque) return CompareOpaque(view, below);
    if (is_message) return CompareBelow(index, descriptor, below);
    for (uint32_t i = 0; i < nvals; ++i) {
      const std::string actual = ActualValue(view, view.values, view.offsets, i);
      if (actual != values[i]) {
        return At(view.field->name, -1, "element " + std::to_string(i) + ": " + Show(actual) + ", expected " + Show(values[i]));
      }
    }
    return "";
  }

  // libprotobuf does not keep the order of map entries, so the entries of each row are looked up by the key that ours have.
  // Reflection over a parsed map may still list replaced entries: of those with equal keys the last one counts.
  std::string AddMapEntries(size_t index, const FieldDescriptor* descriptor, uint32_t row,
                            std::vector<ExpectedRow>& below) const {
    const ColumnView view = node_.column(index);
    const pb::Message& message = *rows_[row].message;
    std::map<std::string, const pb::Message*> by_key;
    const int size = message.GetReflection()->FieldSize(message, descriptor);
    for (int k = 0; k < size; ++k) {
      const pb::Message& entry = message.GetReflection()->GetRepeatedMessage(message, descriptor, k);
      if (schema_.KeepsMapEntry(entry)) by_key[ValueOf(entry, descriptor->message_type()->map_key(), -1)] = &entry;
    }
    const ColumnView keys = node_.child(index).column(0);
    const int64_t begin = view.row_splits[row];
    const int64_t end = view.row_splits[row + 1];
    if (static_cast<size_t>(end - begin) != by_key.size()) {
      return At(view.field->name, row, std::to_string(end - begin) + " map entries, expected " + std::to_string(by_key.size()));
    }
    for (int64_t i = begin; i < end; ++i) {
      const std::string key = ActualValue(keys, keys.values, keys.offsets, static_cast<uint32_t>(i));
      const auto it = by_key.find(key);
      if (it == by_key.end()) return At(view.field->name, row, "no entry with key " + Show(key) + " is expected, or not twice");
      below.push_back({it->second, rows_[row].message_index});
      by_key.erase(it);
    }
    return "";
  }

  // Messages that were kept as bytes: libprotobuf must read from the bytes what it found in their place.
  std::string CompareOpaque(const ColumnView& view, const std::vector<ExpectedRow>& below) {
    for (uint32_t i = 0; i < below.size(); ++i) {
      const std::string_view bytes = view.text(i);
      if (below[i].message == nullptr) {
        if (!bytes.empty()) return At(view.field->name, i, "bytes of an absent message");
        continue;
      }
      const std::unique_ptr<pb::Message> reparsed(below[i].message->New());
      if (!reparsed->ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
          Canonical(*reparsed) != Canonical(*below[i].message)) {
        return At(view.field->name, -1, "the bytes kept for element " + std::to_string(i) + " are not those of the message");
      }
    }
    return "";
  }

  std::string CompareBelow(size_t index, const FieldDescriptor* descriptor, const std::vector<ExpectedRow>& below) {
    const NodeView child = node_.child(index);
    bool any = false;
    for (const ExpectedRow& row : below) any = any || row.message != nullptr;
    // Types may contain themselves: the walk ends one node below what data reached.
    if (!any && !child.touched() && !node_.touched() && child.nrows() == below.size()) return "";
    return CompareNode(schema_, descriptor->message_type(), below, child, PathOf(node_.plan().fields[index].name));
  }

  OracleSchema& schema_;
  const pb::Descriptor* type_;
  const std::vector<ExpectedRow>& rows_;
  const NodeView& node_;
  const std::string& path_;
};

}  // namespace

std::string CompareNode(OracleSchema& schema, const pb::Descriptor* type, const std::vector<ExpectedRow>& rows,
                        const NodeView& node, const std::string& path) {
  if (type == nullptr) type = schema.Find(std::string(node.plan().full_name));
  return NodeComparer(schema, type, rows, node, path).Compare();
}

}  // namespace structtensor::testing
