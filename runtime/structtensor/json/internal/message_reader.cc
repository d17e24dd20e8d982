#include "structtensor/json/internal/message_reader.h"

// Errors are values: what would throw does not compile.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

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
#include "structtensor/json/internal/well_known_text.h"
#include "structtensor/wire/internal/append.h"
#include "structtensor/wire/internal/utf8.h"

namespace structtensor::json_internal {
namespace {

namespace ondemand = simdjson::ondemand;
using plan::Kind;
using wire_internal::AppendTag;
using wire_internal::AppendVarint;

constexpr std::string_view kWhiteSpace = " \t\r\n";

bool Fail(Problem& problem, simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return Fail(problem, "the text is not UTF-8");
    case simdjson::UNCLOSED_STRING:
      return Fail(problem, "a string has no end");
    case simdjson::UNESCAPED_CHARS:
      return Fail(problem, "a string has a control character that is not escaped");
    case simdjson::EMPTY:
      return Fail(problem, "the text ends where a value should be");
    case simdjson::DEPTH_ERROR:
      return Fail(problem, absl::StrCat("messages, lists and objects are deeper than ", kMaxMessageJsonDepth));
    case simdjson::STRING_ERROR:
      return Fail(problem, "a string has a wrong escape");
    case simdjson::NUMBER_ERROR:
      return Fail(problem, "a number is malformed");
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return Fail(problem, "a list or an object has no end");
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
      return Fail(problem, "there is no memory for the text");
    default:
      return Fail(problem, "this is no JSON");
  }
}

// Writes a length that is known only when what it counts has been written.
class LengthDelimited {
 public:
  LengthDelimited(uint32_t number, std::string& out) : out_(out) {
    AppendTag(number, plan::kLen, out);
    begin_ = out.size() + 1;
    out += '\0';
  }
  void End() {
    const size_t length = out_.size() - begin_;
    if (length < 0x80) {
      out_[begin_ - 1] = static_cast<char>(length);
      return;
    }
    size_t length_bytes = 1;
    for (size_t rest = length >> 7; rest > 0; rest >>= 7) ++length_bytes;
    out_.resize(out_.size() + length_bytes - 1);
    char* const at = out_.data() + begin_ - 1;
    std::memmove(at + length_bytes, at + 1, length);
    size_t rest = length;
    for (size_t i = 0; i + 1 < length_bytes; ++i, rest >>= 7) at[i] = static_cast<char>(rest | 0x80);
    at[length_bytes - 1] = static_cast<char>(rest);
  }

 private:
  std::string& out_;
  size_t begin_ = 0;
};

template <typename T>
void AppendFixed(T value, std::string& out) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

// The keys of a map, as they are on the wire. Those of small maps are compared where they stand in the message.
class KeysOfMap {
 public:
  // Adds the key that `out` ends with; false if it was there.
  bool Insert(const std::string& out, size_t begin) {
    const std::string_view key = std::string_view(out).substr(begin);
    if (many_.empty()) {
      for (const auto& [at, size_bytes] : few_) {
        if (size_bytes == key.size() && std::memcmp(out.data() + at, key.data(), size_bytes) == 0) return false;
      }
      few_.emplace_back(begin, key.size());
      if (few_.size() <= kFew) return true;
      for (const auto& [at, size_bytes] : few_) many_.insert(out.substr(at, size_bytes));
      return true;
    }
    return many_.insert(std::string(key)).second;
  }
  // The last key stands so many bytes further back now.
  void MoveLast(size_t size_bytes) {
    if (many_.empty()) few_.back().first += size_bytes;
  }
  // The last key is about to be taken out of `out`.
  void KeepKeys(const std::string& out) {
    if (!many_.empty()) return;
    for (const auto& [at, size_bytes] : few_) many_.insert(out.substr(at, size_bytes));
  }

 private:
  static constexpr size_t kFew = 24;

  absl::InlinedVector<std::pair<size_t, size_t>, kFew + 1> few_;
  absl::flat_hash_set<std::string> many_;
};

// As JSON has numbers: no space, no sign but a minus, no leading zeros.
bool IsJsonNumber(std::string_view text) {
  size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&]() {
    const size_t begin = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - begin;
  };
  const size_t first = i;
  const size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

// Whether the JSON number is closer to 0 than 1 is: for numbers that are out of a type's range, one way or the other.
bool IsSmall(std::string_view number) {
  const size_t end = std::min(number.find_first_of("eE"), number.size());
  int64_t exponent = 0;
  if (end < number.size()) {
    const std::string_view digits = number.substr(end + (number[end + 1] == '+' ? 2 : 1));
    if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc()) return digits[0] == '-';
  }
  const size_t point = std::min(number.substr(0, end).find('.'), end);
  const size_t first = number.substr(0, end).find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  // How many digits stand in front of the point, counted from the first that is not 0; less than 1 behind it.
  const auto whole_digits = static_cast<int64_t>(point) - static_cast<int64_t>(first) + (first > point ? 1 : 0);
  return exponent < 1 - whole_digits;
}

