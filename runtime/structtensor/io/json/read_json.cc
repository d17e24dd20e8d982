#include "structtensor/io/json/read_json.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/json_lines.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/parallel_for.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/json/internal/json_column.h"
#include "structtensor/io/json/internal/json_cursor.h"
#include "structtensor/io/json/internal/json_number.h"

namespace structtensor {
namespace {

using json_internal::AbsentValues;
using json_internal::Fail;
using json_internal::FailTooDeep;
using json_internal::In;
using json_internal::JsonColumn;
using json_internal::JsonCursor;
using json_internal::JsonKind;
using json_internal::Problem;

constexpr size_t kMaxTextBytes = simdjson::SIMDJSON_MAXSIZE_BYTES;
constexpr std::string_view kWhiteSpace = " \t\r\n";

// Reads values of one text into columns.
class ValueReader {
 public:
  ValueReader(JsonCursor& cursor, bool ignore_extra_fields) : cursor_(cursor), ignore_extra_fields_(ignore_extra_fields) {}

  // Reads the fields of the next value, an object. Requires: column.BeginStruct() was called.
  bool ReadFields(JsonColumn& column, int depth, Problem& problem) {
    const bool ok = cursor_.ForEachName(problem, [&](std::string_view raw) {
      bool ignored = false;
      JsonColumn* found = column.FindExpectedField(raw, cursor_.ReadableFrom(raw));
      if (found == nullptr) [[unlikely]] {
        std::string_view name;
        if (!cursor_.Unescape(raw, &name, problem)) return false;
        found = column.FindField(name, &ignored, problem);
      }
      if (found == nullptr) {
        if (!ignored || !ignore_extra_fields_) return InField(raw, problem);
        problem = {};
        return cursor_.Skip(depth + 1, kMaxJsonDepth, problem) || InField(raw, problem);
      }
      return Read(*found, depth + 1, problem) || InField(raw, problem);
    });
    return ok && column.EndStruct(problem);
  }

 private:
  bool Read(JsonColumn& column, int depth, Problem& problem) {
    const JsonKind kind = cursor_.PeekKind();
    if (column.optional_item() != nullptr && kind != JsonKind::kNull && kind != JsonKind::kList &&
        !(column.is_map() && kind == JsonKind::kObject)) {
      // A single value is read as a list with that value.
      JsonColumn* const item = column.BeginList(problem);
      return item != nullptr && Read(*item, depth, problem) && column.EndList(problem);
    }
    switch (kind) {
      case JsonKind::kObject:
        return ReadObject(column, depth, problem);
      case JsonKind::kList:
        return ReadList(column, depth, problem);
      case JsonKind::kString: {
        std::string_view text;
        return cursor_.ReadString(&text, problem) && column.AddText(text, problem);
      }
      case JsonKind::kNumber:
        return ReadNumber(column, problem);
      case JsonKind::kBool: {
        bool boolean;
        return cursor_.TakeBool(&boolean) ? column.AddBool(boolean, problem) : Fail(problem, simdjson::TAPE_ERROR);
      }
      case JsonKind::kNull: {
        bool is_null;
        return cursor_.TakeNull(&is_null, problem) && column.AddNull(problem);
      }
      case JsonKind::kNone:
        break;
    }
    return cursor_.FailAtNothing(problem);
  }

  bool ReadObject(JsonColumn& column, int depth, Problem& problem) {
    if (depth >= kMaxJsonDepth) return FailTooDeep(kMaxJsonDepth, problem);
    if (!column.is_map()) return column.BeginStruct(problem) && ReadFields(column, depth, problem);
    if (column.BeginList(problem) == nullptr) return false;
    absl::flat_hash_set<std::string> keys;
    const bool ok = cursor_.ForEachName(problem, [&](std::string_view raw) {
      std::string_view content;
      if (!cursor_.Unescape(raw, &content, problem)) return false;
      const std::string key(content);
      const bool is_new = keys.insert(key).second || Fail(problem, "the object has this name twice");
      JsonColumn* const found = is_new ? column.AddMapKey(key, problem) : nullptr;
      if (found == nullptr || !Read(*found, depth + 1, problem) || !column.EndMapEntry(problem)) {
        return In(absl::StrCat("[\"", key, "\"]"), problem);
      }
      return true;
    });
    return ok && column.EndList(problem);
  }

