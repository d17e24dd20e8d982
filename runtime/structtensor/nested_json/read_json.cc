#include "structtensor/nested_json/read_json.h"

// Errors are returned as values. Code of simdjson that would throw does not compile.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/nested_json/internal/json_column.h"

namespace structtensor {
namespace {

using nested_json_internal::JsonColumn;
using nested_json_internal::Problem;
namespace ondemand = simdjson::ondemand;

constexpr size_t kMaxTextBytes = 0xffffffff - simdjson::SIMDJSON_PADDING;
constexpr std::string_view kWhiteSpace = " \t\r\n";

bool Fail(Problem& problem, std::string text) {
  problem = {.text = std::move(text)};
  return false;
}

std::string TextOf(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "the text is not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string has no end";
    case simdjson::UNESCAPED_CHARS:
      return "a string has a control character that is not escaped";
    case simdjson::EMPTY:
      return "the text ends where a value should be";
    case simdjson::DEPTH_ERROR:
      return absl::StrCat("lists and objects are deeper than ", kMaxJsonDepth);
    case simdjson::STRING_ERROR:
      return "a string has a wrong escape";
    case simdjson::NUMBER_ERROR:
      return "a number is malformed or out of range";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "a list or an object has no end";
    case simdjson::TRAILING_CONTENT:
      return "something follows the value";
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
      return "there is no memory for the text";
    default:
      return "this is not JSON";
  }
}

bool Fail(Problem& problem, simdjson::error_code error) {
  const bool memory = error == simdjson::MEMALLOC || error == simdjson::CAPACITY;
  problem = {.code = memory ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kInvalidArgument,
             .text = TextOf(error),
             .is_syntax = true};
  return false;
}

bool IsAtEnd(ondemand::document& document) { return document.current_location().error() == simdjson::OUT_OF_BOUNDS; }

// Puts a name in front of a problem's path. So paths like "a.b[]" are built from the inside out.
bool In(std::string_view name, Problem& problem) {
  const bool is_joined = problem.path.empty() || problem.path.front() == '[';
  problem.path = absl::StrCat(ToAbsl(name), is_joined ? "" : ".", problem.path);
  return false;
}

// Reads values of one text into columns.
class ValueReader {
 public:
  ValueReader(const ondemand::parser& parser, bool ignore_extra_fields)
      : parser_(parser), ignore_extra_fields_(ignore_extra_fields) {}

  // The end of the text that may be read, padding included.
  void SetReadableEnd(const char* end) { readable_end_ = end; }

  bool Read(ondemand::value value, JsonColumn& column, int depth, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type != ondemand::json_type::null && type != ondemand::json_type::array) {
      // A single value stands for a list with that value.
      if (column.optional_item() != nullptr && !(column.is_map() && type == ondemand::json_type::object)) {
        JsonColumn* const item = column.BeginList(problem);
        return item != nullptr && Read(value, *item, depth, problem) && column.EndList(problem);
      }
    }
    switch (type) {
      case ondemand::json_type::object:
        return ReadObject(value, column, depth, problem);
      case ondemand::json_type::array:
        return ReadList(value, column, depth, problem);
      case ondemand::json_type::string:
        return ReadString(value, column, problem);
      case ondemand::json_type::number:
        return ReadNumber(value, column, problem);
      case ondemand::json_type::boolean: {
        bool boolean;
        if (const auto error = value.get_bool().get(boolean)) return Fail(problem, error);
        return column.AddBool(boolean, problem);
      }
      case ondemand::json_type::null:
        return ReadNull(value, column, problem);
      case ondemand::json_type::unknown:
        break;
    }
    return Fail(problem, simdjson::TAPE_ERROR);
  }

