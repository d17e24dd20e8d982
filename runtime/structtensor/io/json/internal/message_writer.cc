#include "structtensor/io/json/internal/message_writer.h"

#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/escaping.h"
#include "structtensor/core/base/shared/time_text.h"
#include "structtensor/core/wire/abi/varint.h"
#include "structtensor/io/json/internal/field_mask_text.h"

namespace structtensor::json_internal {
namespace {

using plan::Kind;

// An empty string, followed by readable bytes.
constexpr char kZeros[wire_internal::kReadableSlackBytes] = {};
constexpr std::string_view kNoBytes = std::string_view(kZeros, sizeof(kZeros)).substr(0, 0);

constexpr uint32_t kItem = 1;  // the field number of a MessageSet's group

bool Damaged(Problem& problem) { return Fail(problem, "the message is damaged"); }
bool TooDeep(Problem& problem) { return Fail(problem, absl::StrCat("messages are deeper than ", kMaxMessageJsonDepth)); }

bool AppendText(std::string_view text, JsonText& out, Problem& problem) {
  return out.AppendString(text) || Fail(problem, "a string is not UTF-8");
}

// Whether JSON writes a key of this kind with quotes that its value has not.
bool NeedsQuotes(Kind kind) {
  switch (kind) {
    case Kind::kInt32:
    case Kind::kSfixed32:
    case Kind::kSint32:
    case Kind::kUint32:
    case Kind::kFixed32:
    case Kind::kBool:
      return true;
    default:
      return false;
  }
}

}  // namespace

// One field as it is in the message.
struct MessageWriter::Field {
  uint32_t number = 0;
  plan::WireType type = plan::kVarint;
  uint64_t bits = 0;                  // of a number
  std::string_view bytes = kNoBytes;  // of a value with a length prefix, and of a group
};

// Reads the fields of a message, one after another.
class MessageWriter::Fields {
 public:
  explicit Fields(std::string_view serialized)
      : p_(reinterpret_cast<const uint8_t*>(serialized.data())), end_(p_ + serialized.size()) {}

  bool AtEnd() const { return p_ == end_; }
  // Takes the START_GROUP of the group that comes next, or its END_GROUP. Returns false if something else comes.
  bool TakeStart(uint32_t group) { return TakeTag(plan::Tag(group, plan::kSgroup)); }
  bool TakeEnd(uint32_t group) { return TakeTag(plan::Tag(group, plan::kEgroup)); }
  // The tag of the next field, without moving on. 0 if the field is damaged or there is none.
  uint32_t PeekTag() const {
    uint32_t tag = 0;
    return AtEnd() || wire_internal::PeekTag(p_, &tag) == nullptr ? 0 : tag;
  }
  // Whether another value of the field comes next. The end of a group may have the number of a field in it.
  bool HasNext(uint32_t number) const {
    const uint32_t tag = PeekTag();
    return tag >> 3 == number && (tag & 7) != plan::kEgroup;
  }
  // Moves on to the next field. Returns false if the message is damaged.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool Next(Field* field) {
    uint32_t tag;
    const uint8_t* p = wire_internal::PeekTag(p_, &tag);
    if (p == nullptr) return false;
    p += wire_internal::TagSizeBytes(tag);
    if (p > end_ || tag >> 3 == 0) return false;
    field->number = tag >> 3;
    field->type = static_cast<plan::WireType>(tag & 7);
    switch (field->type) {
      case plan::kVarint: {
        const wire_internal::Varint varint = wire_internal::ReadVarint(p);
        if (varint.next == nullptr) return false;
        field->bits = varint.value;
        p = varint.next;
        break;
      }
      case plan::kI64:
        field->bits = wire_internal::Load<uint64_t>(p);
        p += 8;
        break;
      case plan::kI32:
        field->bits = wire_internal::Load<uint32_t>(p);
        p += 4;
        break;
      case plan::kLen: {
        const wire_internal::Length length = wire_internal::ReadLength(p);
        if (length.next == nullptr || length.next > end_ || length.size_bytes > static_cast<size_t>(end_ - length.next))
          return false;
        field->bytes = {reinterpret_cast<const char*>(length.next), length.size_bytes};
        p = length.next + length.size_bytes;
        break;
      }
      case plan::kSgroup: {
        wire_internal::SkipError error;
        const uint8_t* const group_end = wire_internal::SkipValue(p, end_, tag, kMaxMessageJsonDepth, &error);
        if (group_end == nullptr || group_end > end_) return false;
        const size_t size_bytes = static_cast<size_t>(group_end - p) - wire_internal::TagSizeBytes(tag);
        field->bytes = {reinterpret_cast<const char*>(p), size_bytes};
        p = group_end;
        break;
      }
      default:
        return false;
    }
    if (p > end_) return false;
    p_ = p;
    return true;
  }

