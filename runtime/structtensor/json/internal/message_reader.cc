#include "structtensor/json/internal/message_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "structtensor/json/internal/keys_of_map.h"
#include "structtensor/json/internal/message_bytes.h"
#include "structtensor/json/internal/well_known_text.h"
#include "structtensor/json_cursor/internal/json_cursor.h"
#include "structtensor/json_cursor/internal/json_number.h"

namespace structtensor::json_internal {

using json_cursor_internal::FailTooDeep;
using json_cursor_internal::IsJsonNumber;
using json_cursor_internal::JsonCursor;
using json_cursor_internal::JsonKind;
using json_cursor_internal::ParseDigits;
using json_cursor_internal::ParseInteger;
using json_cursor_internal::ParseReal;
using plan::Kind;

struct MessageReader::Impl {
  Impl(JsonTypes& types_of_all, const MessageJsonOptions& reading) : types(types_of_all), options(reading) {}

  JsonTypes& types;
  const MessageJsonOptions& options;
  JsonCursor cursor;
  MessageBytes message_bytes;
  std::string decoded;  // bytes of base64

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
                                        8 * sizeof(T), " bits; found ", ToAbsl(number.substr(0, 100))));
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
        return Fail(problem, absl::StrCat("expected a ", sizeof(Real) == 4 ? "float" : "double", "; found ",
                                          ToAbsl(number.substr(0, 100))));
      }
      *real = *parsed;
    }
    return true;
  }
  template <typename Real>
  static bool AppendReal(std::string_view number, bool quoted, MessageBytes& out, Problem& problem) {
    Real real = 0;
    if (!RealOf(number, quoted, &real, problem)) return false;
    out.AppendFixed(real);
    return true;
  }

  // Appends the value of a number, without its tag.
  bool AppendNumber(std::string_view number, bool quoted, Kind kind, MessageBytes& out, Problem& problem) const {
    const auto append = [&]<typename T>(T integer, const auto& write) {
      if (!IntegerOf(number, &integer, problem)) return false;
      write(integer);
      return true;
    };
    switch (kind) {
      case Kind::kInt32:
      case Kind::kEnum:
        return append(int32_t{}, [&](int32_t v) { out.AppendVarint(static_cast<uint64_t>(int64_t{v})); });
      case Kind::kInt64:
        return append(int64_t{}, [&](int64_t v) { out.AppendVarint(static_cast<uint64_t>(v)); });
      case Kind::kUint32:
        return append(uint32_t{}, [&](uint32_t v) { out.AppendVarint(v); });
      case Kind::kUint64:
        return append(uint64_t{}, [&](uint64_t v) { out.AppendVarint(v); });
      case Kind::kSint32:
        return append(int32_t{},
                      [&](int32_t v) { out.AppendVarint(static_cast<uint32_t>(v) << 1 ^ static_cast<uint32_t>(v >> 31)); });
      case Kind::kSint64:
        return append(int64_t{},
                      [&](int64_t v) { out.AppendVarint(static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63)); });
      case Kind::kFixed32:
        return append(uint32_t{}, [&](uint32_t v) { out.AppendFixed(v); });
      case Kind::kSfixed32:
        return append(int32_t{}, [&](int32_t v) { out.AppendFixed(v); });
      case Kind::kFixed64:
        return append(uint64_t{}, [&](uint64_t v) { out.AppendFixed(v); });
      case Kind::kSfixed64:
        return append(int64_t{}, [&](int64_t v) { out.AppendFixed(v); });
      case Kind::kDouble:
        return AppendReal<double>(number, quoted, out, problem);
      case Kind::kFloat:
        return AppendReal<float>(number, quoted, out, problem);
      default:
        return Fail(problem, "expected something else than a number");
    }
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
    if (options.ignore_unknown_names) {
      *known = false;
      return true;
    }
    return Fail(problem, absl::StrCat("the enum ", ToAbsl(enumeration.full_name), " has no value \"",
                                      ToAbsl(name.substr(0, 100)), "\" (ignore_unknown_names passes over it)"));
  }

  // --- Fields

  // Reads one value of a field: an element, or the value of a singular field or of a map entry. Appends nothing for an enum
  // name that may be ignored.
  bool ReadElement(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    const uint32_t number = field.number;
    switch (field.kind) {
      case Kind::kMessage: {
        if (field.in_message_set) return ReadItem(field, depth, out, problem);
        LengthDelimited message(number, out);
        if (!ReadMessage(types.Of(field), depth + 1, out, problem)) return false;
        message.End();
        return true;
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
        LengthDelimited bytes(number, out);
        if (!AppendBase64Of(content, out)) return Fail(problem, "expected bytes as base64");
        bytes.End();
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

  bool AppendBase64Of(std::string_view content, MessageBytes& out) {
    decoded.clear();
    if (!AppendBase64(content, decoded)) return false;
    out.AppendBytes(decoded);
    return true;
  }

  // The number of the extension may be too large for a tag.
  bool ReadItem(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    out.AppendTag(1, plan::kSgroup);
    out.AppendTag(2, plan::kVarint);
    out.AppendVarint(static_cast<uint32_t>(field.field->number));
    LengthDelimited message(3, out);
    if (!ReadMessage(types.Of(field), depth + 1, out, problem)) return false;
    message.End();
    out.AppendTag(1, plan::kEgroup);
    return true;
  }

  bool ReadList(const JsonField& field, int depth, MessageBytes& out, Problem& problem) {
    if (cursor.Peek() != '[') return Fail(problem, "expected a list");
    int64_t index = 0;
    const bool null_is_value = field.is_null_value || TakesNull(field);
    const bool packed = field.field->packed && IsNumber(field.field->kind);
    std::optional<LengthDelimited> run;
    const bool ok = cursor.ForEachItem(problem, [&] {
      const auto in_item = [&] { return In(absl::StrCat("[", index, "]"), problem); };
      bool is_null;
      if (!cursor.TakeNull(&is_null, problem)) return in_item();
      if (is_null && !null_is_value) {
        Fail(problem, "a list of a repeated field has no null");
        return in_item();
      }
      if (packed) {
        if (!run.has_value()) run.emplace(static_cast<uint32_t>(field.field->number), out);
        if (!ReadPacked(field.field->kind, out, problem)) return in_item();
      } else if (!(is_null ? AppendNull(field, out) : ReadElement(field, depth, out, problem))) {
        return in_item();
      }
      ++index;
      return true;
    });
    if (ok && run.has_value()) run->End();
    return ok;
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
    const auto number = static_cast<uint32_t>(field.field->number);
    if (field.is_null_value) {
      out.AppendTag(number, plan::kVarint);
      out.AppendByte('\0');
      return true;
    }
    LengthDelimited message(number, out);
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
      LengthDelimited message(static_cast<uint32_t>(field.field->number), out);
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
    constexpr size_t kMaxNameBytes = 100;
    Problem ignored;
    std::string_view name = raw;
    if (!cursor.Unescape(raw, &name, ignored)) name = raw;
    return std::string(name.substr(0, kMaxNameBytes));
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
    // The bits of the fields and of the oneof cases that the object has had so far.
    absl::InlinedVector<uint64_t, 2> had((type.plan->fields.size() + 63) / 64 + 1);
    const auto is_first = [&had](size_t index) {
      uint64_t& word = had[index / 64];
      const uint64_t bit = uint64_t{1} << (index % 64);
      return (std::exchange(word, word | bit) & bit) == 0;
    };
    bool has_type = false;
    size_t expected = 0;
    return cursor.ForEachName(problem, [&](std::string_view raw) {
      // Names of fields need no escapes, so most are found just as they are written.
      const JsonField* field = type.FindByName(raw, cursor.ReadableFrom(raw), &expected);
      if (field == nullptr) {
        std::string_view name;
        if (!cursor.Unescape(raw, &name, problem)) return false;
        if (in_any && name == "@type") {
          if (std::exchange(has_type, true)) return Fail(problem, "the object has @type twice");
          return Skip(depth, problem);
        }
        if (name.data() != raw.data()) field = type.FindByName(name, 0, &expected);
      }
      if (field == nullptr) {
        if (!options.ignore_unknown_names) {
          Fail(problem, absl::StrCat("the message type ", ToAbsl(type.plan->full_name),
                                     " has no field of that name (ignore_unknown_names passes over it)"));
          return In(NameForPath(raw), problem);
        }
        return Skip(depth, problem) || In(NameForPath(raw), problem);
      }
      if (!is_first(field->index)) {
        Fail(problem, "the object has this field twice");
        return In(field->name, problem);
      }
      bool is_null;
      if (!cursor.TakeNull(&is_null, problem)) return In(field->name, problem);
      if (is_null && (field->field->is_repeated() || (!field->is_null_value && !TakesNull(*field)))) return true;
      if (field->oneof_case >= 0 && !is_first(static_cast<size_t>(field->oneof_case))) {
        Fail(problem, "the object has another field of the same oneof");
        return In(field->name, problem);
      }
      const bool ok = is_null                                              ? AppendNull(*field, out)
                      : field->cardinality == plan::Cardinality::kMap      ? ReadMap(*field, depth, out, problem)
                      : field->cardinality == plan::Cardinality::kRepeated ? ReadList(*field, depth, out, problem)
                                                                           : ReadElement(*field, depth, out, problem);
      return ok || In(field->name, problem);
    });
  }

  bool ReadTime(JsonForm form, MessageBytes& out, Problem& problem) {
    std::string_view content;
    if (!cursor.ReadString(&content, problem)) return false;
    const std::optional<SecondsAndNanos> time = form == JsonForm::kTimestamp ? ParseTimestamp(content) : ParseDuration(content);
    if (!time.has_value()) {
      return Fail(problem, absl::StrCat("expected ",
                                        form == JsonForm::kTimestamp ? "a time (2026-01-31T12:00:00Z)" : "a duration (1.5s)",
                                        "; found \"", ToAbsl(content.substr(0, 100)), "\""));
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
      LengthDelimited entry(1, out);
      out.AppendField(1, name);
      LengthDelimited message(2, out);
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
      LengthDelimited message(1, out);
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
        LengthDelimited message(5, out);
        if (!ReadStruct(depth + 1, out, problem)) return false;
        message.End();
        return true;
      }
      case JsonKind::kList: {
        LengthDelimited message(6, out);
        if (!ReadListValue(depth + 1, out, problem)) return false;
        message.End();
        return true;
      }
      case JsonKind::kNone:
        break;
    }
    return cursor.FailAtNothing(problem);
  }

  // The type may stand anywhere in the object, so this looks for it first.
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
    LengthDelimited serialized(2, out);
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
      if (name != "value" && options.ignore_unknown_names) return Skip(depth, problem);
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