  bool ReadList(JsonColumn& column, int depth, Problem& problem) {
    if (depth >= kMaxJsonDepth) return FailTooDeep(kMaxJsonDepth, problem);
    JsonColumn* const items = column.BeginList(problem);
    if (items == nullptr) return false;
    int64_t index = 0;
    const bool ok = cursor_.ForEachItem(problem, [&] {
      if (!Read(*items, depth + 1, problem)) return In(absl::StrCat("[", index, "]"), problem);
      ++index;
      return true;
    });
    return ok && column.EndList(problem);
  }

  bool ReadNumber(JsonColumn& column, Problem& problem) {
    const std::string_view token = cursor_.Take();
    // Most numbers are integers with few digits.
    const bool is_negative = token[0] == '-';
    const std::string_view magnitude(token.data() + (is_negative ? 1 : 0), token.size() - (is_negative ? 1 : 0));
    constexpr size_t kMaxDigits = 18;
    uint64_t digits;
    if (magnitude.size() <= kMaxDigits && json_internal::ParseDigits(magnitude, cursor_.ReadableFrom(magnitude), &digits)) {
      if (is_negative && digits == 0) return column.AddMinusZero(problem);
      const auto integer = static_cast<int64_t>(digits);
      return column.AddInt64(is_negative ? -integer : integer, problem);
    }
    double real;  // longer integers are not simple
    if (!column.wants_integers() && json_internal::ParseSimpleDouble(token, &real)) return column.AddDouble(real, problem);
    return ReadOtherNumber(token, column, problem);
  }

  static bool ReadOtherNumber(std::string_view token, JsonColumn& column, Problem& problem) {
    if (!json_internal::IsJsonNumber(token)) return Fail(problem, simdjson::NUMBER_ERROR);
    const bool is_integer = token.find_first_of(".eE") == std::string_view::npos;
    if (is_integer || column.wants_integers()) {
      if (const auto integer = json_internal::ParseInteger<int64_t>(token)) return column.AddInt64(*integer, problem);
      if (const auto integer = json_internal::ParseInteger<uint64_t>(token)) return column.AddUint64(*integer, problem);
    }
    const std::optional<double> real = json_internal::ParseReal<double>(token);
    if (!real.has_value()) {
      return Fail(problem, absl::StrCat("the number ", Shortened(token), " is outside double"));
    }
    // An integer with too many digits for 64 bits is still a number.
    if (!is_integer || column.kind() == JsonColumn::Kind::kDouble) return column.AddDouble(*real, problem);
    return Fail(problem, absl::StrCat("the integer ", Shortened(token), " is outside int64 and uint64"));
  }

  // Adds the name of a field to the path. Returns false.
  bool InField(std::string_view raw, Problem& problem) {
    std::string_view name;
    Problem ignored;
    return In(cursor_.Unescape(raw, &name, ignored) ? name : raw, problem);
  }

  JsonCursor& cursor_;
  const bool ignore_extra_fields_;
};

class RowReader {
 public:
  // `absent`: of the rows' columns.
  RowReader(std::string_view text, const JsonReadOptions& options, const AbsentValues& absent, JsonColumn& rows)
      : text_(text), options_(options), absent_(absent), rows_(rows), values_(cursor_, options.ignore_extra_fields) {}

  // Stops when `go_on`, which may be null, is false.
  absl::Status ReadLines(const std::atomic<bool>* go_on = nullptr) {
    size_t begin = 0;
    while (begin < text_.size() && (go_on == nullptr || go_on->load(std::memory_order_relaxed))) {
      ++line_;
      line_begin_ = begin;
      const size_t found = text_.find('\n', begin);
      const size_t end = found == std::string_view::npos ? text_.size() : found;
      const std::string_view line = text_.substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(kWhiteSpace) == std::string_view::npos) continue;
      STRUCTTENSOR_RETURN_IF_ERROR(ReadText(line, /*is_document=*/false));
    }
    return absl::OkStatus();
  }

  absl::Status ReadDocument() {
    line_ = 1;
    if (text_.find_first_not_of(kWhiteSpace) == std::string_view::npos) return absl::OkStatus();
    return ReadText(text_, /*is_document=*/true);
  }

