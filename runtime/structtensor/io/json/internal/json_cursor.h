// Goes through a JSON text from token to token.
//
// simdjson's first stage finds where tokens begin. It also checks that the text is UTF-8, that each string has an end, and that
// no string has a control character. The cursor looks only at the places where tokens begin. A token ends where the next one
// begins, without the white space between them.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_JSON_CURSOR_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_JSON_CURSOR_H_

// Without exceptions, simdjson returns errors as values, and code that could throw does not compile.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "structtensor/io/json/internal/problem.h"

namespace structtensor::json_internal {

// The kind of a value, which its first token determines.
enum class JsonKind : uint8_t { kObject, kList, kString, kNumber, kBool, kNull, kNone };

bool Fail(Problem& problem, simdjson::error_code error);
bool FailTooDeep(int max_depth, Problem& problem);

// Reuse it for one text after another. Functions that return bool return false after a problem, and byte() is then its place.
class JsonCursor {
 public:
  // Moves to the first token of the text. The text must outlive all that is read from it.
  bool Start(std::string_view text, Problem& problem);

  // Whether all tokens have been taken.
  bool at_end() const { return next_ == end_; }
  // The byte of the token that was looked at last. If Start() failed: the first byte that no JSON text has there.
  size_t byte() const { return looked_at_ == end_ ? end_byte_ : *looked_at_; }
  // If Start() failed: how many bytes of the text are before the token with that byte. Start() accepts that part alone.
  size_t valid_prefix_bytes() const { return valid_prefix_bytes_; }

  // The next token's first character; '\0' at the end.
  char Peek() {
    looked_at_ = next_;
    return next_ == end_ ? '\0' : text_[*next_];
  }
  JsonKind PeekKind() {
    switch (Peek()) {
      case '{':
        return JsonKind::kObject;
      case '[':
        return JsonKind::kList;
      case '"':
        return JsonKind::kString;
      case 't':
      case 'f':
        return JsonKind::kBool;
      case 'n':
        return JsonKind::kNull;
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        return JsonKind::kNumber;
      default:
        return JsonKind::kNone;
    }
  }

  // How many bytes of the text there are from the beginning of `part` on; 0 if `part` is not a part of the text.
  size_t ReadableFrom(std::string_view part) const {
    const size_t begin = reinterpret_cast<uintptr_t>(part.data()) - reinterpret_cast<uintptr_t>(text_.data());
    return begin <= text_.size() ? text_.size() - begin : 0;
  }

  // The next token, without the white space after it. Requires: !at_end().
  ABSL_ATTRIBUTE_ALWAYS_INLINE std::string_view Take() {
    looked_at_ = next_;
    const size_t begin = *next_++;
    size_t end = next_ == end_ ? text_.size() : *next_;
    while (end > begin + 1 && IsWhiteSpace(text_[end - 1])) --end;
    return {text_.data() + begin, end - begin};
  }

  // The text between the quotes of the next token. Requires: Peek() == '"'.
  ABSL_ATTRIBUTE_ALWAYS_INLINE std::string_view TakeRawString() {
    const std::string_view token = Take();
    return {token.data() + 1, token.size() - 2};  // the first stage has found both quotes
  }

  // The content of the next token, which must be a string. The content is valid until the next string is read.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool ReadString(std::string_view* content, Problem& problem) {
    if (Peek() != '"') return Fail(problem, "expected a string");
    return Unescape(TakeRawString(), content, problem);
  }

