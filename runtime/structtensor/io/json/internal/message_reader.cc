#include "structtensor/io/json/internal/message_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "structtensor/core/base/shared/base64.h"
#include "structtensor/core/base/shared/time_text.h"
#include "structtensor/io/json/internal/field_mask_text.h"
#include "structtensor/io/json/internal/json_cursor.h"
#include "structtensor/io/json/internal/json_number.h"
#include "structtensor/io/json/internal/keys_of_map.h"
#include "structtensor/io/json/internal/message_bytes.h"
#include "structtensor/io/json/internal/plain_scalar.h"

namespace structtensor::json_internal {

using plan::Kind;

// What is known of an object while its members are read.
class ObjectState {
 public:
  explicit ObjectState(const JsonType& type) {
    const size_t words = type.plan->fields.size() / 64 + 1;
    if (words <= std::size(few_)) return;
    many_ = std::make_unique<uint64_t[]>(words);
    bits_ = many_.get();
  }
  ObjectState(const ObjectState&) = delete;
  ObjectState& operator=(const ObjectState&) = delete;

  // Adds the field or the oneof's case with that index in the plan to those that the object has. False if it has it already.
  bool Add(size_t index) {
    uint64_t& word = bits_[index / 64];
    const uint64_t bit = uint64_t{1} << (index % 64);
    return (std::exchange(word, word | bit) & bit) == 0;
  }
  // Whether the object has neither the field nor another field of its oneof.
  bool CanAdd(const JsonField& field) const {
    return !Has(field.index) && (field.oneof_case < 0 || !Has(static_cast<size_t>(field.oneof_case)));
  }
  void Add(const JsonField& field) {
    Add(field.index);
    if (field.oneof_case >= 0) Add(static_cast<size_t>(field.oneof_case));
  }

  size_t expected = 0;    // index of the field that is likely to come next
  bool has_type = false;  // the member "@type" of an Any

 private:
  bool Has(size_t index) const { return (bits_[index / 64] >> (index % 64) & 1) != 0; }

  uint64_t few_[2] = {};
  uint64_t* bits_ = few_;
  std::unique_ptr<uint64_t[]> many_;
};

struct MessageReader::Impl {
  Impl(JsonTypes& types_of_all, const MessageJsonOptions& reading) : types(types_of_all), options(reading) {}

  JsonTypes& types;
  const MessageJsonOptions& options;
  JsonCursor cursor;
  MessageBytes message_bytes;

  // Goes through a value that is not needed, so that errors in it are found.
  bool Skip(int depth, Problem& problem) { return cursor.Skip(depth, kMaxMessageJsonDepth, problem); }

  // --- Scalars

  // Takes a number, or a string with a number.
  bool ReadNumber(std::string_view* number, bool* quoted, Problem& problem) {
    const JsonKind kind = cursor.PeekKind();
    *quoted = kind == JsonKind::kString;
    if (*quoted) return cursor.ReadString(number, problem);
    if (kind != JsonKind::kNumber) return Fail(problem, "expected a number");
    *number = cursor.Take();
    return true;
  }

  template <typename T>
  bool IntegerOf(std::string_view number, T* integer, Problem& problem) const {
    uint64_t digits = 0;
    if (ParseDigits(number, cursor.ReadableFrom(number), &digits) &&
        digits <= static_cast<uint64_t>(std::numeric_limits<T>::max())) {
      *integer = static_cast<T>(digits);
      return true;
    }
    const std::optional<T> parsed = IsJsonNumber(number) ? ParseInteger<T>(number) : std::nullopt;
    if (!parsed.has_value()) {
      return Fail(problem, absl::StrCat("expected ", std::is_signed_v<T> ? "an integer" : "an unsigned integer", " of ",
                                        8 * sizeof(T), " bits; found ", Shortened(number)));
    }
    *integer = *parsed;
    return true;
  }