template <typename Real>
std::optional<Real> ParseReal(std::string_view number) {
  Real value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!IsSmall(number)) return std::nullopt;
    return number.starts_with('-') ? -Real{0} : Real{0};
  }
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return value;
}

// A number that is written by digits alone, and not by so many that 64 bits could overflow.
std::optional<uint64_t> ParseDigits(std::string_view number) {
  constexpr size_t kMaxDigits = 19;
  if (number.empty() || number.size() > kMaxDigits || (number[0] == '0' && number.size() > 1)) return std::nullopt;
  uint64_t value = 0;
  for (const char c : number) {
    const auto digit = static_cast<uint64_t>(static_cast<uint8_t>(c)) - '0';
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

// The integer that the JSON number is, also where it has a fraction of zeros or an exponent; nothing if it is none of T.
template <typename T>
std::optional<T> ParseInteger(std::string_view number) {
  T value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc() && end == number.data() + number.size()) return value;
  if (number.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  const std::optional<double> real = ParseReal<double>(number);
  constexpr double kLimit = std::is_signed_v<T> ? static_cast<double>(uint64_t{1} << (8 * sizeof(T) - 1))
                                                : 2 * static_cast<double>(uint64_t{1} << (8 * sizeof(T) - 1));
  if (!real.has_value() || std::trunc(*real) != *real || *real >= kLimit || *real < (std::is_signed_v<T> ? -kLimit : 0)) {
    return std::nullopt;
  }
  return static_cast<T>(*real);
}

}  // namespace

struct MessageReader::Impl {
  Impl(JsonTypes& types_of_all, const MessageJsonOptions& reading) : types(types_of_all), options(reading) {}

  JsonTypes& types;
  const MessageJsonOptions& options;
  ondemand::parser parser;
  std::string text;       // in a list, with padding
  std::string unescaped;  // the string that was read last
  const char* readable_end = nullptr;

  // --- Tokens

  std::string_view Token(ondemand::value& value) {
    const std::string_view token = value.raw_json_token();
    return token.substr(0, token.find_last_not_of(kWhiteSpace) + 1);
  }

  // The content of a string, until the next one is read.
  bool ReadString(ondemand::value& value, std::string_view* content, Problem& problem) {
    const std::string_view token = Token(value);
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') return Fail(problem, "expected a string");
    const std::string_view raw = token.substr(1, token.size() - 2);
    if (std::memchr(raw.data(), '\\', raw.size()) == nullptr) {
      *content = raw;
      return true;
    }
    ondemand::raw_json_string escaped;
    if (const auto error = value.get_raw_json_string().get(escaped)) return Fail(problem, error);
    return Unescape(escaped, raw.size(), content, problem);
  }

  bool Unescape(ondemand::raw_json_string raw, size_t size, std::string_view* content, Problem& problem) {
    if (unescaped.size() < size + simdjson::SIMDJSON_PADDING) unescaped.resize(2 * (size + simdjson::SIMDJSON_PADDING));
    auto* out = reinterpret_cast<uint8_t*>(unescaped.data());
    if (const auto error = parser.unescape(raw, out).get(*content)) return Fail(problem, error);
    // Halves of surrogate pairs that stand alone.
    if (!wire_internal::IsUtf8(reinterpret_cast<const uint8_t*>(content->data()), content->size())) {
      return Fail(problem, simdjson::STRING_ERROR);
    }
    return true;
  }

  bool ReadName(ondemand::field& field, std::string_view* name, Problem& problem) {
    const ondemand::raw_json_string raw = field.key();
    const char* const begin = raw.raw();
    // Most names are short, and have nothing that is escaped.
    const char* end = begin;
    while (end < readable_end && *end != '"' && *end != '\\') ++end;
    if (end == readable_end || *end == '"') {
      *name = {begin, static_cast<size_t>(end - begin)};
      return true;
    }
    while (end < readable_end && *end != '"') end += *end == '\\' ? 2 : 1;
    return Unescape(raw, static_cast<size_t>(std::min(end, readable_end) - begin), name, problem);
  }

  bool IsNull(ondemand::value& value, bool* is_null, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    *is_null = false;
    if (type != ondemand::json_type::null) return true;
    if (const auto error = value.is_null().get(*is_null)) return Fail(problem, error);
    return *is_null || Fail(problem, "this is no JSON");
  }

  // Goes through a value that nobody wants, so that errors in it are found.
  bool Skip(ondemand::value value, int depth, Problem& problem) {
    if (depth > kMaxMessageJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    switch (type) {
      case ondemand::json_type::object: {
        ondemand::object object;
        if (const auto error = value.get_object().get(object)) return Fail(problem, error);
        for (auto each : object) {
          ondemand::field field;
          if (const auto error = std::move(each).get(field)) return Fail(problem, error);
          std::string_view name;
          if (!ReadName(field, &name, problem) || !Skip(field.value(), depth + 1, problem)) return false;
        }
        return true;
      }
      case ondemand::json_type::array: {
        ondemand::array list;
        if (const auto error = value.get_array().get(list)) return Fail(problem, error);
        for (auto each : list) {
          ondemand::value item;
          if (const auto error = std::move(each).get(item)) return Fail(problem, error);
          if (!Skip(item, depth + 1, problem)) return false;
        }
        return true;
      }
      case ondemand::json_type::string: {
        std::string_view content;
        return ReadString(value, &content, problem);
      }
      case ondemand::json_type::number:
        return IsJsonNumber(Token(value)) || Fail(problem, simdjson::NUMBER_ERROR);
      case ondemand::json_type::boolean: {
        bool boolean;
        const auto error = value.get_bool().get(boolean);
        return error == simdjson::SUCCESS || Fail(problem, error);
      }
      case ondemand::json_type::null: {
        bool is_null;
        return IsNull(value, &is_null, problem);
      }
      case ondemand::json_type::unknown:
        break;
    }
    return Fail(problem, simdjson::TAPE_ERROR);
  }

  // --- Scalars

  // A number, or a string of one.
  bool ReadNumber(ondemand::value& value, std::string_view* number, bool* quoted, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    *quoted = type == ondemand::json_type::string;
    if (*quoted) return ReadString(value, number, problem);
    if (type != ondemand::json_type::number) return Fail(problem, "expected a number");
    *number = Token(value);
    return true;
  }

  template <typename T>
  static bool IntegerOf(std::string_view number, T* integer, Problem& problem) {
    const std::optional<uint64_t> digits = ParseDigits(number);
    if (digits.has_value() && *digits <= static_cast<uint64_t>(std::numeric_limits<T>::max())) {
      *integer = static_cast<T>(*digits);
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
  static bool AppendReal(std::string_view number, bool quoted, std::string& out, Problem& problem) {
    Real real;
    if (!RealOf(number, quoted, &real, problem)) return false;
    AppendFixed(real, out);
    return true;
  }

  // Appends the value of a number, without its tag.
  static bool AppendNumber(std::string_view number, bool quoted, Kind kind, std::string& out, Problem& problem) {
    const auto append = [&]<typename T>(T integer, const auto& write) {
      if (!IntegerOf(number, &integer, problem)) return false;
      write(integer);
      return true;
    };
    switch (kind) {
      case Kind::kInt32:
      case Kind::kEnum:
        return append(int32_t{}, [&](int32_t v) { AppendVarint(static_cast<uint64_t>(int64_t{v}), out); });
      case Kind::kInt64:
        return append(int64_t{}, [&](int64_t v) { AppendVarint(static_cast<uint64_t>(v), out); });
      case Kind::kUint32:
        return append(uint32_t{}, [&](uint32_t v) { AppendVarint(v, out); });
      case Kind::kUint64:
        return append(uint64_t{}, [&](uint64_t v) { AppendVarint(v, out); });
      case Kind::kSint32:
        return append(int32_t{},
                      [&](int32_t v) { AppendVarint(static_cast<uint32_t>(v) << 1 ^ static_cast<uint32_t>(v >> 31), out); });
      case Kind::kSint64:
        return append(int64_t{},
                      [&](int64_t v) { AppendVarint(static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63), out); });
      case Kind::kFixed32:
        return append(uint32_t{}, [&](uint32_t v) { AppendFixed(v, out); });
      case Kind::kSfixed32:
        return append(int32_t{}, [&](int32_t v) { AppendFixed(v, out); });
      case Kind::kFixed64:
        return append(uint64_t{}, [&](uint64_t v) { AppendFixed(v, out); });
      case Kind::kSfixed64:
        return append(int64_t{}, [&](int64_t v) { AppendFixed(v, out); });
      case Kind::kDouble:
        return AppendReal<double>(number, quoted, out, problem);
      case Kind::kFloat:
        return AppendReal<float>(number, quoted, out, problem);
      default:
        return Fail(problem, "expected something else than a number");
    }
  }

  // The number of an enum's value. *known is false for a name that it does not have and that may be passed over.
  bool ReadEnum(ondemand::value& value, const JsonField& field, int32_t* number, bool* known, Problem& problem) {
    *known = true;
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type == ondemand::json_type::number) {
      const std::string_view token = Token(value);
      return IntegerOf(token, number, problem);
    }
    bool is_null = false;
    if (type == ondemand::json_type::null && field.is_null_value) {
      *number = 0;
      return IsNull(value, &is_null, problem);
    }
    if (type != ondemand::json_type::string) return Fail(problem, "expected the name or the number of an enum's value");
    std::string_view name;
    if (!ReadString(value, &name, problem)) return false;
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

  // One value of a field: an element, or the value of a singular one or of a map entry. Nothing is appended for an enum's name
  // that may be passed over. `number`: 0 stands for that of the field.
  bool ReadElement(ondemand::value& value, const JsonField& field, int depth, std::string& out, Problem& problem) {
    const plan::FieldPlan& plan_field = *field.field;
    const auto number = static_cast<uint32_t>(plan_field.number);
    switch (plan_field.kind) {
      case Kind::kMessage: {
        if (field.in_message_set) return ReadItem(value, field, depth, out, problem);
        LengthDelimited message(number, out);
        if (!ReadMessage(value, types.Of(field), depth + 1, out, problem)) return false;
        message.End();
        return true;
      }
      case Kind::kGroup:
        AppendTag(number, plan::kSgroup, out);
        if (!ReadMessage(value, types.Of(field), depth + 1, out, problem)) return false;
        AppendTag(number, plan::kEgroup, out);
        return true;
      case Kind::kString:
      case Kind::kBytes: {
        std::string_view content;
        if (!ReadString(value, &content, problem)) return false;
        if (plan_field.kind == Kind::kString) {
          wire_internal::AppendBytes(number, content, out);
          return true;
        }
        LengthDelimited bytes(number, out);
        if (!AppendBase64(content, out)) return Fail(problem, "expected bytes as base64");
        bytes.End();
        return true;
      }
      case Kind::kBool: {
        bool boolean;
        if (value.get_bool().get(boolean) != simdjson::SUCCESS) return Fail(problem, "expected true or false");
        AppendTag(number, plan::kVarint, out);
        out += boolean ? '\1' : '\0';
        return true;
      }
      case Kind::kEnum: {
        int32_t enum_number = 0;
        bool known;
        if (!ReadEnum(value, field, &enum_number, &known, problem)) return false;
        if (!known) return true;
        AppendTag(number, plan::kVarint, out);
        AppendVarint(static_cast<uint64_t>(int64_t{enum_number}), out);
        return true;
      }
      default: {
        std::string_view text_of_number;
        bool quoted;
        if (!ReadNumber(value, &text_of_number, &quoted, problem)) return false;
        AppendTag(number, plan::WireTypeOf(plan_field.kind), out);
        return AppendNumber(text_of_number, quoted, plan_field.kind, out, problem);
      }
    }
  }

  // Its number may be larger than those that tags hold.
  bool ReadItem(ondemand::value& value, const JsonField& field, int depth, std::string& out, Problem& problem) {
    AppendTag(1, plan::kSgroup, out);
    AppendTag(2, plan::kVarint, out);
    AppendVarint(static_cast<uint32_t>(field.field->number), out);
    LengthDelimited message(3, out);
    if (!ReadMessage(value, types.Of(field), depth + 1, out, problem)) return false;
    message.End();
    AppendTag(1, plan::kEgroup, out);
    return true;
  }

  bool ReadList(ondemand::value& value, const JsonField& field, int depth, std::string& out, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type != ondemand::json_type::array) return Fail(problem, "expected a list");
    ondemand::array list;
    if (const auto error = value.get_array().get(list)) return Fail(problem, error);
    int64_t index = 0;
    const bool null_is_value = field.is_null_value || TakesNull(field);
    const bool packed = field.field->packed && IsNumber(field.field->kind);
    std::optional<LengthDelimited> run;
    for (auto each : list) {
      ondemand::value item;
      if (const auto error = std::move(each).get(item)) return Fail(problem, error);
      if (packed) {
        if (!run.has_value()) run.emplace(static_cast<uint32_t>(field.field->number), out);
        if (!ReadPacked(item, field.field->kind, out, problem)) return In(absl::StrCat("[", index, "]"), problem);
        ++index;
        continue;
      }
      bool is_null;
      if (!IsNull(item, &is_null, problem)) return In(absl::StrCat("[", index, "]"), problem);
      if (is_null && !null_is_value) {
        Fail(problem, "a list of a repeated field has no null");
        return In(absl::StrCat("[", index, "]"), problem);
      }
      if (!ReadElement(item, field, depth, out, problem)) return In(absl::StrCat("[", index, "]"), problem);
      ++index;
    }
    if (run.has_value()) run->End();
    return true;
  }

  // What is written as numbers, but for names of enums.
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
  bool ReadPacked(ondemand::value& value, Kind kind, std::string& out, Problem& problem) {
    const std::string_view token = Token(value);
    if (token.starts_with('n')) {
      bool is_null;
      return IsNull(value, &is_null, problem) && Fail(problem, "a list of a repeated field has no null");
    }
    std::string_view number;
    bool quoted;
    return ReadNumber(value, &number, &quoted, problem) && AppendNumber(number, quoted, kind, out, problem);
  }

  // Whether null is a value of the field, and not its absence.
  bool TakesNull(const JsonField& field) {
    return field.field->message != nullptr && field.field->cardinality != plan::Cardinality::kMap &&
           types.Of(field).form == JsonForm::kValue;
  }

  bool ReadMap(ondemand::value& value, const JsonField& field, int depth, std::string& out, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type != ondemand::json_type::object) return Fail(problem, "expected an object, whose names are the keys of the map");
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return Fail(problem, error);
    const JsonType& entry = types.Of(field);
    const JsonField* const keys = entry.FindByNumber(1);
    const JsonField* const values = entry.FindByNumber(2);
    if (keys == nullptr || values == nullptr) return Fail(problem, "the map is not read");
    const int entry_depth = depth + 1;  // an entry is a message
    KeysOfMap had;
    for (auto each : object) {
      ondemand::field pair;
      if (const auto error = std::move(each).get(pair)) return Fail(problem, error);
      std::string_view name;
      if (!ReadName(pair, &name, problem)) return false;
      const std::string key(name);
      if (entry_depth > kMaxMessageJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
      const size_t before = out.size();
      LengthDelimited message(static_cast<uint32_t>(field.field->number), out);
      const auto fail = [&]() { return In(absl::StrCat("[\"", ToAbsl(std::string_view(key).substr(0, 100)), "\"]"), problem); };
      const size_t key_begin = out.size();
      if (!AppendKey(key, *keys->field, out, problem)) return fail();
      if (!had.Insert(out, key_begin)) {
        Fail(problem, "the map has this key twice");
        return fail();
      }
      ondemand::value entry_value = pair.value();
      bool is_null;
      if (!IsNull(entry_value, &is_null, problem)) return fail();
      if (is_null && !values->is_null_value && !TakesNull(*values)) {
        Fail(problem, "a map has no null");
        return fail();
      }
      const size_t value_begin = out.size();
      if (!ReadElement(entry_value, *values, entry_depth, out, problem)) return fail();
      if (out.size() == value_begin) {
        had.KeepKeys(out);
        out.resize(before);  // an enum's name that is passed over
        continue;
      }
      const size_t size_before = out.size();
      message.End();
      had.MoveLast(out.size() - size_before);
    }
    return true;
  }

  static bool AppendKey(std::string_view key, const plan::FieldPlan& field, std::string& out, Problem& problem) {
    if (field.kind == Kind::kString) {
      wire_internal::AppendBytes(1, key, out);
      return true;
    }
    AppendTag(1, plan::WireTypeOf(field.kind), out);
    if (field.kind != Kind::kBool) return AppendNumber(key, true, field.kind, out, problem);
    if (key != "true" && key != "false") return Fail(problem, "expected the key true or false");
    out += key == "true" ? '\1' : '\0';
    return true;
  }

  // --- Messages

  bool ReadMessage(ondemand::value& value, const JsonType& type, int depth, std::string& out, Problem& problem) {
    if (depth > kMaxMessageJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
    switch (type.form) {
      case JsonForm::kObject:
        break;
      case JsonForm::kTimestamp:
      case JsonForm::kDuration:
        return ReadTime(value, type.form, out, problem);
      case JsonForm::kFieldMask:
        return ReadFieldMask(value, out, problem);
      case JsonForm::kWrapper:
        return ReadElement(value, type.fields[0], depth, out, problem);
      case JsonForm::kStruct:
        return ReadStruct(value, depth, out, problem);
      case JsonForm::kValue:
        return ReadValue(value, depth, out, problem);
      case JsonForm::kListValue:
        return ReadListValue(value, depth, out, problem);
      case JsonForm::kAny:
        return ReadAny(value, depth, out, problem);
    }
    ondemand::object object;
    return GoIntoObject(value, &object, problem) && ReadFields(object, type, depth, /*in_any=*/false, out, problem);
  }

  static bool GoIntoObject(ondemand::value& value, ondemand::object* object, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type != ondemand::json_type::object) return Fail(problem, "expected an object");
    const auto error = value.get_object().get(*object);
    return error == simdjson::SUCCESS || Fail(problem, error);
  }

  bool ReadFields(ondemand::object& object, const JsonType& type, int depth, bool in_any, std::string& out, Problem& problem) {
    // Bits of the fields, and of the cases of oneofs, that the object has had.
    absl::InlinedVector<uint64_t, 2> had((type.plan->fields.size() + 63) / 64 + 1);
    const auto is_first = [&had](size_t index) {
      uint64_t& word = had[index / 64];
      const uint64_t bit = uint64_t{1} << (index % 64);
      return (std::exchange(word, word | bit) & bit) == 0;
    };
    bool has_type = false;
    size_t expected = 0;
    for (auto each : object) {
      ondemand::field pair;
      if (const auto error = std::move(each).get(pair)) return Fail(problem, error);
      std::string_view name;
      if (!ReadName(pair, &name, problem)) return false;
      if (in_any && name == "@type") {
        if (std::exchange(has_type, true)) return Fail(problem, "the object has @type twice");
        if (!Skip(pair.value(), depth, problem)) return false;
        continue;
      }
      const JsonField* const field = type.FindByName(name, &expected);
      if (field == nullptr) {
        const std::string unknown(name.substr(0, 100));
        if (!options.ignore_unknown_names) {
          Fail(problem, absl::StrCat("the message type ", ToAbsl(type.plan->full_name),
                                     " has no field of that name (ignore_unknown_names passes over it)"));
          return In(unknown, problem);
        }
        if (!Skip(pair.value(), depth, problem)) return In(unknown, problem);
        continue;
      }
      const auto index = static_cast<size_t>(field->field - type.plan->fields.data());
      if (!is_first(index)) {
        Fail(problem, "the object has this field twice");
        return In(field->name, problem);
      }
      ondemand::value field_value = pair.value();
      bool is_null;
      if (!IsNull(field_value, &is_null, problem)) return In(field->name, problem);
      if (is_null && (field->field->is_repeated() || (!field->is_null_value && !TakesNull(*field)))) continue;
      if (field->field->oneof_case >= 0 && !is_first(static_cast<size_t>(field->field->oneof_case))) {
        Fail(problem, "the object has another field of the same oneof");
        return In(field->name, problem);
      }
      const bool ok = field->field->cardinality == plan::Cardinality::kMap ? ReadMap(field_value, *field, depth, out, problem)
                      : field->field->cardinality == plan::Cardinality::kRepeated
                          ? ReadList(field_value, *field, depth, out, problem)
                          : ReadElement(field_value, *field, depth, out, problem);
      if (!ok) return In(field->name, problem);
    }
    return true;
  }

  bool ReadTime(ondemand::value& value, JsonForm form, std::string& out, Problem& problem) {
    std::string_view content;
    if (!ReadString(value, &content, problem)) return false;
    const std::optional<SecondsAndNanos> time = form == JsonForm::kTimestamp ? ParseTimestamp(content) : ParseDuration(content);
    if (!time.has_value()) {
      return Fail(problem, absl::StrCat("expected ",
                                        form == JsonForm::kTimestamp ? "a time (2026-01-31T12:00:00Z)" : "a duration (1.5s)",
                                        "; found \"", ToAbsl(content.substr(0, 100)), "\""));
    }
    if (time->seconds != 0) {
      AppendTag(1, plan::kVarint, out);
      AppendVarint(static_cast<uint64_t>(time->seconds), out);
    }
    if (time->nanos != 0) {
      AppendTag(2, plan::kVarint, out);
      AppendVarint(static_cast<uint64_t>(int64_t{time->nanos}), out);
    }
    return true;
  }

  bool ReadFieldMask(ondemand::value& value, std::string& out, Problem& problem) {
    std::string_view content;
    if (!ReadString(value, &content, problem)) return false;
    while (!content.empty()) {
      const size_t comma = content.find(',');
      std::string path;
      if (!AppendMaskPath(content.substr(0, comma), path)) return Fail(problem, "expected paths of fields in lowerCamelCase");
      wire_internal::AppendBytes(1, path, out);
      if (comma == std::string_view::npos) break;
      content.remove_prefix(comma + 1);
    }
    return true;
  }

  bool ReadStruct(ondemand::value& value, int depth, std::string& out, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type != ondemand::json_type::object) return Fail(problem, "expected an object");
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return Fail(problem, error);
    absl::flat_hash_set<std::string> had;
    for (auto each : object) {
      ondemand::field pair;
      if (const auto error = std::move(each).get(pair)) return Fail(problem, error);
      std::string_view name;
      if (!ReadName(pair, &name, problem)) return false;
      if (!had.insert(std::string(name)).second) {
        Fail(problem, "the object has this name twice");
        return In(std::string(name.substr(0, 100)), problem);
      }
      LengthDelimited entry(1, out);
      wire_internal::AppendBytes(1, name, out);
      const std::string key(name.substr(0, 100));
      LengthDelimited message(2, out);
      ondemand::value item = pair.value();
      if (!ReadValue(item, depth + 2, out, problem)) return In(key, problem);  // an entry is a message, too
      message.End();
      entry.End();
    }
    return true;
  }

  bool ReadListValue(ondemand::value& value, int depth, std::string& out, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type != ondemand::json_type::array) return Fail(problem, "expected a list");
    ondemand::array list;
    if (const auto error = value.get_array().get(list)) return Fail(problem, error);
    int64_t index = 0;
    for (auto each : list) {
      ondemand::value item;
      if (const auto error = std::move(each).get(item)) return Fail(problem, error);
      LengthDelimited message(1, out);
      if (!ReadValue(item, depth + 1, out, problem)) return In(absl::StrCat("[", index, "]"), problem);
      message.End();
      ++index;
    }
    return true;
  }

  bool ReadValue(ondemand::value& value, int depth, std::string& out, Problem& problem) {
    if (depth > kMaxMessageJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    switch (type) {
      case ondemand::json_type::null: {
        bool is_null;
        if (!IsNull(value, &is_null, problem)) return false;
        AppendTag(1, plan::kVarint, out);
        out += '\0';
        return true;
      }
      case ondemand::json_type::number: {
        const std::string_view number = Token(value);
        double real;
        if (!IsJsonNumber(number)) return Fail(problem, simdjson::NUMBER_ERROR);
        if (!RealOf(number, false, &real, problem)) return false;
        AppendTag(2, plan::kI64, out);
        AppendFixed(real, out);
        return true;
      }
      case ondemand::json_type::string: {
        std::string_view content;
        if (!ReadString(value, &content, problem)) return false;
        wire_internal::AppendBytes(3, content, out);
        return true;
      }
      case ondemand::json_type::boolean: {
        bool boolean;
        if (const auto error = value.get_bool().get(boolean)) return Fail(problem, error);
        AppendTag(4, plan::kVarint, out);
        out += boolean ? '\1' : '\0';
        return true;
      }
      case ondemand::json_type::object: {
        LengthDelimited message(5, out);
        if (!ReadStruct(value, depth + 1, out, problem)) return false;
        message.End();
        return true;
      }
      case ondemand::json_type::array: {
        LengthDelimited message(6, out);
        if (!ReadListValue(value, depth + 1, out, problem)) return false;
        message.End();
        return true;
      }
      case ondemand::json_type::unknown:
        break;
    }
    return Fail(problem, simdjson::TAPE_ERROR);
  }

  // The type may stand anywhere in the object, so it is looked for first.
  bool ReadAny(ondemand::value& value, int depth, std::string& out, Problem& problem) {
    ondemand::object object;
    if (!GoIntoObject(value, &object, problem)) return false;
    ondemand::value url;
    const auto found = object.find_field_unordered("@type").get(url);
    if (found != simdjson::SUCCESS && found != simdjson::NO_SUCH_FIELD) return Fail(problem, found);
    std::string type_url;
    if (found == simdjson::SUCCESS) {
      std::string_view content;
      if (!ReadString(url, &content, problem)) return In("@type", problem);
      type_url = content;
    }
    bool has_members = false;
    if (const auto error = object.reset().get(has_members)) return Fail(problem, error);
    if (!has_members) return true;
    const size_t slash = type_url.rfind('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == type_url.size()) {
      return Fail(problem, "expected @type, the URL of a type (type.googleapis.com/pkg.Message)");
    }
    const std::string full_name = type_url.substr(slash + 1);
    const plan::MessagePlan* const message = options.resolve == nullptr ? nullptr : options.resolve(full_name);
    if (message == nullptr) return Fail(problem, absl::StrCat("the message type ", full_name, " of @type is not known"));

    wire_internal::AppendBytes(1, type_url, out);
    const JsonType& type = types.Of(*message);
    LengthDelimited serialized(2, out);
    const bool ok = type.is_well_known() ? ReadAnyValue(object, type, depth, out, problem)
                                         : ReadFields(object, type, depth + 1, /*in_any=*/true, out, problem);
    if (ok) serialized.End();
    return ok;
  }

  // The well-known type that is the "value" of an Any.
  bool ReadAnyValue(ondemand::object& object, const JsonType& type, int depth, std::string& out, Problem& problem) {
    bool found = false;
    bool has_type = false;
    for (auto each : object) {
      ondemand::field pair;
      if (const auto error = std::move(each).get(pair)) return Fail(problem, error);
      std::string_view name;
      if (!ReadName(pair, &name, problem)) return false;
      if (name == "@type" && !std::exchange(has_type, true)) {
        if (!Skip(pair.value(), depth, problem)) return false;
      } else if (name == "value" && !std::exchange(found, true)) {
        ondemand::value value = pair.value();
        if (!ReadMessage(value, type, depth + 1, out, problem)) return In("value", problem);
      } else if (name != "value" && options.ignore_unknown_names) {
        if (!Skip(pair.value(), depth, problem)) return false;
      } else {
        return Fail(problem, absl::StrCat("expected @type and value, each once, as Any has ", ToAbsl(type.plan->full_name)));
      }
    }
    const bool may_lack = type.plan->full_name == "google.protobuf.Empty";
    return found || may_lack || Fail(problem, absl::StrCat("expected value, as Any has ", ToAbsl(type.plan->full_name)));
  }

  // Calls use(*this, value) for the one value of `json`. The value is read as the element of a list, since simdjson goes into
  // lists and objects only.
  template <typename Use>
  bool ReadWhole(std::string_view json, Problem& problem, size_t* byte, const Use& use) {
    *byte = 0;
    text.clear();
    text.reserve(json.size() + 2 + simdjson::SIMDJSON_PADDING);
    text += '[';
    text += json;
    text += ']';
    const size_t size = text.size();
    text.resize(size + simdjson::SIMDJSON_PADDING);
    readable_end = text.data() + size;
    ondemand::document document;
    if (const auto error = parser.iterate(text.data(), size, text.size()).get(document)) return Fail(problem, error);
    const bool ok = ReadOnly(document, problem, use);
    const char* location = nullptr;
    if (!ok) {
      const bool known = document.current_location().get(location) == simdjson::SUCCESS && location > text.data();
      *byte = std::min(known ? static_cast<size_t>(location - text.data()) - 1 : json.size(), json.size());
    }
    return ok;
  }

  template <typename Use>
  bool ReadOnly(ondemand::document& document, Problem& problem, const Use& use) {
    ondemand::array list;
    if (const auto error = document.get_array().get(list)) return Fail(problem, error);
    bool found = false;
    for (auto each : list) {
      ondemand::value value;
      const auto error = std::move(each).get(value);
      if (std::exchange(found, true)) return Fail(problem, "something follows the value");
      if (error != simdjson::SUCCESS) return Fail(problem, error);
      if (!use(*this, value)) return false;
    }
    if (!found) return Fail(problem, simdjson::EMPTY);
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return Fail(problem, "something follows the value");
    return true;
  }
};

MessageReader::MessageReader(JsonTypes& types, const MessageJsonOptions& options)
    : impl_(std::make_unique<Impl>(types, options)) {}
MessageReader::~MessageReader() = default;

bool MessageReader::Read(std::string_view json, const JsonType& type, std::string& out, Problem& problem, size_t* byte) {
  return impl_->ReadWhole(json, problem, byte, [&](Impl& reader, ondemand::value& value) {
    return reader.ReadMessage(value, type, 0, out, problem);
  });
}

}  // namespace structtensor::json_internal
