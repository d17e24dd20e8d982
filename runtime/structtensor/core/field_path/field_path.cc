#include "structtensor/core/field_path/field_path.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool IsContinuationByte(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }
bool IsControl(char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7f; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether `c` may be in a name without quotes.
bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || static_cast<uint8_t>(c) >= 0x80 || c == '_' ||
         c == '-' || c == '/' || c == '$' || c == '@';
}
bool IsPlainName(std::string_view name) { return !name.empty() && std::all_of(name.begin(), name.end(), IsPlain); }

bool IsIdentifierStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Whether `name` is a full name of protobuf: identifiers with dots between them.
bool IsFullName(std::string_view name) {
  bool starts = true;  // an identifier starts here
  for (const char c : name) {
    if (starts ? !IsIdentifierStart(c) : !(IsIdentifierStart(c) || IsDigit(c) || c == '.')) return false;
    starts = c == '.';
  }
  return !starts;
}

// Whether `name` is the name of an extension's field: a full name in brackets.
bool IsExtension(std::string_view name) {
  return name.size() > 2 && name.front() == '[' && name.back() == ']' && IsFullName(name.substr(1, name.size() - 2));
}

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (IsControl(c)) {
      out += "\\x";
      out += kHexDigits[static_cast<uint8_t>(c) >> 4];
      out += kHexDigits[static_cast<uint8_t>(c) & 0xf];
    } else {
      out += c;
    }
  }
  out += '"';
}