  // Real: float or double.
  template <typename Real>
  static bool RealOf(std::string_view number, bool quoted, Real* real, Problem& problem) {
    if (quoted && number == "NaN") {
      *real = std::numeric_limits<Real>::quiet_NaN();
    } else if (quoted && (number == "Infinity" || number == "-Infinity")) {
      *real = number[0] == '-' ? -std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::infinity();
    } else {
      const std::optional<Real> parsed = IsJsonNumber(number) ? ParseReal<Real>(number) : std::nullopt;
      if (!parsed.has_value()) {
        return Fail(problem,
                    absl::StrCat("expected a ", sizeof(Real) == 4 ? "float" : "double", "; found ", Shortened(number)));
      }
      *real = *parsed;
    }
    return true;
  }

  // Appends the value of a number, without its tag. Requires: the kind is one of numbers, or of enums.
  bool AppendNumber(std::string_view number, bool quoted, Kind kind, MessageBytes& out, Problem& problem) const {
    char* const end = WriteNumber(kind, out.RoomAt(out.end(), kMaxVarintBytes), [&]<typename T>(T* value) {
      if constexpr (std::is_floating_point_v<T>) {
        return RealOf(number, quoted, value, problem);
      } else {
        return IntegerOf(number, value, problem);
      }
    });
    if (end == nullptr) return false;
    out.SetEnd(end);
    return true;
  }

  // Reads the number of an enum's value. Sets *known to false if the enum does not have the name and the name may be ignored.
  bool ReadEnum(const JsonField& field, int32_t* number, bool* known, Problem& problem) {
    *known = true;
    const JsonKind kind = cursor.PeekKind();
    if (kind == JsonKind::kNumber) return IntegerOf(cursor.Take(), number, problem);
    if (kind == JsonKind::kNull && field.is_null_value) {
      bool is_null;
      *number = 0;
      return cursor.TakeNull(&is_null, problem);
    }
    if (kind != JsonKind::kString) return Fail(problem, "expected the name or the number of an enum's value");
    std::string_view name;
    if (!cursor.ReadString(&name, problem)) return false;
    const plan::EnumPlan& enumeration = *field.field->enumeration;
    if (const int32_t* const found = types.NumberOf(enumeration, name); found != nullptr) {
      *number = *found;
      return true;
    }
    if (options.ignore_extra_fields) {
      *known = false;
      return true;
    }
    return Fail(problem, absl::StrCat("the enum ", ToAbsl(enumeration.full_name), " has no value \"", Shortened(name),
                                      "\" (`ignore_extra_fields=true` passes over it)"));
  }

  // --- Fields

  // Reads one value of a field: an element, or the value of a singular field or of a map entry. Appends nothing for an enum
  // name that may be ignored.
  bool ReadElement(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    const uint32_t number = field.number;
    switch (field.kind) {
      case Kind::kMessage: {
        if (field.in_message_set) return ReadItem(field, depth, out, problem);
        return ReadPlainMessage(field, depth, out, problem);
      }
      case Kind::kGroup:
        out.AppendTag(number, plan::kSgroup);
        if (!ReadMessage(types.Of(field), depth + 1, out, problem)) return false;
        out.AppendTag(number, plan::kEgroup);
        return true;
      case Kind::kString:
      case Kind::kBytes: {
        std::string_view content;
        if (!cursor.ReadString(&content, problem)) return false;
        if (field.kind == Kind::kString) {
          out.AppendField(number, content);
          return true;
        }
        out.AppendVarint(field.tag);
        out.AppendVarint(base_internal::DecodedBase64Bytes(content));
        char* const end = base_internal::DecodeBase64(content, out.RoomAt(out.end(), content.size()));
        if (end == nullptr) return Fail(problem, "expected bytes as base64");
        out.SetEnd(end);
        return true;
      }
      case Kind::kBool: {
        bool boolean;
        if (!cursor.TakeBool(&boolean)) return Fail(problem, "expected true or false");
        out.AppendTag(number, plan::kVarint);
        out.AppendByte(boolean ? '\1' : '\0');
        return true;
      }
      case Kind::kEnum: {
        int32_t enum_number = 0;
        bool known;
        if (!ReadEnum(field, &enum_number, &known, problem)) return false;
        if (!known) return true;
        out.AppendTag(number, plan::kVarint);
        out.AppendVarint(static_cast<uint64_t>(int64_t{enum_number}));
        return true;
      }
      default: {
        std::string_view text_of_number;
        bool quoted;
        if (!ReadNumber(&text_of_number, &quoted, problem)) return false;
        out.AppendTag(number, plan::WireTypeOf(field.kind));
        return AppendNumber(text_of_number, quoted, field.kind, out, problem);
      }
    }
  }