  bool has_errors() const { return !errors_.empty(); }
  std::vector<JsonRowError> TakeErrors() { return std::move(errors_); }

 private:
  // Why a text cannot be read from some place on.
  struct Cut {
    Problem problem;
    size_t position;
  };

  // Reads a row or, in a document, a list of rows. `text` is a part of text_.
  absl::Status ReadText(std::string_view text, bool is_document) {
    const size_t offset = static_cast<size_t>(text.data() - text_.data());
    Problem problem;
    if (!cursor_.Start(text, problem)) {
      const Cut cut{problem, offset + cursor_.byte()};
      // The rows before it can be read.
      const bool may_skip = options_.on_error == JsonReadOptions::OnError::kSkip;
      Problem none;
      if (may_skip && is_document && cursor_.valid_prefix_bytes() > 0 &&
          cursor_.Start(text.substr(0, cursor_.valid_prefix_bytes()), none) && cursor_.PeekKind() == JsonKind::kList) {
        return ReadRows(offset, &cut);
      }
      return Report(cut.problem, cut.position);
    }
    const JsonKind kind = cursor_.PeekKind();
    if (kind == JsonKind::kList && is_document) return ReadRows(offset, nullptr);
    bool ok = kind == JsonKind::kNone ? cursor_.FailAtNothing(problem) : ReadRow(problem);
    if (ok && !cursor_.at_end()) {
      rows_.Truncate(rows_.size() - 1);
      cursor_.Peek();
      ok = Fail(problem, simdjson::TRAILING_CONTENT);
    }
    return ok ? absl::OkStatus() : Report(problem, offset + cursor_.byte());
  }

  bool ReadRow(Problem& problem) {
    if (cursor_.PeekKind() != JsonKind::kObject) return Fail(problem, "a row is an object");
    const int64_t before = rows_.size();
    const bool ok = rows_.BeginStruct(problem) && values_.ReadFields(rows_, 0, problem);
    if (absent_.left < 0) [[unlikely]] {
      problem = json_internal::TooManyAbsentValues();
      return false;
    }
    if (!ok) rows_.Truncate(before);
    return ok;
  }

  // `cut`: null, or why the list ends too early.
  absl::Status ReadRows(size_t offset, const Cut* cut) {
    Problem problem;
    absl::Status status;
    const bool ok = cursor_.ForEachItem(problem, [&] {
      const uint32_t* const row = cursor_.mark();
      if (ReadRow(problem)) return true;
      // There is no way to know where the next row begins.
      if (problem.is_syntax) return false;
      status = Report(problem, offset + cursor_.byte());
      problem = {};
      cursor_.ReturnTo(row);
      cursor_.PassOver();
      return status.ok();
    });
    if (!status.ok()) return status;
    if (cut != nullptr && cursor_.at_end()) return Report(cut->problem, cut->position);
    if (!ok) return Report(problem, offset + cursor_.byte());
    if (cursor_.at_end()) return absl::OkStatus();
    cursor_.Peek();
    Fail(problem, simdjson::TRAILING_CONTENT);
    return Report(problem, offset + cursor_.byte());
  }