// Reads a path from left to right; `position_` is a byte index into `text_`.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Path::Step>> ParseAll() {
    std::vector<Path::Step> steps;
    if (text_.empty()) return steps;
    if (Peek() != '[' || AtExtension()) STRUCTTENSOR_RETURN_IF_ERROR(ParseComponent(steps));
    while (!AtEnd()) {
      if (Peek() == '.') {
        ++position_;
        STRUCTTENSOR_RETURN_IF_ERROR(ParseComponent(steps));
      } else if (Peek() == '[') {
        STRUCTTENSOR_RETURN_IF_ERROR(ParseSubscript(steps));
      } else {
        constexpr char kComma[] = "expected '.', '[' or the end; a comma does not separate paths, so give each one on its own";
        constexpr char kOther[] = "expected '.', '[' or the end; a name with other characters needs double quotes";
        return Error(position_, Peek() == ',' ? kComma : kOther);
      }
    }
    return steps;
  }

 private:
  bool AtEnd() const { return position_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[position_]; }
  bool AtExtension() const { return Peek() == '[' && position_ + 1 < text_.size() && IsIdentifierStart(text_[position_ + 1]); }

  std::string_view TakePlain() {
    const size_t begin = position_;
    while (!AtEnd() && IsPlain(Peek())) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  // Parses what may be at the beginning and after a dot.
  absl::Status ParseComponent(std::vector<Path::Step>& steps) {
    const size_t begin = position_;
    if (Peek() == '*') {
      ++position_;
      steps.push_back(Path::Step::AnyField());
    } else if (Peek() == '"') {
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::string name, ParseQuoted());
      if (name.empty()) return Error(begin, "a field's name must not be empty");
      steps.push_back(Path::Step::Field(std::move(name)));
    } else if (AtExtension()) {
      const size_t close = text_.find(']', position_);
      if (close == std::string_view::npos) return Error(begin, "'[' without ']'");
      const std::string_view name = text_.substr(begin, close + 1 - begin);
      if (!IsExtension(name)) return Error(begin + 1, "expected the full name of an extension, as in [package.name]");
      position_ = close + 1;
      steps.push_back(Path::Step::Field(std::string(name)));
    } else {
      const std::string_view name = TakePlain();
      if (name.empty()) {
        return Error(position_, begin == 0
                                    ? "expected a name, '*', '[' or a name in double quotes"
                                    : "expected a name, '*', an extension as in [package.name] or a name in double quotes "
                                      "after '.'");
      }
      steps.push_back(Path::Step::Field(std::string(name)));
    }
    return absl::OkStatus();
  }

  // Parses a bracket that follows a name.
  absl::Status ParseSubscript(std::vector<Path::Step>& steps) {
    const size_t begin = ++position_;
    if (Peek() == '*') {
      ++position_;
      steps.push_back(Path::Step::Elements());
    } else if (Peek() == '"') {
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::string key, ParseQuoted());
      steps.push_back(Path::Step::Key(std::move(key)));
    } else if (Peek() == '-' || IsDigit(Peek())) {
      ++position_;
      while (IsDigit(Peek())) ++position_;
      const absl::string_view digits = ToAbsl(text_.substr(begin, position_ - begin));
      int64_t index = 0;
      uint64_t key = 0;
      if (absl::SimpleAtoi(digits, &index)) {
        steps.push_back(Path::Step::Index(index));
      } else if (absl::SimpleAtoi(digits, &key)) {
        steps.push_back(Path::Step::Key(absl::StrCat(key)));
      } else {
        return Error(begin, "expected an integer of at most 64 bits");
      }
    } else if (const std::string_view word = TakePlain(); word == "true" || word == "false") {
      steps.push_back(Path::Step::Key(std::string(word)));
    } else {
      return Error(begin,
                   "expected an integer, true, false, a key in double quotes or '*'; extensions follow a dot: .[package.name]");
    }
    if (AtEnd() || Peek() != ']') return Error(position_, "expected ']'");
    ++position_;
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ParseQuoted() {
    const size_t begin = position_++;
    std::string content;
    while (!AtEnd() && Peek() != '"') {
      if (Peek() != '\\') {
        content += text_[position_++];
        continue;
      }
      const std::optional<char> escaped = TakeEscape();
      if (!escaped) return Error(position_, "unknown escape; there are \\\" \\\\ \\n \\r \\t and \\x with two hex digits");
      content += *escaped;
    }
    if (AtEnd()) return Error(begin, "the double quote is not closed");
    ++position_;
    return content;
  }

  // Takes an escape and returns the character that it means. If there is no such escape, returns nullopt and takes nothing.
  std::optional<char> TakeEscape() {
    const std::string_view rest = text_.substr(position_ + 1);
    constexpr std::string_view kLetters = "nrt\"\\";
    constexpr std::string_view kMeanings = "\n\r\t\"\\";
    if (rest.empty()) return std::nullopt;
    if (const size_t letter = kLetters.find(rest[0]); letter != std::string_view::npos) {
      position_ += 2;
      return kMeanings[letter];
    }
    if (rest[0] != 'x' || rest.size() < 3) return std::nullopt;
    unsigned value = 0;
    for (const char c : rest.substr(1, 2)) {
      const size_t digit = kHexDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(digit);
    }
    position_ += 4;
    return static_cast<char>(value);
  }

  // Shows the text on a line of its own, with a mark under `position`. Long text is cut around the position.
  absl::Status Error(size_t position, std::string_view what) const {
    constexpr size_t kMaxShownBefore = 60;
    constexpr size_t kMaxShownAfter = 40;
    size_t begin = position > kMaxShownBefore ? position - kMaxShownBefore : 0;
    while (begin < position && IsContinuationByte(text_[begin])) ++begin;
    size_t end = std::min(text_.size(), position + kMaxShownAfter);
    while (end < text_.size() && IsContinuationByte(text_[end])) ++end;
    std::string shown = begin > 0 ? "…" : "";
    size_t column = begin > 0 ? 1 : 0;
    for (size_t i = begin; i < end; ++i) {
      // A line break would move the text away from its mark.
      shown += IsControl(text_[i]) ? ' ' : text_[i];
      if (i < position && !IsContinuationByte(text_[i])) ++column;
    }
    if (end < text_.size()) shown += "…";
    return absl::InvalidArgumentError(absl::StrCat("field path, character ", CodePoints(position) + 1, ": ", ToAbsl(what),
                                                   "\n  ", shown, "\n  ", std::string(column, ' '), "^"));
  }
  size_t CodePoints(size_t end) const {
    const std::string_view head = text_.substr(0, end);
    return head.size() - static_cast<size_t>(std::count_if(head.begin(), head.end(), IsContinuationByte));
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

std::string Path::Step::ToString() const {
  switch (kind_) {
    case Kind::kMalformed:
      return text_;
    case Kind::kAnyField:
      return "*";
    case Kind::kElements:
      return "[*]";
    case Kind::kIndex:
      return absl::StrCat("[", index_, "]");
    case Kind::kKey: {
      std::string text = "[";
      AppendQuoted(text_, text);
      return text + "]";
    }
    case Kind::kField:
      break;
  }
  std::string text;
  AppendField(text_, text);
  return text;
}

void AppendField(std::string_view name, std::string& path) {
  if (!path.empty()) path += '.';
  if (IsPlainName(name) || IsExtension(name)) {
    path += name;
  } else {
    AppendQuoted(name, path);
  }
}

Path::Path(std::string_view text) : Path(text.empty() ? Path() : Path({text})) {}
Path::Path(const char* text) : Path(std::string_view(text)) {}
Path::Path(const std::string& text) : Path(std::string_view(text)) {}

Path::Path(std::initializer_list<std::string_view> parts) {
  std::vector<Step> steps;
  for (const std::string_view part : parts) {
    absl::StatusOr<std::vector<Step>> parsed = Parser(part).ParseAll();
    if (part.empty()) {
      steps.push_back(Step::Field(""));
    } else if (parsed.ok()) {
      steps.insert(steps.end(), parsed->begin(), parsed->end());
    } else {
      steps.push_back(Step::Malformed(std::string(part)));
    }
  }
  *this = Path(std::move(steps));
}

Path::Path(std::vector<Step> steps) : size_(steps.size()) {
  if (!steps.empty()) steps_ = std::make_shared<const std::vector<Step>>(std::move(steps));
}

Path Path::FromNames(std::span<const std::string> names) {
  std::vector<Step> steps;
  steps.reserve(names.size());
  for (const std::string& name : names) steps.push_back(Step::Field(name));
  return Path(std::move(steps));
}

absl::StatusOr<Path> Path::Parse(std::string_view text) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Step> steps, Parser(text).ParseAll());
  return Path(std::move(steps));
}

Path Path::Prefix(size_t size) const {
  assert(size <= size_);
  Path prefix = *this;
  prefix.size_ = size;
  return prefix;
}

Path Path::Child(Step step) const {
  std::vector<Step> steps;
  steps.reserve(size_ + 1);
  steps.assign(this->steps().begin(), this->steps().end());
  steps.push_back(std::move(step));
  return Path(std::move(steps));
}

bool Path::StartsWith(const Path& prefix) const {
  if (prefix.size_ > size_) return false;
  const std::span<const Step> first = steps().first(prefix.size_);
  return std::equal(first.begin(), first.end(), prefix.steps().begin());
}

std::string Path::ToString() const {
  std::string text;
  for (const Step& step : steps()) {
    const bool subscript =
        step.kind() == Step::Kind::kIndex || step.kind() == Step::Kind::kKey || step.kind() == Step::Kind::kElements;
    if (!subscript && !text.empty()) text += '.';
    text += step.ToString();
  }
  return text;
}

}  // namespace structtensor