  bool ReadPlainMessage(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    LengthDelimited message(field.tag, out);
    if (!ReadMessage(types.Of(field), depth + 1, out, problem)) return false;
    message.End();
    return true;
  }

  // The number of the extension may be too large for a tag.
  bool ReadItem(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    out.AppendTag(1, plan::kSgroup);
    out.AppendTag(2, plan::kVarint);
    out.AppendVarint(static_cast<uint32_t>(field.field->number));
    LengthDelimited message(plan::Tag(3, plan::kLen), out);
    if (!ReadMessage(types.Of(field), depth + 1, out, problem)) return false;
    message.End();
    out.AppendTag(1, plan::kEgroup);
    return true;
  }

  bool ReadList(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    if (cursor.Peek() != '[') return Fail(problem, "expected a list");
    int64_t index = 0;
    const bool null_is_value = field.is_null_value || TakesNull(field);
    const bool packed = field.field->packed && IsNumber(field.kind);
    std::optional<LengthDelimited> run;
    const auto read_plain = [&] {
      if (field.is_plain_message) return ReadPlainMessages(field, depth, &index, out, problem);
      if (field.field->is_message() || field.is_null_value) return JsonCursor::ReadAhead::kNothing;
      if (packed && !run.has_value()) run.emplace(plan::Tag(field.number, plan::kLen), out);
      return ReadPlainItems(field.kind, packed ? std::nullopt : std::optional<uint32_t>(field.tag), &index, out);
    };
    const bool ok = cursor.ForEachItem(problem, read_plain, [&] {
      const auto in_item = [&] { return In(absl::StrCat("[", index, "]"), problem); };
      bool is_null;
      if (!cursor.TakeNull(&is_null, problem)) return in_item();
      if (is_null && !null_is_value) {
        Fail(problem, "a list of a repeated field has no null");
        return in_item();
      }
      if (packed) {
        if (!ReadPacked(field.kind, out, problem)) return in_item();
      } else if (!(is_null ? AppendNull(field, out) : ReadElement(field, depth, out, problem))) {
        return in_item();
      }
      ++index;
      return true;
    });
    if (ok && run.has_value()) run->End();
    return ok;
  }

  // Reads items of a list, as long as they are scalars that WritePlainScalar() reads. Adds their number to *index. `tag`:
  // nothing if the values are packed.
  JsonCursor::ReadAhead ReadPlainItems(Kind kind, std::optional<uint32_t> tag, int64_t* index, MessageBytes& out) {
    const std::string_view text = cursor.text();
    const uint32_t* const first = cursor.mark();
    const uint32_t* token = first;
    const uint32_t* const tokens_end = cursor.end_mark();
    char* end = out.end();
    bool list_ends = false;
    constexpr ptrdiff_t kTokens = 2;  // the value, and a comma or the list's end
    while (!list_ends && tokens_end - token >= kTokens) {
      const size_t value_at = token[0], after_value = token[1];
      const bool is_last = text[after_value] == ']';
      if (!is_last && text[after_value] != ',') break;
      const std::string_view value(text.data() + value_at, after_value - value_at);
      end = out.RoomAt(end, kMaxVarintBytes + MaxPlainScalarBytes(value.size()));
      char* const value_end =
          WritePlainScalar(kind, value, text.size() - value_at, tag.has_value() ? WriteVarint(*tag, end) : end);
      if (value_end == nullptr) break;
      end = value_end;
      token += kTokens;
      list_ends = is_last;
    }
    out.SetEnd(end);
    cursor.ReturnTo(token);
    *index += (token - first) / kTokens;
    return list_ends ? JsonCursor::ReadAhead::kEnd : JsonCursor::ReadAhead::kNothing;
  }