 private:
  bool TakeTag(uint32_t tag) {
    uint32_t found = 0;
    const uint8_t* const p = AtEnd() ? nullptr : wire_internal::PeekTag(p_, &found);
    if (p == nullptr || found != tag || wire_internal::TagSizeBytes(tag) > static_cast<size_t>(end_ - p)) return false;
    p_ = p + wire_internal::TagSizeBytes(tag);
    return true;
  }

  const uint8_t* p_;
  const uint8_t* end_;
};

bool MessageWriter::WriteScalar(const JsonField& field, uint64_t bits, std::string_view bytes, JsonText& out,
                                Problem& problem) {
  switch (field.kind) {
    case Kind::kDouble:
      out.AppendReal(std::bit_cast<double>(bits));
      return true;
    case Kind::kFloat:
      out.AppendReal(std::bit_cast<float>(static_cast<uint32_t>(bits)));
      return true;
    case Kind::kInt64:
    case Kind::kSfixed64:
    case Kind::kSint64: {
      const int64_t number = field.kind == Kind::kSint64 ? wire_internal::ZigZag64(bits) : static_cast<int64_t>(bits);
      out.AppendQuotedInteger(number);
      return true;
    }
    case Kind::kUint64:
    case Kind::kFixed64:
      out.AppendQuotedInteger(bits);
      return true;
    case Kind::kInt32:
    case Kind::kSfixed32:
      out.AppendInteger(int64_t{static_cast<int32_t>(bits)});
      return true;
    case Kind::kSint32:
      out.AppendInteger(int64_t{wire_internal::ZigZag32(static_cast<uint32_t>(bits))});
      return true;
    case Kind::kUint32:
    case Kind::kFixed32:
      out.AppendInteger(uint64_t{static_cast<uint32_t>(bits)});
      return true;
    case Kind::kBool:
      out += bits != 0 ? "true" : "false";
      return true;
    case Kind::kEnum: {
      if (field.is_null_value) {
        out += "null";
        return true;
      }
      const auto number = static_cast<int32_t>(bits);
      if (options_.enums_as_numbers || !field.field->enumeration->Has(number)) {
        out.AppendInteger(int64_t{number});
      } else {
        out += '"';
        out += field.field->enumeration->Name(number);
        out += '"';
      }
      return true;
    }
    case Kind::kString:
      return AppendText(bytes, out, problem);
    case Kind::kBytes:
      out += '"';
      out += std::string_view(absl::Base64Escape(ToAbsl(bytes)));
      out += '"';
      return true;
    case Kind::kMessage:
    case Kind::kGroup:
      break;
  }
  return Damaged(problem);
}

namespace {

// Takes the bits of the number at *p in a packed run, and moves *p past it. Returns false if the number is damaged.
bool TakePacked(Kind kind, const uint8_t** p, const uint8_t* end, uint64_t* bits) {
  switch (plan::WireTypeOf(kind)) {
    case plan::kI64:
      *bits = wire_internal::Load<uint64_t>(*p);
      *p += 8;
      break;
    case plan::kI32:
      *bits = wire_internal::Load<uint32_t>(*p);
      *p += 4;
      break;
    default: {
      const wire_internal::Varint varint = wire_internal::ReadVarint(*p);
      if (varint.next == nullptr) return false;
      *bits = varint.value;
      *p = varint.next;
    }
  }
  return *p <= end;
}

}  // namespace