  // `object` comes from a document or a value. Requires: column.BeginStruct() was called.
  bool ReadFields(ondemand::object object, JsonColumn& column, int depth, Problem& problem) {
    for (auto each : object) {
      ondemand::field field;
      if (const auto error = std::move(each).get(field)) return Fail(problem, error);
      const char* const key = field.key().raw();
      bool is_known = true;
      bool ignored = false;
      const auto name = [&]() { return Unescaped(field.key(), &is_known); };
      JsonColumn* const found = column.FindField(key, static_cast<size_t>(readable_end_ - key), name, &ignored, problem);
      if (!is_known) return Fail(problem, simdjson::STRING_ERROR);
      if (found == nullptr) {
        if (ignored && ignore_extra_fields_) {
          if (!Skip(field.value(), depth + 1, problem)) return In(name(), problem);
          continue;
        }
        return In(name(), problem);
      }
      if (!Read(field.value(), *found, depth + 1, problem)) return In(name(), problem);
    }
    return column.EndStruct(problem);
  }

 private:
  bool ReadObject(ondemand::value& value, JsonColumn& column, int depth, Problem& problem) {
    if (depth >= kMaxJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
    // Before simdjson goes into the object: an error can still tell where the object begins.
    if (column.is_map() ? column.BeginList(problem) == nullptr : !column.BeginStruct(problem)) return false;
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return Fail(problem, error);
    if (!column.is_map()) return ReadFields(object, column, depth, problem);
    absl::flat_hash_set<std::string> keys;
    for (auto each : object) {
      ondemand::field field;
      if (const auto error = std::move(each).get(field)) return Fail(problem, error);
      bool is_known = true;
      const std::string key(Unescaped(field.key(), &is_known));
      if (!is_known) return Fail(problem, simdjson::STRING_ERROR);
      const bool is_new = keys.insert(key).second || Fail(problem, "the object has this name twice");
      JsonColumn* const found = is_new ? column.AddMapKey(key, problem) : nullptr;
      if (found == nullptr || !Read(field.value(), *found, depth + 1, problem) || !column.EndMapEntry(problem)) {
        return In(absl::StrCat("[\"", key, "\"]"), problem);
      }
    }
    return column.EndList(problem);
  }

  static bool ReadNull(ondemand::value& value, JsonColumn& column, Problem& problem) {
    bool is_null = false;
    if (const auto error = value.is_null().get(is_null)) return Fail(problem, error);
    return is_null ? column.AddNull(problem) : Fail(problem, simdjson::N_ATOM_ERROR);
  }

  bool ReadList(ondemand::value& value, JsonColumn& column, int depth, Problem& problem) {
    if (depth >= kMaxJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
    JsonColumn* const items = column.BeginList(problem);
    if (items == nullptr) return false;
    ondemand::array list;
    if (const auto error = value.get_array().get(list)) return Fail(problem, error);
    int64_t index = 0;
    for (auto each : list) {
      ondemand::value item;
      if (const auto error = std::move(each).get(item)) return Fail(problem, error);
      if (!Read(item, *items, depth + 1, problem)) return In(absl::StrCat("[", index, "]"), problem);
      ++index;
    }
    return column.EndList(problem);
  }

  // The token of a string ends with its quote and perhaps white space. Most strings have no escapes and are appended as they
  // are. simdjson has checked their UTF-8 and looked for control characters.
  bool ReadString(ondemand::value& value, JsonColumn& column, Problem& problem) {
    const std::string_view token = value.raw_json_token();
    const size_t end = token.find_last_not_of(kWhiteSpace);
    if (token.size() < 2 || end == 0 || end == std::string_view::npos || token[end] != '"')
      return Fail(problem, simdjson::UNCLOSED_STRING);
    const std::string_view text = token.substr(1, end - 1);
    if (std::memchr(text.data(), '\\', text.size()) == nullptr) return column.AddText(text, problem);
    bool is_known = true;
    ondemand::raw_json_string raw;
    if (const auto error = value.get_raw_json_string().get(raw)) return Fail(problem, error);
    const std::string_view unescaped = Unescaped(raw, &is_known, text.size());
    if (!is_known) return Fail(problem, simdjson::STRING_ERROR);
    return column.AddText(unescaped, problem);
  }

  bool ReadNumber(ondemand::value& value, JsonColumn& column, Problem& problem) {
    // A shortcut for integers with few digits. Most numbers are such integers.
    const std::string_view token = value.raw_json_token();
    size_t i = token[0] == '-' ? 1 : 0;
    const size_t first = i;
    int64_t integer = 0;
    while (i < token.size() && i < first + 18 && token[i] >= '0' && token[i] <= '9')
      integer = 10 * integer + (token[i++] - '0');
    const bool is_integer = i > first && (token[first] != '0' || i == first + 1) &&
                            token.find_first_not_of(kWhiteSpace, i) == std::string_view::npos;
    if (is_integer) return column.AddInt64(first == 1 ? -integer : integer, problem);

    ondemand::number number;
    const auto error = value.get_number().get(number);
    if (error != simdjson::SUCCESS || number.get_number_type() == ondemand::number_type::big_integer) {
      // An integer with too many digits for 64 bits is still a number.
      double real;
      const bool may_be_big = error == simdjson::SUCCESS || error == simdjson::BIGINT_ERROR ||
                              error == simdjson::NUMBER_ERROR || error == simdjson::NUMBER_OUT_OF_RANGE;
      if (!may_be_big || value.get_double().get(real) != simdjson::SUCCESS) return Fail(problem, simdjson::NUMBER_ERROR);
      if (column.kind() == JsonColumn::Kind::kDouble) return column.AddDouble(real, problem);
      return Fail(problem,
                  absl::StrCat("the integer ", ToAbsl(token.substr(0, token.find_last_not_of(kWhiteSpace) + 1).substr(0, 40)),
                               " is outside int64 and uint64"));
    }
    switch (number.get_number_type()) {
      case ondemand::number_type::floating_point_number:
        return column.AddDouble(number.get_double(), problem);
      case ondemand::number_type::signed_integer:
        return column.AddInt64(number.get_int64(), problem);
      case ondemand::number_type::unsigned_integer:
        return column.AddUint64(number.get_uint64(), problem);
      case ondemand::number_type::big_integer:
        break;
    }
    return Fail(problem, simdjson::NUMBER_ERROR);
  }

  // Goes through a value that is not needed, so that errors in it are found.
  bool Skip(ondemand::value value, int depth, Problem& problem) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return Fail(problem, error);
    if (type == ondemand::json_type::object) {
      if (depth >= kMaxJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
      ondemand::object object;
      if (const auto error = value.get_object().get(object)) return Fail(problem, error);
      for (auto each : object) {
        ondemand::field field;
        if (const auto error = std::move(each).get(field)) return Fail(problem, error);
        bool is_known = true;
        Unescaped(field.key(), &is_known);
        if (!is_known) return Fail(problem, simdjson::STRING_ERROR);
        if (!Skip(field.value(), depth + 1, problem)) return false;
      }
      return true;
    }
    if (type == ondemand::json_type::array) {
      if (depth >= kMaxJsonDepth) return Fail(problem, simdjson::DEPTH_ERROR);
      ondemand::array list;
      if (const auto error = value.get_array().get(list)) return Fail(problem, error);
      for (auto each : list) {
        ondemand::value item;
        if (const auto error = std::move(each).get(item)) return Fail(problem, error);
        if (!Skip(item, depth + 1, problem)) return false;
      }
      return true;
    }
    JsonColumn nowhere;
    return Read(value, nowhere, depth, problem);
  }

  // The result is valid until the next call.
  std::string_view Unescaped(ondemand::raw_json_string raw, bool* is_known, size_t raw_size = std::string_view::npos) {
    const char* const begin = raw.raw();
    if (raw_size == std::string_view::npos) {
      const char* end = begin;
      while (end < readable_end_ && *end != '"') end += *end == '\\' ? 2 : 1;
      raw_size = static_cast<size_t>(std::min(end, readable_end_) - begin);
      if (std::memchr(begin, '\\', raw_size) == nullptr) return {begin, raw_size};
    }
    if (unescaped_.size() < raw_size + simdjson::SIMDJSON_PADDING)
      unescaped_.resize(2 * (raw_size + simdjson::SIMDJSON_PADDING));
    auto* out = reinterpret_cast<uint8_t*>(unescaped_.data());
    std::string_view text;
    // Halves of surrogate pairs that stand alone would become bytes that are not UTF-8.
    *is_known = parser_.unescape(raw, out).get(text) == simdjson::SUCCESS && simdjson::validate_utf8(text.data(), text.size());
    return *is_known ? text : std::string_view(begin, raw_size);
  }

  const ondemand::parser& parser_;
  const bool ignore_extra_fields_;
  const char* readable_end_ = nullptr;
  std::string unescaped_;
};

class RowReader {
 public:
  RowReader(std::string_view text, const JsonReadOptions& options, JsonColumn& rows)
      : text_(text), options_(options), rows_(rows), values_(parser_, options.ignore_extra_fields) {}

  absl::Status ReadLines() {
    size_t begin = 0;
    while (begin < text_.size()) {
      ++line_;
      line_begin_ = begin;
      const size_t found = text_.find('\n', begin);
      const size_t end = found == std::string_view::npos ? text_.size() : found;
      const std::string_view line = text_.substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(kWhiteSpace) == std::string_view::npos) continue;
      STRUCTTENSOR_RETURN_IF_ERROR(ReadText(line));
    }
    return absl::OkStatus();
  }

  absl::Status ReadDocument() {
    line_ = 1;
    if (text_.find_first_not_of(kWhiteSpace) == std::string_view::npos) return absl::OkStatus();
    return ReadText(text_);
  }

  std::vector<JsonRowError> TakeErrors() { return std::move(errors_); }

 private:
  // Reads a row or a list of rows. `text` is a part of text_.
  absl::Status ReadText(std::string_view text) {
    Problem problem;
    const char* begin = text.data();
    // simdjson reads a little behind the end of the text.
    if (text.data() + text.size() + simdjson::SIMDJSON_PADDING > text_.data() + text_.size()) {
      padded_.assign(text);
      padded_.resize(text.size() + simdjson::SIMDJSON_PADDING);
      begin = padded_.data();
    }
    values_.SetReadableEnd(begin + text.size() + simdjson::SIMDJSON_PADDING);
    const size_t offset = static_cast<size_t>(text.data() - text_.data());
    ondemand::document document;
    const auto error = parser_.iterate(begin, text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
    if (error != simdjson::SUCCESS) {
      Fail(problem, error);
      return Told(problem, offset);
    }
    bool ok = true;
    ondemand::json_type type;
    if (const auto type_error = document.type().get(type)) {
      ok = Fail(problem, type_error);
    } else if (type == ondemand::json_type::object) {
      ondemand::object object;
      const auto object_error = document.get_object().get(object);
      ok = object_error == simdjson::SUCCESS ? ReadRow(object, problem) : Fail(problem, object_error);
    } else if (type == ondemand::json_type::array && options_.layout != JsonReadOptions::Layout::kLines) {
      return ReadRows(document, begin, offset);
    } else if (type == ondemand::json_type::unknown) {
      ok = Fail(problem, simdjson::TAPE_ERROR);
    } else {
      ok = Fail(problem, "a row is an object");
    }
    if (ok && !IsAtEnd(document)) {
      rows_.Truncate(rows_.size() - 1);
      ok = Fail(problem, simdjson::TRAILING_CONTENT);
    }
    return ok ? absl::OkStatus() : Told(problem, offset + Position(document, begin, text.size()));
  }

  bool ReadRow(ondemand::object& object, Problem& problem) {
    const int64_t before = rows_.size();
    if (rows_.BeginStruct(problem) && values_.ReadFields(object, rows_, 0, problem)) return true;
    rows_.Truncate(before);
    return false;
  }

  absl::Status ReadRows(ondemand::document& document, const char* begin, size_t offset) {
    const size_t size = text_.size() - offset;
    Problem problem;
    ondemand::array list;
    if (const auto error = document.get_array().get(list)) {
      Fail(problem, error);
      return Told(problem, offset + Position(document, begin, size));
    }
    for (auto each : list) {
      ondemand::value item;
      if (const auto error = std::move(each).get(item)) {
        Fail(problem, error);
        return Told(problem, offset + Position(document, begin, size));
      }
      problem = {};
      ondemand::object object;
      const auto error = item.get_object().get(object);
      const bool ok = error == simdjson::SUCCESS          ? ReadRow(object, problem)
                      : error == simdjson::INCORRECT_TYPE ? Fail(problem, "a row is an object")
                                                          : Fail(problem, error);
      if (ok) continue;
      STRUCTTENSOR_RETURN_IF_ERROR(Told(problem, offset + Position(document, begin, size)));
      // There is no way to tell where the next row begins.
      if (problem.is_syntax) return absl::OkStatus();
    }
    if (!IsAtEnd(document)) {
      Fail(problem, simdjson::TRAILING_CONTENT);
      return Told(problem, offset + Position(document, begin, size));
    }
    return absl::OkStatus();
  }

  // Returns how far reading got in the text that begins at `begin`.
  static size_t Position(ondemand::document& document, const char* begin, size_t size) {
    const char* location = nullptr;
    if (document.current_location().get(location) != simdjson::SUCCESS || location < begin) return size;
    return std::min(static_cast<size_t>(location - begin), size);
  }

  // Returns the error of the row. If rows may be skipped, adds the error to errors_ instead.
  absl::Status Told(const Problem& problem, size_t position) {
    // Goes on to the line of the position. Positions only increase, so no text is searched twice, however many rows are
    // damaged.
    for (size_t end = text_.find('\n', line_begin_); end < position; end = text_.find('\n', line_begin_)) {
      ++line_;
      line_begin_ = end + 1;
    }
    JsonRowError error;
    error.line = line_;
    error.column = static_cast<int64_t>(std::max(position, line_begin_) - line_begin_) + 1;
    error.message = problem.path.empty() ? problem.text : absl::StrCat(problem.path, ": ", problem.text);
    if (options_.on_error == JsonReadOptions::OnError::kSkip && problem.code == absl::StatusCode::kInvalidArgument) {
      errors_.push_back(std::move(error));
      return absl::OkStatus();
    }
    return absl::Status(problem.code, absl::StrCat("line ", error.line, ", column ", error.column, ": ", error.message));
  }

  const std::string_view text_;
  const JsonReadOptions& options_;
  JsonColumn& rows_;
  ondemand::parser parser_;
  ValueReader values_;
  std::string padded_;
  // The line that is being read. For a document: the line of the last error.
  int64_t line_ = 0;
  size_t line_begin_ = 0;
  std::vector<JsonRowError> errors_;
};

// Whether the text is one document, by the rule of JsonReadOptions::Layout::kAuto.
bool IsDocument(std::string_view text) {
  const size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos || text[first] != '{') return true;
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  return line[line.find_last_not_of(kWhiteSpace)] != '}';
}

}  // namespace

absl::StatusOr<JsonRows> ReadJson(std::string_view text, const JsonReadOptions& options) {
  if (text.size() > kMaxTextBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the text has ", text.size(), " bytes; 4 GiB can be read at a time"));
  }
  auto rows = std::make_unique<JsonColumn>();
  if (options.spec.has_value()) {
    if (!options.spec->shape().rank_known() || options.spec->rank() != 1) {
      return absl::InvalidArgumentError("the spec of rows has rank 1");
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(rows, JsonColumn::FromSpec(*options.spec, 0));
  } else {
    Problem none;
    rows->BeginStruct(none);
  }
  RowReader reader(text, options, *rows);
  const bool is_document = options.layout == JsonReadOptions::Layout::kDocument ||
                           (options.layout == JsonReadOptions::Layout::kAuto && IsDocument(text));
  STRUCTTENSOR_RETURN_IF_ERROR(is_document ? reader.ReadDocument() : reader.ReadLines());
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, rows->Finish({}, options.infer_timestamps));
  return JsonRows{*value.structured(), reader.TakeErrors()};
}

}  // namespace structtensor