  // Reads items of a list, as long as they are objects.
  JsonCursor::ReadAhead ReadPlainMessages(const JsonField& field, int depth, int64_t* index, MessageBytes& out,
                                          Problem& problem) {
    using enum JsonCursor::ReadAhead;
    while (cursor.Peek() == '{') {
      if (!ReadPlainMessage(field, depth, out, problem)) {
        In(absl::StrCat("[", *index, "]"), problem);
        return kProblem;
      }
      ++*index;
      const char next = cursor.Peek();
      if (next != ',' && next != ']') return kValue;
      cursor.ReturnTo(cursor.mark() + 1);
      if (next == ']') return kEnd;
    }
    return kNothing;
  }

  // Whether values of this kind are written as numbers. Enums are not included, because they may be written by name.
  static bool IsNumber(Kind kind) {
    switch (kind) {
      case Kind::kBool:
      case Kind::kEnum:
      case Kind::kString:
      case Kind::kBytes:
      case Kind::kMessage:
      case Kind::kGroup:
        return false;
      default:
        return true;
    }
  }

  // An element of a packed run of numbers.
  bool ReadPacked(Kind kind, MessageBytes& out, Problem& problem) {
    std::string_view number;
    bool quoted;
    return ReadNumber(&number, &quoted, problem) && AppendNumber(number, quoted, kind, out, problem);
  }

  // Appends what null means in a field that takes null: a NullValue, or a Value that holds one.
  static bool AppendNull(const JsonField& field, MessageBytes& out) {
    if (field.is_null_value) {
      out.AppendVarint(field.tag);
      out.AppendByte('\0');
      return true;
    }
    LengthDelimited message(field.tag, out);
    out.AppendTag(1, plan::kVarint);
    out.AppendByte('\0');
    message.End();
    return true;
  }

  // Whether null is a value of the field, instead of saying that the field is absent.
  bool TakesNull(const JsonField& field) {
    return field.field->message != nullptr && field.field->cardinality != plan::Cardinality::kMap &&
           types.Of(field).form == JsonForm::kValue;
  }

  bool ReadMap(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    if (cursor.Peek() != '{') return Fail(problem, "expected an object, whose names are the keys of the map");
    const JsonType& entry = types.Of(field);
    const JsonField* const keys = entry.FindByNumber(1);
    const JsonField* const values = entry.FindByNumber(2);
    if (keys == nullptr || values == nullptr) return Fail(problem, "the map is not read");
    const int entry_depth = depth + 1;  // an entry is a message
    const bool null_is_value = values->is_null_value || TakesNull(*values);
    KeysOfMap had;
    return cursor.ForEachName(problem, [&](std::string_view raw) {
      if (entry_depth > kMaxMessageJsonDepth) return FailTooDeep(kMaxMessageJsonDepth, problem);
      std::string_view key;
      if (!cursor.Unescape(raw, &key, problem)) return false;
      const auto fail = [&] { return In(absl::StrCat("[\"", ToAbsl(NameForPath(raw)), "\"]"), problem); };
      const size_t before = out.size();
      LengthDelimited message(field.tag, out);
      const size_t key_begin = out.size();
      if (!AppendKey(key, *keys->field, out, problem)) return fail();
      if (!had.Insert(out.view(), key_begin)) {
        Fail(problem, "the map has this key twice");
        return fail();
      }
      bool is_null;
      if (!cursor.TakeNull(&is_null, problem)) return fail();
      if (is_null && !null_is_value) {
        Fail(problem, "a map has no null");
        return fail();
      }
      const size_t value_begin = out.size();
      if (!(is_null ? AppendNull(*values, out) : ReadElement(*values, entry_depth, out, problem))) return fail();
      if (out.size() == value_begin) {
        had.KeepKeys(out.view());
        out.Truncate(before);  // an enum name that is ignored
        return true;
      }
      const size_t size_before = out.size();
      message.End();
      had.MoveLast(out.size() - size_before);
      return true;
    });
  }