  // The content of a raw string, without escapes. The content is valid until the next string is read.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool Unescape(std::string_view raw, std::string_view* content, Problem& problem) {
    if (HasBackslash(raw)) return UnescapeSlowly(raw, content, problem);
    *content = raw;
    return true;
  }

  // Whether the next value is null; if so, takes it.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool TakeNull(bool* is_null, Problem& problem) {
    *is_null = Peek() == 'n';
    return !*is_null || Is(Take(), "null") || Fail(problem, simdjson::TAPE_ERROR);
  }

  // False if the next token is not "true" or "false".
  bool TakeBool(bool* value) {
    const char first = Peek();
    if (first != 't' && first != 'f') return false;
    *value = first == 't';
    const std::string_view token = Take();
    return *value ? Is(token, "true") : Is(token, "false");
  }

  // What a function that reads ahead has done. (See ForEachItem.)
  enum class ReadAhead : uint8_t {
    kNothing,  // it has gone over any number of items with their commas; an item should come next
    kValue,    // and over one more item, which neither a comma nor the end follows
    kEnd,      // and over the end
    kProblem,
  };

  // Goes into the next list, and calls each() at each item; each() must take the item. Stops if each() returns false. Before
  // each item it calls read_ahead(), which may go over any number of items. Requires: Peek() == '['.
  template <typename Function, typename Each>
  bool ForEachItem(Problem& problem, const Function& read_ahead, const Each& each) {
    return ForEach<']'>(problem, read_ahead, each);
  }
  template <typename Each>
  bool ForEachItem(Problem& problem, const Each& each) {
    return ForEachItem(
        problem, [] { return ReadAhead::kNothing; }, each);
  }

  // As ForEachItem, for the members of an object; calls each(raw name) at each value. Requires: Peek() == '{'.
  template <typename Function, typename Each>
  bool ForEachName(Problem& problem, const Function& read_ahead, const Each& each) {
    return ForEach<'}'>(problem, read_ahead, [&] {
      if (Peek() != '"') return FailAtToken(problem);
      const std::string_view raw = TakeRawString();
      if (Peek() != ':') return FailAtToken(problem);
      looked_at_ = ++next_;  // problems with a name are reported at its value
      return each(raw);
    });
  }
  template <typename Each>
  bool ForEachName(Problem& problem, const Each& each) {
    return ForEachName(
        problem, [] { return ReadAhead::kNothing; }, each);
  }

  // Goes through the next value and finds errors in it: a value that is not needed. `depth`: how many lists and objects it is
  // in.
  bool Skip(int depth, int max_depth, Problem& problem);

  // Skips the next value without checking it, to find out what comes after it.
  void PassOver() {
    int64_t depth = 0;
    while (next_ != end_) {
      const char c = text_[*next_++];
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (depth <= 0) return;
    }
  }

  // For loops that keep the next token in a local variable: the text, the next token, and where the tokens end. A token is the
  // index in the text of its first character.
  std::string_view text() const { return text_; }
  const uint32_t* mark() const { return next_; }
  const uint32_t* end_mark() const { return end_; }
  // Goes to the token at `mark`.
  void ReturnTo(const uint32_t* mark) { next_ = looked_at_ = mark; }

  // Where a value should begin, and does not.
  bool FailAtNothing(Problem& problem) const { return Fail(problem, at_end() ? simdjson::EMPTY : simdjson::TAPE_ERROR); }

  // Runs `look`, then returns to the token where it was before.
  template <typename Look>
  void LookAhead(const Look& look) {
    const uint32_t* const token = mark();
    look();
    ReturnTo(token);
  }

 private:
  // Without a call of memcmp().
  template <size_t kSize>
  static bool Is(std::string_view token, const char (&word)[kSize]) {
    return token.size() == kSize - 1 && std::memcmp(token.data(), word, kSize - 1) == 0;
  }
  // Most strings are short; a call of memchr() would take longer.
  static bool HasBackslash(std::string_view raw) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    constexpr size_t kShort = 32;
    if (raw.size() > kShort) return std::memchr(raw.data(), '\\', raw.size()) != nullptr;
    if (raw.size() < sizeof(uint64_t)) return raw.find('\\') != std::string_view::npos;
    uint64_t found = 0;
    const auto look_at = [&](size_t begin) {
      uint64_t word;
      std::memcpy(&word, raw.data() + begin, sizeof(word));
      word ^= kOnes * '\\';
      found |= (word - kOnes) & ~word & (kOnes << 7);
    };
    for (size_t i = 0; i + sizeof(uint64_t) < raw.size(); i += sizeof(uint64_t)) look_at(i);
    look_at(raw.size() - sizeof(uint64_t));
    return found != 0;
  }
  static bool IsWhiteSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  template <char kEnd, typename Function, typename Each>
  bool ForEach(Problem& problem, const Function& read_ahead, const Each& each) {
    ++next_;
    if (Peek() == kEnd) {
      ++next_;
      return true;
    }
    for (;;) {
      const ReadAhead read = read_ahead();
      if (read == ReadAhead::kEnd) return true;
      if (read == ReadAhead::kProblem || (read == ReadAhead::kNothing && !each())) return false;
      const char separator = Peek();
      if (separator != ',' && separator != kEnd) return FailAtToken(problem);
      ++next_;
      if (separator == kEnd) return true;
    }
  }

  bool FailAtToken(Problem& problem) const {
    return Fail(problem, at_end() ? simdjson::INCOMPLETE_ARRAY_OR_OBJECT : simdjson::TAPE_ERROR);
  }
  simdjson::error_code Scan(std::string_view text);
  bool UnescapeSlowly(std::string_view raw, std::string_view* content, Problem& problem);

  std::unique_ptr<simdjson::internal::dom_parser_implementation> stages_;
  std::string_view text_;
  const uint32_t* next_ = nullptr;
  const uint32_t* end_ = nullptr;
  const uint32_t* looked_at_ = nullptr;
  size_t end_byte_ = 0;
  size_t valid_prefix_bytes_ = 0;
  std::string escaped_;  // the string that was unescaped last, with room after it
  std::string unescaped_;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_JSON_CURSOR_H_
