#include "structtensor/io/json/internal/json_cursor.h"

#include <algorithm>
#include <string>

#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/core/wire/abi/varint.h"
#include "structtensor/io/json/internal/json_number.h"

namespace structtensor::json_internal {

namespace {

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
    case simdjson::STRING_ERROR:
      return "a string has a wrong escape";
    case simdjson::NUMBER_ERROR:
      return "a number is malformed";
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

// The first byte that the first stage refuses, and where its token begins.
struct WrongByte {
  size_t byte = 0;
  size_t token = 0;
  simdjson::error_code error = simdjson::SUCCESS;
};

size_t CharacterBytes(char first) {
  const auto byte = static_cast<uint8_t>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

bool IsCharacter(std::string_view bytes) {
  if (static_cast<uint8_t>(bytes[0]) < 0x80) return true;
  uint8_t readable[sizeof(uint32_t) + wire_internal::kReadableSlackBytes] = {};
  std::memcpy(readable, bytes.data(), bytes.size());
  return wire_internal::IsUtf8(readable, bytes.size());
}

// Requires: the text has such a byte. A string without an end is wrong where it begins.
WrongByte FindWrongByte(std::string_view text) {
  bool in_string = false;
  size_t string_begin = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t token = in_string ? string_begin : i;
    const std::string_view character = text.substr(i, CharacterBytes(text[i]));
    if (!IsCharacter(character)) return {i, token, simdjson::UTF8_ERROR};
    if (in_string && static_cast<uint8_t>(text[i]) < 0x20) return {i, token, simdjson::UNESCAPED_CHARS};
    if (text[i] == '"') {
      in_string = !in_string;
      string_begin = i;
    }
    const bool escapes = in_string && text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    i += escapes ? 2 : character.size();
  }
  return {string_begin, string_begin, simdjson::UNCLOSED_STRING};
}

}  // namespace

bool Fail(Problem& problem, simdjson::error_code error) {
  const bool memory = error == simdjson::MEMALLOC || error == simdjson::CAPACITY;
  problem = {.code = memory ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kInvalidArgument,
             .text = TextOf(error),
             .is_syntax = true};
  return false;
}

bool JsonCursor::Start(std::string_view text, Problem& problem) {
  text_ = {};
  next_ = end_ = looked_at_ = nullptr;
  if (const auto error = Scan(text)) {
    // The first stage does not say where it fails.
    const bool is_text =
        error == simdjson::UTF8_ERROR || error == simdjson::UNCLOSED_STRING || error == simdjson::UNESCAPED_CHARS;
    const WrongByte wrong = is_text ? FindWrongByte(text) : WrongByte{};
    end_byte_ = wrong.byte;
    valid_prefix_bytes_ = wrong.token;
    return Fail(problem, is_text ? wrong.error : error);
  }
  text_ = text;
  end_byte_ = text.size();
  next_ = looked_at_ = stages_->structural_indexes.get();
  end_ = next_ + stages_->n_structural_indexes;
  return true;
}

simdjson::error_code JsonCursor::Scan(std::string_view text) {
  constexpr size_t kMinCapacity = 4096;
  constexpr size_t kMaxCapacity = simdjson::SIMDJSON_MAXSIZE_BYTES;
  if (stages_ == nullptr) {
    // The depth is for the second stage, which is not used.
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(kMinCapacity, 1, stages_);
    if (error != simdjson::SUCCESS) return error;
  }
  if (text.size() > stages_->capacity()) {
    if (text.size() > kMaxCapacity) return simdjson::CAPACITY;
    const auto error = stages_->set_capacity(std::clamp(2 * stages_->capacity(), text.size(), kMaxCapacity));
    if (error != simdjson::SUCCESS) return error;
  }
  return stages_->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(), simdjson::stage1_mode::regular);
}

bool JsonCursor::UnescapeSlowly(std::string_view raw, std::string_view* content, Problem& problem) {
  // simdjson reads and writes past the end.
  const size_t readable = ReadableFrom(raw);
  const char* from = raw.data();
  if (readable < raw.size() + 1 + simdjson::SIMDJSON_PADDING || raw.data()[raw.size()] != '"') {
    escaped_.assign(raw);
    escaped_ += '"';
    escaped_.append(simdjson::SIMDJSON_PADDING, '\0');
    from = escaped_.data();
  }
  const size_t room = raw.size() + simdjson::SIMDJSON_PADDING;
  if (unescaped_.size() < room) unescaped_.resize(2 * room);
  auto* const begin = reinterpret_cast<uint8_t*>(unescaped_.data());
  const uint8_t* const end = stages_->parse_string(reinterpret_cast<const uint8_t*>(from), begin, false);
  if (end == nullptr) return Fail(problem, simdjson::STRING_ERROR);
  *content = {unescaped_.data(), static_cast<size_t>(end - begin)};
  // The text is UTF-8. Only unpaired halves of surrogate pairs, written as \u, give bytes that are not.
  const bool is_utf8 = raw.find("\\u") == std::string_view::npos || wire_internal::IsUtf8(begin, content->size());
  return is_utf8 || Fail(problem, simdjson::STRING_ERROR);
}

bool FailTooDeep(int max_depth, Problem& problem) {
  Fail(problem, absl::StrCat("lists and objects are deeper than ", max_depth));
  problem.is_syntax = true;
  return false;
}

bool JsonCursor::Skip(int depth, int max_depth, Problem& problem) {
  if (depth > max_depth) return FailTooDeep(max_depth, problem);
  std::string_view content;
  switch (PeekKind()) {
    case JsonKind::kObject:
      return ForEachName(problem, [&](std::string_view name) {
        return Unescape(name, &content, problem) && Skip(depth + 1, max_depth, problem);
      });
    case JsonKind::kList:
      return ForEachItem(problem, [&] { return Skip(depth + 1, max_depth, problem); });
    case JsonKind::kString:
      return ReadString(&content, problem);
    case JsonKind::kNumber:
      return IsJsonNumber(Take()) || Fail(problem, simdjson::NUMBER_ERROR);
    case JsonKind::kBool: {
      bool boolean;
      return TakeBool(&boolean) || Fail(problem, simdjson::TAPE_ERROR);
    }
    case JsonKind::kNull: {
      bool is_null;
      return TakeNull(&is_null, problem);
    }
    case JsonKind::kNone:
      break;
  }
  return FailAtNothing(problem);
}

}  // namespace structtensor::json_internal