  // Returns the beginning of a name for error messages: unescaped, or as it is written if it cannot be unescaped.
  std::string NameForPath(std::string_view raw) {
    Problem ignored;
    std::string_view name = raw;
    if (!cursor.Unescape(raw, &name, ignored)) name = raw;
    return std::string(Shortened(name));
  }

  bool AppendKey(std::string_view key, const plan::FieldPlan& field, MessageBytes& out, Problem& problem) const {
    if (field.kind == Kind::kString) {
      out.AppendField(1, key);
      return true;
    }
    out.AppendTag(1, plan::WireTypeOf(field.kind));
    if (field.kind != Kind::kBool) return AppendNumber(key, true, field.kind, out, problem);
    if (key != "true" && key != "false") return Fail(problem, "expected the key true or false");
    out.AppendByte(key == "true" ? '\1' : '\0');
    return true;
  }

  // --- Messages

  bool ReadMessage(const JsonType& type, int depth, MessageBytes& out, Problem& problem) {
    if (depth > kMaxMessageJsonDepth) return FailTooDeep(kMaxMessageJsonDepth, problem);
    switch (type.form) {
      case JsonForm::kObject:
        break;
      case JsonForm::kTimestamp:
      case JsonForm::kDuration:
        return ReadTime(type.form, out, problem);
      case JsonForm::kFieldMask:
        return ReadFieldMask(out, problem);
      case JsonForm::kWrapper:
        return ReadElement(type.fields[0], depth, out, problem);
      case JsonForm::kStruct:
        return ReadStruct(depth, out, problem);
      case JsonForm::kValue:
        return ReadValue(depth, out, problem);
      case JsonForm::kListValue:
        return ReadListValue(depth, out, problem);
      case JsonForm::kAny:
        return ReadAny(depth, out, problem);
    }
    if (cursor.Peek() != '{') return Fail(problem, "expected an object");
    return ReadFields(type, depth, /*in_any=*/false, out, problem);
  }

  // Reads the fields of the object that comes next. Requires: an object comes next.
  bool ReadFields(const JsonType& type, int depth, bool in_any, MessageBytes& out, Problem& problem) {
    ObjectState object(type);
    return cursor.ForEachName(
        problem, [&] { return ReadMembers(type, depth, object, out, problem); },
        [&](std::string_view raw) { return ReadMember(raw, type, depth, in_any, object, out, problem); });
  }

  // Reads members of an object, as long as the name is one of a field that the object does not have yet, and the value is not
  // null. Leaves what comes then to the caller, and what is wrong with names: the cursor is at a name then, or where one should
  // be.
  JsonCursor::ReadAhead ReadMembers(const JsonType& type, int depth, ObjectState& object, MessageBytes& out, Problem& problem) {
    using enum JsonCursor::ReadAhead;
    const std::string_view text = cursor.text();
    const uint32_t* token = cursor.mark();
    const uint32_t* const tokens_end = cursor.end_mark();
    char* end = out.end();
    constexpr ptrdiff_t kTokens = 4;  // the name, a colon, the value, and a comma or the object's end
    while (tokens_end - token >= kTokens) {
      const size_t name_at = token[0], colon = token[1], value_at = token[2], after_value = token[3];
      if (text[name_at] != '"' || text[colon] != ':' || text[value_at] == 'n') break;
      size_t after_field = object.expected;
      // A name with white space after it is not found.
      const std::string_view name(text.data() + name_at + 1, colon - name_at - 2);
      const JsonField* const field = type.FindByName(name, text.size() - name_at - 1, &after_field);
      if (field == nullptr || !object.CanAdd(*field)) break;
      object.Add(*field);
      object.expected = after_field;
      const std::string_view value(text.data() + value_at, after_value - value_at);
      char* value_end = nullptr;
      if (field->is_plain && (text[after_value] == ',' || text[after_value] == '}')) {
        end = out.RoomAt(end, kMaxVarintBytes + MaxPlainScalarBytes(value.size()));
        value_end = WritePlainScalar(field->kind, value, text.size() - value_at, WriteVarint(field->tag, end));
      }
      if (value_end != nullptr) {
        end = value_end;
        token += kTokens - 1;
      } else {
        out.SetEnd(end);
        cursor.ReturnTo(token + 2);
        if (!ReadField(*field, depth, out, problem)) {
          In(field->name, problem);
          return kProblem;
        }
        end = out.end();
        token = cursor.mark();
        if (token == tokens_end || (text[*token] != ',' && text[*token] != '}')) return kValue;
      }
      if (text[*token++] == '}') {
        out.SetEnd(end);
        cursor.ReturnTo(token);
        return kEnd;
      }
    }
    out.SetEnd(end);
    cursor.ReturnTo(token);
    return kNothing;
  }