// The values of the next field, and of those after it that have its number.
bool MessageWriter::WriteValues(const JsonField& field, Fields& fields, int depth, JsonText& out, Problem& problem) {
  const plan::WireType wire_type = plan::WireTypeOf(field.kind);
  const bool repeated = field.cardinality == plan::Cardinality::kRepeated;
  if (repeated) out += '[';
  int64_t index = 0;
  const auto in_element = [&]() { return repeated ? In(absl::StrCat("[", index, "]"), problem) : false; };
  const auto begin_element = [&]() {
    if (repeated && index > 0) out += ',';
  };
  const auto write_group = [&] {
    if (!fields.TakeStart(field.number)) return Damaged(problem);
    if (depth + 1 > kMaxMessageJsonDepth) return TooDeep(problem);
    out += '{';
    if (!WriteFields(fields, field.number, types_.Of(field), depth + 1, /*comma=*/false, out, problem)) return false;
    if (!fields.TakeEnd(field.number)) return Damaged(problem);
    out += '}';
    return true;
  };
  do {
    if (wire_type == plan::kSgroup) {
      begin_element();
      if (!write_group()) return in_element();
      ++index;
      continue;
    }
    Field value;
    if (!fields.Next(&value)) return Damaged(problem);
    const bool packed = repeated && value.type == plan::kLen && wire_type != plan::kLen;
    if (packed) {
      const auto* p = reinterpret_cast<const uint8_t*>(value.bytes.data());
      const uint8_t* const end = p + value.bytes.size();
      while (p < end) {
        uint64_t bits;
        if (!TakePacked(field.kind, &p, end, &bits)) return Damaged(problem);
        begin_element();
        if (!WriteScalar(field, bits, kNoBytes, out, problem)) return in_element();
        ++index;
      }
      continue;
    }
    if (value.type != wire_type) return Damaged(problem);
    begin_element();
    const bool ok = field.kind == Kind::kMessage ? Write(value.bytes, types_.Of(field), depth + 1, out, problem)
                                                 : WriteScalar(field, value.bits, value.bytes, out, problem);
    if (!ok) return in_element();
    ++index;
  } while (repeated && fields.HasNext(field.number));
  if (repeated) out += ']';
  return true;
}

bool MessageWriter::WriteMapEntries(const JsonField& field, Fields& fields, int depth, JsonText& out, Problem& problem) {
  const JsonType& entry = types_.Of(field);
  const JsonField* const key = entry.FindByNumber(1);
  const JsonField* const value = entry.FindByNumber(2);
  if (key == nullptr || value == nullptr) return Fail(problem, "the map is not read");
  const auto number = static_cast<uint32_t>(field.field->number);
  const int entry_depth = depth + 1;  // an entry is a message
  if (entry_depth > kMaxMessageJsonDepth) return TooDeep(problem);
  out += '{';
  bool first = true;
  do {
    Field pair;
    if (!fields.Next(&pair) || pair.type != plan::kLen) return Damaged(problem);
    Field found[2];  // key and value, if present
    for (Fields parts(pair.bytes); !parts.AtEnd();) {
      Field part;
      if (!parts.Next(&part)) return Damaged(problem);
      if (part.number == 1 || part.number == 2) found[part.number - 1] = part;
    }
    if (!std::exchange(first, false)) out += ',';
    if (found[0].number != 0 && found[0].type != plan::WireTypeOf(key->field->kind)) return Damaged(problem);
    const bool quotes = NeedsQuotes(key->field->kind);
    if (quotes) out += '"';
    if (!WriteScalar(*key, found[0].bits, found[0].bytes, out, problem)) return false;
    if (quotes) out += '"';
    out += ':';
    const plan::FieldPlan& plan_value = *value->field;
    if (found[1].number != 0 && found[1].type != plan::WireTypeOf(plan_value.kind)) return Damaged(problem);
    const bool ok = plan_value.is_message() ? Write(found[1].bytes, types_.Of(*value), entry_depth + 1, out, problem)
                                            : WriteScalar(*value, found[1].bits, found[1].bytes, out, problem);
    if (!ok) return In("[]", problem);
  } while (fields.HasNext(number));
  out += '}';
  return true;
}

