#include "structtensor/io/json/internal/message_writer.h"

#include <bit>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/escaping.h"
#include "structtensor/core/base/shared/time_text.h"
#include "structtensor/core/wire/shared/field_reader.h"
#include "structtensor/core/wire/shared/number_kinds.h"
#include "structtensor/io/json/internal/field_mask_text.h"

namespace structtensor::json_internal {
namespace {

using plan::Kind;
using wire_internal::Field;
using wire_internal::FieldReader;
using wire_internal::kEmptyMessage;

constexpr uint32_t kItem = 1;  // the field number of a MessageSet's group

bool Damaged(Problem& problem) { return Fail(problem, "the message is damaged"); }
bool TooDeep(Problem& problem) { return Fail(problem, absl::StrCat("messages are deeper than ", kMaxMessageJsonDepth)); }

bool AppendText(std::string_view text, JsonText& out, Problem& problem) {
  return out.AppendString(text) || Fail(problem, "a string is not UTF-8");
}

// Whether another value of the field `number` comes next. The end of a group may have the number of a field in it.
bool HasNext(const FieldReader& fields, uint32_t number) {
  const uint32_t tag = fields.PeekTag();
  return tag >> 3 == number && (tag & 7) != plan::kEgroup;
}

// Whether JSON writes a key of this kind with quotes that its value has not.
bool NeedsQuotes(Kind kind) {
  const plan::Element element = plan::ElementOf(kind);
  return element == plan::Element::kBool || element == plan::Element::kUint32 ||
         (element == plan::Element::kInt32 && kind != Kind::kEnum);
}

}  // namespace

bool MessageWriter::WriteScalar(const JsonField& field, uint64_t bits, std::string_view bytes, JsonText& out,
                                Problem& problem) {
  switch (field.kind) {
    case Kind::kString:
      return AppendText(bytes, out, problem);
    case Kind::kBytes:
      out += '"';
      out += std::string_view(absl::Base64Escape(ToAbsl(bytes)));
      out += '"';
      return true;
    case Kind::kEnum:
      WriteEnum(field, static_cast<int32_t>(bits), out);
      return true;
    case Kind::kMessage:
    case Kind::kGroup:
      return Damaged(problem);
    default:
      break;
  }
  wire_internal::VisitNumberKind(field.kind, [bits, &out](auto number_kind) {
    using NumberKind = decltype(number_kind);
    const typename NumberKind::Type value = NumberKind::From(bits);
    if constexpr (std::is_same_v<NumberKind, wire_internal::Bool>) {
      out += value != 0 ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<typename NumberKind::Type>) {
      out.AppendReal(value);
    } else if constexpr (sizeof(value) == 8) {
      out.AppendQuotedInteger(value);
    } else if constexpr (std::is_signed_v<typename NumberKind::Type>) {
      out.AppendInteger(int64_t{value});
    } else {
      out.AppendInteger(uint64_t{value});
    }
  });
  return true;
}

void MessageWriter::WriteEnum(const JsonField& field, int32_t number, JsonText& out) const {
  if (field.is_null_value) {
    out += "null";
  } else if (options_.enums_as_numbers || !field.field->enumeration->Has(number)) {
    out.AppendInteger(int64_t{number});
  } else {
    out += '"';
    out += field.field->enumeration->Name(number);
    out += '"';
  }
}

// The values of the next field, and of those after it that have its number.
bool MessageWriter::WriteValues(const JsonField& field, FieldReader& fields, int depth, JsonText& out, Problem& problem) {
  const plan::WireType wire_type = plan::WireTypeOf(field.kind);
  const bool repeated = field.cardinality == plan::Cardinality::kRepeated;
  if (repeated) out += '[';
  int64_t index = 0;
  const auto in_element = [&]() { return repeated ? In(absl::StrCat("[", index, "]"), problem) : false; };
  const auto begin_element = [&]() {
    if (repeated && index > 0) out += ',';
  };
  const auto write_group = [&] {
    if (!fields.TakeTag(plan::Tag(field.number, plan::kSgroup))) return Damaged(problem);
    if (depth + 1 > kMaxMessageJsonDepth) return TooDeep(problem);
    out += '{';
    if (!WriteFields(fields, field.number, types_.Of(field), depth + 1, /*comma=*/false, out, problem)) return false;
    if (!fields.TakeTag(plan::Tag(field.number, plan::kEgroup))) return Damaged(problem);
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
      for (std::string_view run = value.bytes; !run.empty();) {
        uint64_t bits;
        if (!wire_internal::TakePacked(wire_type, &run, &bits)) return Damaged(problem);
        begin_element();
        if (!WriteScalar(field, bits, kEmptyMessage, out, problem)) return in_element();
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
  } while (repeated && HasNext(fields, field.number));
  if (repeated) out += ']';
  return true;
}

bool MessageWriter::WriteMapEntries(const JsonField& field, FieldReader& fields, int depth, JsonText& out, Problem& problem) {
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
    for (FieldReader parts(pair.bytes, kMaxMessageJsonDepth); !parts.AtEnd();) {
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
  } while (HasNext(fields, number));
  out += '}';
  return true;
}

void MessageWriter::WriteName(const JsonField& field, bool* comma, JsonText& out) const {
  const QuotedName& name = field.quoted_names[options_.proto_field_names ? 1 : 0];
  out.AppendPadded(std::exchange(*comma, true) ? name.with_comma() : name.after_comma());
}

// An item of a MessageSet: a group with the number of an extension and its message.
bool MessageWriter::WriteItem(FieldReader& fields, const JsonType& type, int depth, bool* comma, JsonText& out,
                              Problem& problem) {
  Field item;
  if (!fields.Next(&item)) return Damaged(problem);
  if (item.type != plan::kSgroup) return true;
  Field type_id;
  Field message;
  for (FieldReader parts(item.bytes, kMaxMessageJsonDepth); !parts.AtEnd();) {
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
      return WriteScalar(field, 0, kEmptyMessage, out, problem);
  }
}

bool MessageWriter::WriteFields(FieldReader& fields, uint32_t group, const JsonType& type, int depth, bool comma, JsonText& out,
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
  FieldReader fields(serialized, kMaxMessageJsonDepth);
  if (!WriteFields(fields, /*group=*/0, type, depth, /*comma=*/false, out, problem)) return false;
  out += '}';
  return true;
}

bool MessageWriter::WriteTime(std::string_view serialized, JsonForm form, JsonText& out, Problem& problem) {
  base_internal::SecondsAndNanos time;
  for (FieldReader fields(serialized, kMaxMessageJsonDepth); !fields.AtEnd();) {
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
  for (FieldReader fields(serialized, kMaxMessageJsonDepth); !fields.AtEnd();) {
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
  for (FieldReader fields(serialized, kMaxMessageJsonDepth); !fields.AtEnd();) {
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
  for (FieldReader fields(serialized, kMaxMessageJsonDepth); !fields.AtEnd();) {
    Field entry;
    if (!fields.Next(&entry)) return Damaged(problem);
    if (entry.number != 1 || entry.type != plan::kLen) continue;
    std::string_view key = kEmptyMessage;
    std::string_view value = kEmptyMessage;
    bool has_value = false;
    for (FieldReader parts(entry.bytes, kMaxMessageJsonDepth); !parts.AtEnd();) {
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
  for (FieldReader fields(serialized, kMaxMessageJsonDepth); !fields.AtEnd();) {
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
  for (FieldReader fields(serialized, kMaxMessageJsonDepth); !fields.AtEnd();) {
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
  std::string_view url = kEmptyMessage;
  std::string_view value = kEmptyMessage;
  for (FieldReader fields(serialized, kMaxMessageJsonDepth); !fields.AtEnd();) {
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
    FieldReader fields(value, kMaxMessageJsonDepth);
    if (!WriteFields(fields, /*group=*/0, type, depth + 1, /*comma=*/true, out, problem)) return false;
  } else {
    out += ",\"value\":";
    if (!Write(value, type, depth + 1, out, problem)) return In("value", problem);
  }
  out += '}';
  return true;
}

}  // namespace structtensor::json_internal