  // Reads the value of a field: all of its elements, if it is repeated.
  bool ReadField(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    switch (field.cardinality) {
      case plan::Cardinality::kRepeated:
        return ReadList(field, depth, out, problem);
      case plan::Cardinality::kMap:
        return ReadMap(field, depth, out, problem);
      default:
        return ReadElement(field, depth, out, problem);
    }
  }

  // Reads a member of an object, whose name was taken.
  bool ReadMember(std::string_view raw, const JsonType& type, int depth, bool in_any, ObjectState& object, MessageBytes& out,
                  Problem& problem) {
    // Names of fields need no escapes, so most are found just as they are written.
    const JsonField* field = type.FindByName(raw, cursor.ReadableFrom(raw), &object.expected);
    if (field == nullptr) {
      std::string_view name;
      if (!cursor.Unescape(raw, &name, problem)) return false;
      if (in_any && name == "@type") {
        if (std::exchange(object.has_type, true)) return Fail(problem, "the object has @type twice");
        return Skip(depth, problem);
      }
      if (name.data() != raw.data()) field = type.FindByName(name, 0, &object.expected);
    }
    if (field == nullptr) {
      if (!options.ignore_extra_fields) {
        Fail(problem, absl::StrCat("the message type ", ToAbsl(type.plan->full_name),
                                   " has no field of that name (`ignore_extra_fields=true` passes over it)"));
        return In(NameForPath(raw), problem);
      }
      return Skip(depth, problem) || In(NameForPath(raw), problem);
    }
    if (!object.Add(field->index)) {
      Fail(problem, "the object has this field twice");
      return In(field->name, problem);
    }
    bool is_null;
    if (!cursor.TakeNull(&is_null, problem)) return In(field->name, problem);
    if (is_null && (field->field->is_repeated() || (!field->is_null_value && !TakesNull(*field)))) return true;
    if (field->oneof_case >= 0 && !object.Add(static_cast<size_t>(field->oneof_case))) {
      Fail(problem, "the object has another field of the same oneof");
      return In(field->name, problem);
    }
    return (is_null ? AppendNull(*field, out) : ReadField(*field, depth, out, problem)) || In(field->name, problem);
  }

  bool ReadTime(JsonForm form, MessageBytes& out, Problem& problem) {
    std::string_view content;
    if (!cursor.ReadString(&content, problem)) return false;
    using base_internal::TimeForm;
    const std::optional<base_internal::SecondsAndNanos> time = form == JsonForm::kTimestamp
                                                                   ? base_internal::ParseTimestamp(content, TimeForm::kMessage)
                                                                   : base_internal::ParseDuration(content, TimeForm::kMessage);
    if (!time.has_value()) {
      return Fail(problem, absl::StrCat("expected ",
                                        form == JsonForm::kTimestamp ? "a time (2026-01-31T12:00:00Z)" : "a duration (1.5s)",
                                        "; found \"", Shortened(content), "\""));
    }
    if (time->seconds != 0) {
      out.AppendTag(1, plan::kVarint);
      out.AppendVarint(static_cast<uint64_t>(time->seconds));
    }
    if (time->nanos != 0) {
      out.AppendTag(2, plan::kVarint);
      out.AppendVarint(static_cast<uint64_t>(int64_t{time->nanos}));
    }
    return true;
  }