void MessageWriter::WriteName(const JsonField& field, bool* comma, JsonText& out) const {
  const QuotedName& name = field.quoted_names[options_.proto_field_names ? 1 : 0];
  out.AppendPadded(std::exchange(*comma, true) ? name.with_comma() : name.after_comma());
}

// An item of a MessageSet: a group with the number of an extension and its message.
bool MessageWriter::WriteItem(Fields& fields, const JsonType& type, int depth, bool* comma, JsonText& out, Problem& problem) {
  Field item;
  if (!fields.Next(&item)) return Damaged(problem);
  if (item.type != plan::kSgroup) return true;
  Field type_id;
  Field message;
  for (Fields parts(item.bytes); !parts.AtEnd();) {
    Field part;
    if (!parts.Next(&part)) return Damaged(problem);
    if (part.number == 2 && part.type == plan::kVarint) type_id = part;
    if (part.number == 3 && part.type == plan::kLen) message = part;
  }
  const JsonField* const field = type.FindByNumber(static_cast<uint32_t>(type_id.bits));
  if (field == nullptr || message.number == 0 || !field->field->is_message()) return true;
  WriteName(*field, comma, out);
  return Write(message.bytes, types_.Of(*field), depth + 1, out, problem) || In(field->field->name, problem);
}

// A field that is not on the wire and has no presence.
bool MessageWriter::WriteDefault(const JsonField& field, bool* comma, JsonText& out, Problem& problem) {
  WriteName(field, comma, out);
  switch (field.field->cardinality) {
    case plan::Cardinality::kMap:
      out += "{}";
      return true;
    case plan::Cardinality::kRepeated:
      out += "[]";
      return true;
    default:
      return WriteScalar(field, 0, kNoBytes, out, problem);
  }
}

bool MessageWriter::WriteFields(Fields& fields, uint32_t group, const JsonType& type, int depth, bool comma, JsonText& out,
                                Problem& problem) {
  const bool defaults = options_.always_print_fields_with_no_presence;
  absl::InlinedVector<bool, 64> seen(defaults ? type.fields.size() : 0);
  size_t expected = 0;
  while (!fields.AtEnd()) {
    const uint32_t tag = fields.PeekTag();
    if (group != 0 && tag == plan::Tag(group, plan::kEgroup)) break;
    const uint32_t number = tag >> 3;
    if (type.plan->message_set && number == kItem) {
      if (!WriteItem(fields, type, depth, &comma, out, problem)) return false;
      continue;
    }
    const JsonField* const field = number == 0 ? nullptr : type.FindByNumber(number, &expected);
    if (field == nullptr) {
      Field unknown;
      if (!fields.Next(&unknown)) return Damaged(problem);
      continue;
    }
    if (defaults) seen[static_cast<size_t>(field - type.fields.data())] = true;
    WriteName(*field, &comma, out);
    const bool ok = field->cardinality == plan::Cardinality::kMap ? WriteMapEntries(*field, fields, depth, out, problem)
                                                                  : WriteValues(*field, fields, depth, out, problem);
    if (!ok) return In(field->field->name, problem);
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    const JsonField& field = type.fields[i];
    if (!seen[i] && field.has_default && !WriteDefault(field, &comma, out, problem)) return In(field.field->name, problem);
  }
  return true;
}