  // Returns the error of the row. If rows may be skipped, adds the error to errors_ instead.
  absl::Status Report(const Problem& problem, size_t position) {
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
  const AbsentValues& absent_;
  JsonColumn& rows_;
  JsonCursor cursor_;
  ValueReader values_;
  // The line that is being read. For a document: the line of the last error.
  int64_t line_ = 0;
  size_t line_begin_ = 0;
  std::vector<JsonRowError> errors_;
};

// Whether the text is one document, by the rule of JsonReadOptions::Layout::kAuto.
bool IsDocument(std::string_view text) {
  if (base_internal::HasObjectsOnLines(text)) return false;
  const size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos || text[first] != '{') return true;
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  return line[line.find_last_not_of(kWhiteSpace)] != '}';
}

absl::StatusOr<std::unique_ptr<JsonColumn>> EmptyRows(const JsonReadOptions& options, AbsentValues* absent) {
  if (options.spec.has_value()) return JsonColumn::FromSpec(*options.spec, 0);
  return JsonColumn::OfStructs(absent);
}

// At least half a gigabyte of numbers, and for each byte of the text as much as sparse rows of real data need.
int64_t MaxAbsentValues(std::string_view text) { return (int64_t{1} << 26) + 32 * static_cast<int64_t>(text.size()); }

// Reads the lines in parts, one for each thread, and puts these together. Null if a row cannot be read, or if the parts do not
// fit together: then one thread must find out what is wrong and where. `absent` must outlive the result.
absl::StatusOr<std::unique_ptr<JsonColumn>> ReadParts(std::string_view text, size_t parts, const JsonReadOptions& options,
                                                      AbsentValues* absent) {
  std::vector<AbsentValues> absent_of(parts, {absent->left / static_cast<int64_t>(parts)});
  std::vector<std::unique_ptr<JsonColumn>> columns(parts);
  for (size_t part = 0; part < parts; ++part) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(columns[part], EmptyRows(options, part == 0 ? absent : &absent_of[part]));
  }
  const auto begin_of = [&](size_t part) {
    if (part == 0 || part == parts) return part == 0 ? 0 : text.size();
    const size_t end_of_line = text.find('\n', text.size() / parts * part);
    return end_of_line == std::string_view::npos ? text.size() : end_of_line + 1;
  };
  std::atomic<bool> ok = true;
  base_internal::ParallelFor(parts, parts, [&](size_t part) {
    try {
      const size_t begin = begin_of(part);
      const AbsentValues& absent_here = part == 0 ? *absent : absent_of[part];
      RowReader reader(text.substr(begin, begin_of(part + 1) - begin), options, absent_here, *columns[part]);
      if (!reader.ReadLines(&ok).ok() || reader.has_errors()) ok = false;
    } catch (const std::bad_alloc&) {
      ok = false;  // an exception must not leave a thread; the caller's thread may throw it
    }
  });
  for (size_t part = 1; part < parts && ok; ++part) {
    ok = columns[0]->Append(*columns[part]);
    columns[part].reset();
  }
  return ok ? std::move(columns[0]) : nullptr;
}

}  // namespace

absl::StatusOr<JsonRows> ReadJson(std::string_view text, const JsonReadOptions& options) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some programs put it before UTF-8
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.size() > kMaxTextBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the text has ", text.size(), " bytes; 4 GiB can be read at a time"));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(base_internal::CheckEnum("layout", options.layout, JsonReadOptions::Layout::kDocument,
                                                        "kAuto (0), kLines (1) or kDocument (2)"));
  STRUCTTENSOR_RETURN_IF_ERROR(
      base_internal::CheckEnum("on_error", options.on_error, JsonReadOptions::OnError::kSkip, "kFail (0) or kSkip (1)"));
  if (options.threads < 1) return base_internal::UnexpectedOption("threads", std::to_string(options.threads), "1 or more");
  if (options.spec.has_value() && (!options.spec->shape().rank_known() || options.spec->rank() != 1)) {
    return absl::InvalidArgumentError(absl::StrCat("expected a spec of rank 1; found ", options.spec->shape().DebugString()));
  }
  const bool is_document = options.layout == JsonReadOptions::Layout::kDocument ||
                           (options.layout == JsonReadOptions::Layout::kAuto && IsDocument(text));
  constexpr size_t kMinBytesOfPart = size_t{1} << 18;
  constexpr size_t kMaxThreads = 256;
  const size_t parts =
      is_document ? 1 : std::min({static_cast<size_t>(options.threads), kMaxThreads, text.size() / kMinBytesOfPart});
  if (parts > 1) {
    AbsentValues absent{MaxAbsentValues(text)};
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<JsonColumn> rows, ReadParts(text, parts, options, &absent));
    if (rows != nullptr) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, rows->Finish({}, options.infer_timestamps));
      return JsonRows{*value.structured(), {}};
    }
  }
  AbsentValues absent{MaxAbsentValues(text)};
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<JsonColumn> rows, EmptyRows(options, &absent));
  RowReader reader(text, options, absent, *rows);
  STRUCTTENSOR_RETURN_IF_ERROR(is_document ? reader.ReadDocument() : reader.ReadLines());
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, rows->Finish({}, options.infer_timestamps));
  return JsonRows{*value.structured(), reader.TakeErrors()};
}

}  // namespace structtensor