  bool ReadFieldMask(MessageBytes& out, Problem& problem) {
    std::string_view content;
    if (!cursor.ReadString(&content, problem)) return false;
    while (!content.empty()) {
      const size_t comma = content.find(',');
      std::string path;
      if (!AppendMaskPath(content.substr(0, comma), path)) return Fail(problem, "expected paths of fields in lowerCamelCase");
      out.AppendField(1, path);
      if (comma == std::string_view::npos) break;
      content.remove_prefix(comma + 1);
    }
    return true;
  }

  bool ReadStruct(int depth, MessageBytes& out, Problem& problem) {
    if (cursor.Peek() != '{') return Fail(problem, "expected an object");
    absl::flat_hash_set<std::string> had;
    return cursor.ForEachName(problem, [&](std::string_view raw) {
      std::string_view name;
      if (!cursor.Unescape(raw, &name, problem)) return false;
      if (!had.emplace(name).second) {
        Fail(problem, "the object has this name twice");
        return In(NameForPath(raw), problem);
      }
      LengthDelimited entry(plan::Tag(1, plan::kLen), out);
      out.AppendField(1, name);
      LengthDelimited message(plan::Tag(2, plan::kLen), out);
      if (!ReadValue(depth + 2, out, problem)) return In(NameForPath(raw), problem);  // an entry is a message, too
      message.End();
      entry.End();
      return true;
    });
  }

  bool ReadListValue(int depth, MessageBytes& out, Problem& problem) {
    if (cursor.Peek() != '[') return Fail(problem, "expected a list");
    int64_t index = 0;
    return cursor.ForEachItem(problem, [&] {
      LengthDelimited message(plan::Tag(1, plan::kLen), out);
      if (!ReadValue(depth + 1, out, problem)) return In(absl::StrCat("[", index, "]"), problem);
      message.End();
      ++index;
      return true;
    });
  }

  bool ReadValue(int depth, MessageBytes& out, Problem& problem) {
    if (depth > kMaxMessageJsonDepth) return FailTooDeep(kMaxMessageJsonDepth, problem);
    switch (cursor.PeekKind()) {
      case JsonKind::kNull: {
        bool is_null;
        if (!cursor.TakeNull(&is_null, problem)) return false;
        out.AppendTag(1, plan::kVarint);
        out.AppendByte('\0');
        return true;
      }
      case JsonKind::kNumber: {
        const std::string_view number = cursor.Take();
        double real;
        if (!IsJsonNumber(number)) return Fail(problem, simdjson::NUMBER_ERROR);
        if (!RealOf(number, false, &real, problem)) return false;
        out.AppendTag(2, plan::kI64);
        out.AppendFixed(real);
        return true;
      }
      case JsonKind::kString: {
        std::string_view content;
        if (!cursor.ReadString(&content, problem)) return false;
        out.AppendField(3, content);
        return true;
      }
      case JsonKind::kBool: {
        bool boolean;
        if (!cursor.TakeBool(&boolean)) return Fail(problem, simdjson::TAPE_ERROR);
        out.AppendTag(4, plan::kVarint);
        out.AppendByte(boolean ? '\1' : '\0');
        return true;
      }
      case JsonKind::kObject: {
        LengthDelimited message(plan::Tag(5, plan::kLen), out);
        if (!ReadStruct(depth + 1, out, problem)) return false;
        message.End();
        return true;
      }
      case JsonKind::kList: {
        LengthDelimited message(plan::Tag(6, plan::kLen), out);
        if (!ReadListValue(depth + 1, out, problem)) return false;
        message.End();
        return true;
      }
      case JsonKind::kNone:
        break;
    }
    return cursor.FailAtNothing(problem);
  }