bool MessageWriter::Write(std::string_view serialized, const JsonType& type, int depth, JsonText& out, Problem& problem) {
  if (depth > kMaxMessageJsonDepth) return TooDeep(problem);
  switch (type.form) {
    case JsonForm::kObject:
      break;
    case JsonForm::kTimestamp:
    case JsonForm::kDuration:
      return WriteTime(serialized, type.form, out, problem);
    case JsonForm::kFieldMask:
      return WriteFieldMask(serialized, out, problem);
    case JsonForm::kWrapper:
      return WriteWrapper(serialized, type, depth, out, problem);
    case JsonForm::kStruct:
      return WriteStruct(serialized, depth, out, problem);
    case JsonForm::kValue:
      return WriteValue(serialized, depth, out, problem);
    case JsonForm::kListValue:
      return WriteListValue(serialized, depth, out, problem);
    case JsonForm::kAny:
      return WriteAny(serialized, depth, out, problem);
  }
  out += '{';
  Fields fields(serialized);
  if (!WriteFields(fields, /*group=*/0, type, depth, /*comma=*/false, out, problem)) return false;
  out += '}';
  return true;
}

bool MessageWriter::WriteTime(std::string_view serialized, JsonForm form, JsonText& out, Problem& problem) {
  base_internal::SecondsAndNanos time;
  for (Fields fields(serialized); !fields.AtEnd();) {
    Field field;
    if (!fields.Next(&field)) return Damaged(problem);
    if (field.number == 1 && field.type == plan::kVarint) time.seconds = static_cast<int64_t>(field.bits);
    if (field.number == 2 && field.type == plan::kVarint) time.nanos = static_cast<int32_t>(field.bits);
  }
  std::string text;
  using base_internal::TimeForm;
  if (form == JsonForm::kTimestamp ? AppendTimestamp(time, TimeForm::kMessage, text)
                                   : AppendDuration(time, TimeForm::kMessage, text)) {
    out += '"';
    out += text;
    out += '"';
    return true;
  }
  return Fail(problem, absl::StrCat(time.seconds, " seconds and ", time.nanos, " nanos are not a ",
                                    form == JsonForm::kTimestamp ? "time between the years 1 and 9999"
                                                                 : "duration of up to 315,576,000,000 s"));
}

bool MessageWriter::WriteFieldMask(std::string_view serialized, JsonText& out, Problem& problem) {
  std::string paths;
  bool first = true;
  for (Fields fields(serialized); !fields.AtEnd();) {
    Field field;
    if (!fields.Next(&field)) return Damaged(problem);
    if (field.number != 1 || field.type != plan::kLen) continue;
    if (!std::exchange(first, false)) paths += ',';
    if (!AppendMaskJson(field.bytes, paths)) return Fail(problem, "a path of the FieldMask would not come back as it is");
  }
  paths.reserve(paths.size() + wire_internal::kReadableSlackBytes);
  return AppendText(paths, out, problem);
}

bool MessageWriter::WriteWrapper(std::string_view serialized, const JsonType& type, int, JsonText& out, Problem& problem) {
  const JsonField& wrapped = type.fields[0];
  Field value;
  for (Fields fields(serialized); !fields.AtEnd();) {
    Field field;
    if (!fields.Next(&field)) return Damaged(problem);
    if (field.number == 1 && field.type == plan::WireTypeOf(wrapped.field->kind)) value = field;
  }
  return WriteScalar(wrapped, value.bits, value.bytes, out, problem);
}

bool MessageWriter::WriteStruct(std::string_view serialized, int depth, JsonText& out, Problem& problem) {
  if (depth > kMaxMessageJsonDepth) return TooDeep(problem);
  out += '{';
  bool first = true;
  for (Fields fields(serialized); !fields.AtEnd();) {
    Field entry;
    if (!fields.Next(&entry)) return Damaged(problem);
    if (entry.number != 1 || entry.type != plan::kLen) continue;
    std::string_view key = kNoBytes;
    std::string_view value = kNoBytes;
    bool has_value = false;
    for (Fields parts(entry.bytes); !parts.AtEnd();) {
      Field part;
      if (!parts.Next(&part)) return Damaged(problem);
      if (part.number == 1 && part.type == plan::kLen) key = part.bytes;
      if (part.number == 2 && part.type == plan::kLen) {
        value = part.bytes;
        has_value = true;
      }
    }
    if (!has_value) return Fail(problem, "a google.protobuf.Value has no kind");
    if (!std::exchange(first, false)) out += ',';
    if (!AppendText(key, out, problem)) return false;
    out += ':';
    if (!WriteValue(value, depth + 2, out, problem))
      return In(std::string(Shortened(key)), problem);  // an entry is a message, too
  }
  out += '}';
  return true;
}