  // The type may be anywhere in the object, so this looks for it first.
  bool ReadAny(int depth, MessageBytes& out, Problem& problem) {
    if (cursor.Peek() != '{') return Fail(problem, "expected an object");
    std::string type_url;
    bool has_members = false;
    bool ok = true;
    cursor.LookAhead([&] {
      Problem ignored;  // these problems are found again when the members are read
      cursor.ForEachName(ignored, [&](std::string_view raw) {
        has_members = true;
        std::string_view content;
        if (!cursor.Unescape(raw, &content, ignored) || content != "@type") {
          cursor.PassOver();
          return true;
        }
        ok = cursor.ReadString(&content, problem) || In("@type", problem);
        type_url = ok ? content : "";
        return false;
      });
    });
    if (!ok) return false;
    if (!has_members) return cursor.ForEachName(problem, [&](std::string_view /*name*/) { return true; });
    const size_t slash = type_url.rfind('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == type_url.size()) {
      return Fail(problem, "expected @type, the URL of a type (type.googleapis.com/pkg.Message)");
    }
    const std::string full_name = type_url.substr(slash + 1);
    const plan::MessagePlan* const message = options.resolve == nullptr ? nullptr : options.resolve(full_name);
    if (message == nullptr) return Fail(problem, absl::StrCat("the message type ", full_name, " of @type is not known"));

    out.AppendField(1, type_url);
    const JsonType& type = types.Of(*message);
    LengthDelimited serialized(plan::Tag(2, plan::kLen), out);
    const bool read = type.is_well_known() ? ReadAnyValue(type, depth, out, problem)
                                           : ReadFields(type, depth + 1, /*in_any=*/true, out, problem);
    if (read) serialized.End();
    return read;
  }

  // Reads the well-known type that is the "value" of an Any.
  bool ReadAnyValue(const JsonType& type, int depth, MessageBytes& out, Problem& problem) {
    bool found = false;
    bool has_type = false;
    const bool ok = cursor.ForEachName(problem, [&](std::string_view raw) {
      std::string_view name;
      if (!cursor.Unescape(raw, &name, problem)) return false;
      if (name == "@type" && !std::exchange(has_type, true)) return Skip(depth, problem);
      if (name == "value" && !std::exchange(found, true)) {
        return ReadMessage(type, depth + 1, out, problem) || In("value", problem);
      }
      if (name != "value" && options.ignore_extra_fields) return Skip(depth, problem);
      return Fail(problem, absl::StrCat("expected @type and value, each once, as Any has ", ToAbsl(type.plan->full_name)));
    });
    if (!ok) return false;
    const bool may_lack = type.plan->full_name == "google.protobuf.Empty";
    return found || may_lack || Fail(problem, absl::StrCat("expected value, as Any has ", ToAbsl(type.plan->full_name)));
  }

  // Reads the text, which has one value.
  bool ReadWhole(std::string_view json, const JsonType& type, MessageBytes& out, Problem& problem) {
    if (!cursor.Start(json, problem) || !ReadMessage(type, 0, out, problem)) return false;
    cursor.Peek();
    return cursor.at_end() || Fail(problem, "something follows the value");
  }
};

MessageReader::MessageReader(JsonTypes& types, const MessageJsonOptions& options)
    : impl_(std::make_unique<Impl>(types, options)) {}
MessageReader::~MessageReader() = default;

bool MessageReader::Read(std::string_view json, const JsonType& type, std::string& out, Problem& problem, size_t* byte) {
  MessageBytes& message = impl_->message_bytes;
  message.Clear();
  if (!impl_->ReadWhole(json, type, message, problem)) {
    *byte = impl_->cursor.byte();
    return false;
  }
  out.append(message.data(), message.size());
  return true;
}

}  // namespace structtensor::json_internal