bool MessageWriter::WriteListValue(std::string_view serialized, int depth, JsonText& out, Problem& problem) {
  if (depth > kMaxMessageJsonDepth) return TooDeep(problem);
  out += '[';
  int64_t index = 0;
  for (Fields fields(serialized); !fields.AtEnd();) {
    Field item;
    if (!fields.Next(&item)) return Damaged(problem);
    if (item.number != 1 || item.type != plan::kLen) continue;
    if (index > 0) out += ',';
    if (!WriteValue(item.bytes, depth + 1, out, problem)) return In(absl::StrCat("[", index, "]"), problem);
    ++index;
  }
  out += ']';
  return true;
}

bool MessageWriter::WriteValue(std::string_view serialized, int depth, JsonText& out, Problem& problem) {
  if (depth > kMaxMessageJsonDepth) return TooDeep(problem);
  Field kind;
  for (Fields fields(serialized); !fields.AtEnd();) {
    Field field;
    if (!fields.Next(&field)) return Damaged(problem);
    if (field.number >= 1 && field.number <= 6) kind = field;
  }
  constexpr plan::WireType kTypes[] = {plan::kVarint, plan::kI64, plan::kLen, plan::kVarint, plan::kLen, plan::kLen};
  if (kind.number == 0) return Fail(problem, "a google.protobuf.Value has no kind");
  if (kind.type != kTypes[kind.number - 1]) return Damaged(problem);
  switch (kind.number) {
    case 1:
      out += "null";
      return true;
    case 2: {
      const double number = std::bit_cast<double>(kind.bits);
      if (!std::isfinite(number)) return Fail(problem, "a number of a google.protobuf.Value is not finite");
      out.AppendReal(number);
      return true;
    }
    case 3:
      return AppendText(kind.bytes, out, problem);
    case 4:
      out += kind.bits != 0 ? "true" : "false";
      return true;
    case 5:
      return WriteStruct(kind.bytes, depth + 1, out, problem);
    default:
      return WriteListValue(kind.bytes, depth + 1, out, problem);
  }
}

bool MessageWriter::WriteAny(std::string_view serialized, int depth, JsonText& out, Problem& problem) {
  std::string_view url = kNoBytes;
  std::string_view value = kNoBytes;
  for (Fields fields(serialized); !fields.AtEnd();) {
    Field field;
    if (!fields.Next(&field)) return Damaged(problem);
    if (field.number == 1 && field.type == plan::kLen) url = field.bytes;
    if (field.number == 2 && field.type == plan::kLen) value = field.bytes;
  }
  if (url.empty() && value.empty()) {
    out += "{}";
    return true;
  }
  const size_t slash = url.rfind('/');
  const std::string full_name(slash == std::string_view::npos ? std::string_view() : url.substr(slash + 1));
  const plan::MessagePlan* const message = options_.resolve == nullptr ? nullptr : options_.resolve(full_name);
  if (message == nullptr)
    return Fail(problem, absl::StrCat("the message type ", full_name, " of a google.protobuf.Any is not known"));
  const JsonType& type = types_.Of(*message);
  out += "{\"@type\":";
  if (!AppendText(url, out, problem)) return false;
  if (type.form == JsonForm::kObject) {
    if (depth + 1 > kMaxMessageJsonDepth) return TooDeep(problem);
    Fields fields(value);
    if (!WriteFields(fields, /*group=*/0, type, depth + 1, /*comma=*/true, out, problem)) return false;
  } else {
    out += ",\"value\":";
    if (!Write(value, type, depth + 1, out, problem)) return In("value", problem);
  }
  out += '}';
  return true;
}

}  // namespace structtensor::json_internal
